/** YAML as a plain tree with offsets: aliases resolved, nothing converted, limits kept. */

import { Composer, type Document, isAlias, isMap, isScalar, isSeq, Lexer, Parser } from 'yaml';
import { MAX_ALIAS_EXPANSIONS, MAX_YAML_DEPTH } from '#model/limits.ts';
import { atOpening, type SyntaxFault, syntaxFaults } from './syntax.ts';
import type { FileFault } from './text.ts';

interface Base {
  readonly start: number;
  /** One past the last character of the node itself, comments and line break left out. */
  readonly end: number;
  /** As written, `!!str` or `!vault`; null without one. */
  readonly tag: string | null;
  readonly hasAnchor: boolean;
  readonly depth: number;
  readonly expansions: number;
  /** Stands for what its anchor names; that has places of its own in the file, and may be very many of them. */
  readonly isAlias?: true;
}

export interface ScalarTree extends Base {
  readonly kind: 'scalar';
  readonly text: string;
  readonly style: 'plain' | 'quoted' | 'block';
  /** An alias without its anchor stood here, which has been reported. */
  readonly isLost?: true;
}

export interface Entry {
  /** null: the key is no text. */
  readonly key: string | null;
  readonly keyStart: number;
  readonly keyEnd: number;
  readonly isPlainKey: boolean;
  readonly value: Tree;
}

export interface MapTree extends Base {
  readonly kind: 'map';
  readonly entries: readonly Entry[];
}

export interface ListTree extends Base {
  readonly kind: 'list';
  readonly items: readonly Tree[];
}

export type Tree = ScalarTree | MapTree | ListTree;

export interface ParsedYaml {
  /** null: an empty file, or one that could not be read at all. */
  readonly root: Tree | null;
  readonly faults: readonly FileFault[];
  /** Offset from which on the tree is a guess at what was meant; Infinity when all of it is sound. */
  readonly soundTo: number;
}

/** Well above the limit that is judged on the finished tree, and low enough that no parser recurses far. */
const MAX_OPEN = 4 * MAX_YAML_DEPTH;

type Tokens = Parameters<Composer['compose']>[0] extends Iterable<infer T> ? T[] : never;

/** Anchors, tags and blanks in a row: the parser looks at all of them for each one. */
const MAX_PROPERTIES = 200;

/** Keys, values and signs of a file; blanks, line ends and comments aside. Each costs memory and time many times its length. */
const MAX_PIECES = 150_000;

type Aborted = { readonly fault: FileFault };

const COLLECTIONS = new Set(['block-map', 'block-seq', 'flow-collection']);

/** Tokens of the whole text; a fault instead, where going on would cost out of all proportion to the length of the text. */
function tokensOf(text: string): Tokens | Aborted {
  const parser = new Parser();
  const tokens: Tokens = [];
  let properties = 0;
  let pieces = 0;
  let tooDeep: number | null = null;
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) tokens.push(token);
    if (tooDeep === null && parser.stack.length > MAX_YAML_DEPTH && openCollections(parser) > MAX_YAML_DEPTH)
      tooDeep = parser.offset - lexeme.length;
    if (parser.stack.length > MAX_OPEN) return { fault: depthFault(tooDeep ?? parser.offset) };
    const first = lexeme[0];
    const isFiller = first === ' ' || first === '\n' || first === '\r' || first === '\t' || first === '#';
    if (first === '&' || first === '!') properties++;
    else if (!isFiller) properties = 0;
    // The lexer puts a mark of its own before a scalar.
    if (!isFiller && first !== '\u001f' && ++pieces > MAX_PIECES) return { fault: crowdedFault(parser.offset) };
    if (properties > MAX_PROPERTIES)
      return { fault: { rule: 'yaml.syntax', message: 'hundreds of anchors (&) or tags (!) follow each other', offset: parser.offset } };
  }
  for (const token of parser.end()) tokens.push(token);
  return tokens;
}

