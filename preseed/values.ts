/** What a value of YAML is called, and which ones say nothing. */
import type { Tree } from './tree.ts';
import type { Kind11 } from './yaml11.ts';

const NULL_WORDS = new Set(['', '~', 'null', 'Null', 'NULL']);
export const KIND_WORDS = { map: 'a mapping', list: 'a list', scalar: 'a text' } as const;
export const PLAIN_TAGS = new Set([
  '!',
  '!!str',
  'tag:yaml.org,2002:str',
  'tag:yaml.org,2002:int',
  'tag:yaml.org,2002:bool',
  'tag:yaml.org,2002:null',
]);

/** What may be shown of a line that should be a public key: anything else there may be a secret gone astray. */
export const PUBLIC_KEY = /^(\S+ )?(sk-)?(ssh|ecdsa)-[a-z0-9@.-]+ [A-Za-z0-9+/=]+( |$)/;

export const isNull = (tree: Tree): boolean =>
  tree.kind === 'scalar' && tree.style === 'plain' && tree.tag === null && NULL_WORDS.has(tree.text);

export const article = (kind: Kind11): string => (/^[aeio]/.test(kind) ? `an ${kind}` : `a ${kind}`);
