/** What a value of YAML is called, and which ones say nothing. */
import type { KeySpec } from '#rules/key-spec.ts';
import { namesIn } from '#rules/keys.ts';
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

/** Tags that other readers convert by, as they convert a value without a tag. */
export const TYPED_TAGS = new Set(['tag:yaml.org,2002:int', 'tag:yaml.org,2002:bool', 'tag:yaml.org,2002:null']);

/** The way out for a value of the wrong kind. @param source the value as written */
export function typeFix(spec: KeySpec, tree: Tree, source: string): string | undefined {
  if (spec.type === 'block') {
    const key = tree.kind === 'scalar' ? /^([a-z0-9_]+):\S/.exec(tree.text)?.[1] : undefined;
    return key !== undefined && namesIn(spec.path).includes(key) ? `put a blank after ${key}:` : undefined;
  }
  const isOneText = tree.kind === 'list' && tree.items.length === 1 && tree.items[0]?.kind === 'scalar';
  // A password may well begin with a bracket; nothing else that is wanted as one value does.
  if (spec.type === 'secret') return /^[[{]/.test(source) ? 'put the value in quotes' : undefined;
  if (isOneText) return source.startsWith('[') ? 'take the brackets out' : 'write the value behind the key, without the dash';
  return tree.kind === 'list' && (spec.type === 'text' || spec.type === 'number') ? 'write one value' : undefined;
}

/** What may be shown of a line that should be a public key: anything else there may be a secret gone astray. */
export const PUBLIC_KEY = /^(\S+ )?(sk-)?(ssh|ecdsa)-[a-z0-9@.-]+ [A-Za-z0-9+/=]+( |$)/;

/** Nothing, to every YAML reader: no value at all, `~` or `null`, without quotes and tag. */
export const isNull = (tree: Tree): boolean =>
  tree.kind === 'scalar' && tree.style === 'plain' && tree.tag === null && NULL_WORDS.has(tree.text);

export const article = (kind: Kind11): string => (/^[aeio]/.test(kind) ? `an ${kind}` : `a ${kind}`);