const openCollections = (parser: Parser): number => parser.stack.filter((token) => COLLECTIONS.has(token.type)).length;

const crowdedFault = (offset: number): FileFault => ({
  rule: 'file.crowded',
  message: `the file holds more than ${MAX_PIECES} keys, values and signs; an answer file has a few dozen`,
  offset,
});

const depthFault = (offset: number, end = offset): FileFault => ({
  rule: 'yaml.depth',
  message: `the file is nested deeper than ${MAX_YAML_DEPTH} levels from here on`,
  fix: 'take levels out; an answer file has three',
  offset,
  end,
});

type Node = Document['contents'];

class Builder {
  readonly faults: FileFault[] = [];
  readonly #anchors = new Map<string, Tree | 'open'>();
  /** The first place at which a limit was passed; only one is told. */
  limit: FileFault | null = null;
  #level = 0;
  #expansions = 0;

  #base(node: NonNullable<Node>, children: readonly Tree[]): Base {
    const [start, end] = node.range ?? [0, 0];
    return {
      start,
      end,
      tag: node.tag ?? null,
      hasAnchor: 'anchor' in node && node.anchor !== undefined,
      depth: children.reduce((deepest, child) => Math.max(deepest, 1 + child.depth), 0),
      expansions: children.reduce((sum, child) => Math.min(sum + child.expansions, Number.MAX_SAFE_INTEGER), 0),
    };
  }

  build(node: Node, at: number): Tree {
    if (node === null)
      return { kind: 'scalar', text: '', style: 'plain', start: at, end: at, tag: null, hasAnchor: false, depth: 0, expansions: 0 };
    if (isAlias(node)) return this.#alias(node.source, node.range ?? [at, at, at]);
    const anchor = node.anchor;
    if (anchor !== undefined) this.#anchors.set(anchor, 'open');
    const isCollection = isMap(node) || isSeq(node);
    if (isCollection && ++this.#level > MAX_YAML_DEPTH) this.limit ??= depthFault(node.range?.[0] ?? at);
    const tree = this.#collection(node, at);
    if (isCollection) this.#level--;
    if (anchor !== undefined) this.#anchors.set(anchor, tree);
    return tree;
  }

  #collection(node: NonNullable<Node>, at: number): Tree {
    if (isMap(node)) {
      const entries = node.items.map((pair) => this.#entry(pair.key as Node, pair.value as Node, at));
      const base = this.#base(
        node,
        entries.map((entry) => entry.value),
      );
      return { kind: 'map', entries, ...base, depth: Math.max(1, base.depth) };
    }
    if (isSeq(node)) {
      const items = node.items.map((item) => this.build(item as Node, node.range?.[0] ?? at));
      const base = this.#base(node, items);
      return { kind: 'list', items, ...base, depth: Math.max(1, base.depth) };
    }
    const type = isScalar(node) ? node.type : undefined;
    const style = type?.startsWith('QUOTE') ? 'quoted' : type?.startsWith('BLOCK') ? 'block' : 'plain';
    return { kind: 'scalar', text: isScalar(node) ? String(node.value ?? '') : '', style, ...this.#base(node, []) };
  }

  #entry(key: Node, value: Node, at: number): Entry {
    const keyTree = this.build(key, at);
    return {
      key: keyTree.kind === 'scalar' ? keyTree.text : null,
      keyStart: keyTree.start,
      keyEnd: keyTree.end,
      isPlainKey: keyTree.kind === 'scalar' && keyTree.style === 'plain',
      value: this.build(value, keyTree.end),
    };
  }

  #alias(name: string, range: readonly [number, number, number]): Tree {
    const target = this.#anchors.get(name);
    const [start, end] = range;
    if (target !== undefined && target !== 'open') {
      this.#expansions = Math.min(this.#expansions + target.expansions + 1, Number.MAX_SAFE_INTEGER);
      if (this.#expansions > MAX_ALIAS_EXPANSIONS) this.limit ??= aliasLimitFault(start, end);
      else if (this.#level + target.depth > MAX_YAML_DEPTH) this.limit ??= depthFault(start, end);
      return { ...target, start, end, hasAnchor: false, expansions: target.expansions + 1, isAlias: true };
    }
    // The name is left out: after a forgotten quote it may be a password.
    if (target === 'open')
      this.faults.push({ rule: 'yaml.alias-cycle', message: 'an alias stands inside the value of its own anchor', offset: start, end });
    else
      this.faults.push({
        rule: 'yaml.unknown-alias',
        message: 'an alias (*name) has no anchor (&name) before it',
        fix: 'put the value in quotes if it is to start with *',
        offset: start,
        end,
      });
    return { kind: 'scalar', text: '', style: 'quoted', start, end, tag: null, hasAnchor: false, depth: 0, expansions: 1, isLost: true };
  }
}

const aliasLimitFault = (offset: number, end: number): FileFault => ({
  rule: 'yaml.alias-limit',
  message: `more than ${MAX_ALIAS_EXPANSIONS} alias expansions from here on`,
  fix: 'write the values out instead of *aliases',
  offset,
  end,
});

/** `%YAML` lines of another version than the one that is read. */
function versionFaults(tokens: Tokens): FileFault[] {
  return tokens.flatMap((token): FileFault[] => {
    const version = token.type === 'directive' ? /^%YAML[ \t]+([0-9]+\.[0-9]+)/.exec(token.source)?.[1] : undefined;
    if (token.type !== 'directive' || version === undefined || version === '1.2') return [];
    const place = { offset: token.offset, end: token.offset + token.source.length, fix: 'write %YAML 1.2, or take the line out' };
    if (!version.startsWith('1.'))
      return [{ rule: 'yaml.version', message: 'there is no such version of YAML that could be read', ...place }];
    return [{ rule: 'yaml.minor-version', message: 'the file names another version of YAML; it is read as YAML 1.2', ...place }];
  });
}

/** What follows the first fault of a line mostly comes from it. */
function firstOnLine(faults: readonly SyntaxFault[], text: string): SyntaxFault[] {
  const sorted = [...faults].sort((a, b) => a.offset - b.offset);
  return sorted.filter((fault, i) => i === 0 || text.slice(sorted[i - 1]?.offset, fault.offset).includes('\n'));
}

/** Never throws for any text; work is bounded by its length. */
export function parseYaml(text: string): ParsedYaml {
  const tokens = tokensOf(text);
  if (!Array.isArray(tokens)) return { root: null, faults: [tokens.fault], soundTo: 0 };
  // The failsafe schema keeps every scalar as the text that was written.
  const composer = new Composer({ schema: 'failsafe', uniqueKeys: false, merge: false, logLevel: 'silent', prettyErrors: false });
  const documents = [...composer.compose(tokens, false, text.length)];
  const first = documents[0];
  const syntax = documents.flatMap((document) => syntaxFaults(document.errors, text));
  const second = documents[1];
  const builder = new Builder();
  const root = first?.contents ? builder.build(first.contents, 0) : null;
  const placed = syntax.map((fault) => (root ? atOpening(fault, root, text) : fault));
  const soundTo = placed.reduce((least, fault) => Math.min(least, fault.soundTo), Number.POSITIVE_INFINITY);
  const faults: FileFault[] = [...versionFaults(tokens), ...firstOnLine(placed, text)];
  if (second)
    faults.push({
      rule: 'yaml.documents',
      message: 'a second YAML document starts here; an answer file is one document',
      fix: 'take out the --- (or ...) line and what follows it',
      offset: second.range?.[0] ?? 0,
    });
  if (!root) return { root: null, faults, soundTo };
  const { limit } = builder;
  faults.push(...builder.faults, ...(limit ? [limit] : []));
  return { root: limit ? null : root, faults, soundTo: limit ? 0 : soundTo };
}
