/** Faults of YAML itself, in words of our own: the parser's messages may hold parts of the file, and so of a password. */

import { oddBlankName } from '#rules/odd-blanks.ts';
import type { FileFault } from './text.ts';
import type { Tree } from './tree.ts';

interface ParserError {
  readonly code: string;
  readonly pos: readonly [number, number];
  readonly message: string;
}

interface Words {
  readonly message: string;
  readonly fix?: string;
}

const QUOTE = 'put the value in quotes; single quotes take everything as it is';

const TAB: Words = { message: 'the line is indented with a tab; YAML wants spaces', fix: 'replace the tab with spaces' };
const DEEPER: Words = {
  message: 'the line is indented deeper than the line before it, so it continues the value there',
  fix: 'indent it like its neighbours',
};

const WORDS: Readonly<Record<string, Words>> = {
  BAD_DQ_ESCAPE: {
    message: 'a backslash in double quotes starts an escape, and this one does not exist',
    fix: 'use single quotes, where a backslash is only a backslash',
  },
  BAD_INDENT: { message: 'the indentation does not fit, or a bracket or brace is not closed before this line' },
  BLOCK_AS_IMPLICIT_KEY: { message: 'a colon and a blank inside a value start a mapping of their own here', fix: QUOTE },
  MULTILINE_IMPLICIT_KEY: { message: 'a key reaches over more than one line; the indentation of a line is wrong, or a colon is missing' },
  KEY_OVER_1024_CHARS: { message: 'a key is longer than 1024 characters' },
  BLOCK_IN_FLOW: { message: 'a value inside brackets or braces holds a colon that starts a mapping of its own', fix: QUOTE },
  MISSING_CHAR: { message: 'something is missing here: a closing quote, bracket, comma, colon or blank' },
  BAD_ALIAS: { message: 'an alias (*) or anchor (&) has no name that YAML takes', fix: QUOTE },
  ALIAS_PROPS: { message: 'an alias cannot have a tag or an anchor' },
  BAD_DIRECTIVE: {
    message: 'the line starts with %, which makes it a YAML directive',
    fix: 'take the line out, or put the value in quotes',
  },
  BAD_PROP_ORDER: { message: 'a tag or an anchor stands in the wrong place' },
  MULTIPLE_ANCHORS: { message: 'a value has more than one anchor (&)', fix: QUOTE },
  MULTIPLE_TAGS: { message: 'a value has more than one tag (!)', fix: QUOTE },
  UNEXPECTED_TOKEN: { message: 'something unexpected stands here; the line does not fit what is before it' },
};

/** A blank that is no space behind the first colon of the line; null when there is none. */
function oddBlankAfterColon(error: ParserError, text: string): string | null {
  const start = lineStart(text, error.pos[0]);
  const found = /^[^\n:]*:[\u00a0\u1680\u2000-\u200b\u202f\u205f\u3000]/.exec(text.slice(start, start + 1100));
  return found?.[0].at(-1) ?? null;
}

const lineStart = (text: string, offset: number): number => text.lastIndexOf('\n', offset - 1) + 1;

/** A placeholder at the fault, or on its line in front of it. */
function isTemplate(error: ParserError, text: string): boolean {
  const start = lineStart(text, error.pos[0]);
  const line = text.slice(Math.max(start, error.pos[0] - 2000), error.pos[0] + 2);
  return /\$\{|\{[{%]/.test(line) || /^\s*\{#/.test(line);
}

const isUnclosed = (error: ParserError): boolean => error.code === 'BAD_INDENT' && /and end with a/.test(error.message);
const isStray = (error: ParserError): boolean => error.code === 'UNEXPECTED_TOKEN' && /in YAML stream/.test(error.message);

/** Text where none can stand, by the sign in front of it; null when nothing can be told. */
function wordsForToken(error: ParserError, text: string): Words | null {
  const [at] = error.pos;
  const before = text.slice(lineStart(text, at), at).trimEnd();
  if (/['"]$/.test(before))
    return { message: 'text follows a closing quote', fix: 'put the whole value in quotes; inside single quotes a quote is written twice' };
  if (/[|>][0-9+-]*$/.test(before))
    return { message: 'a value that starts with | or > is a block text, which begins on the next line', fix: QUOTE };
  if (/[\]}]/.test(text[at] ?? ''))
    return { message: 'a closing bracket or brace has no opening one', fix: 'take it out, or put the value in quotes if it belongs to it' };
  if (before === '') return null;
  if (text[at] === '-')
    return {
      message: 'a list cannot start on the line of its key',
      fix: 'write each entry on a line below the key, or put the value in quotes',
    };
  return { message: 'text follows the end of the value', fix: QUOTE };
}

/** `key:value` is a text to YAML. */
const NO_BLANK: Words = { message: 'a blank is missing after the colon', fix: 'put a blank after the colon' };

function wordsFor(error: ParserError, text: string): Words {
  const at = text.slice(error.pos[0], error.pos[0] + 2);
  if (isTemplate(error, text))
    return {
      message: 'a template was not rendered: {{, {% or ${ is left in the file',
      fix: 'render the template before it is used as an answer file',
    };
  if (isUnclosed(error)) {
    const sign = /\{|map/i.test(error.message) ? 'brace {' : 'bracket [';
    return { message: `the ${sign} is not closed`, fix: 'close it, or put the value in quotes if it belongs to a text' };
  }
  const odd = /^(MULTILINE_IMPLICIT_KEY|MISSING_CHAR)$/.test(error.code) ? oddBlankAfterColon(error, text) : null;
  if (odd !== null)
    return {
      message: `${oddBlankName(odd)} stands after the colon; it only looks like a space`,
      fix: 'replace it with a space',
    };
  if (
    /^(MULTILINE_IMPLICIT_KEY|MISSING_CHAR)$/.test(error.code) &&
    /^[A-Za-z_][A-Za-z0-9_-]*:[^\s:]/.test(text.slice(error.pos[0], error.pos[0] + 100))
  )
    return NO_BLANK;
  if (error.code === 'BAD_SCALAR_START') {
    const sign = /^[@`%]/.test(at) ? at[0] : 'this character';
    return { message: `a value without quotes may not start with ${sign}, a reserved character`, fix: QUOTE };
  }
  if (error.code === 'MISSING_CHAR' && /closing .*quote/.test(error.message))
    return { message: 'a quote is not closed: the closing quote is missing', fix: 'close it on the same line' };
  const token = error.code === 'UNEXPECTED_TOKEN' ? wordsForToken(error, text) : null;
  return token ?? WORDS[error.code] ?? { message: 'the file is not valid YAML here' };
}

/** Errors that leave the shape of the file clear. */
const LOCAL = new Set(['BAD_DQ_ESCAPE', 'BAD_SCALAR_START']);

export interface SyntaxFault extends FileFault {
  /** Where guessing begins; Infinity when what stands around the fault can still be read as it was meant. */
  readonly soundTo: number;
  /** A quote, bracket or brace was never closed; the place is where the text ran out. */
  readonly isOpen?: 'quote' | 'bracket';
}

const indentAt = (text: string, offset: number): number => /^ */.exec(text.slice(lineStart(text, offset), offset))?.[0].length ?? 0;

/** One fault of the YAML parser, without any text of the file. */
function syntaxFault(error: ParserError, text: string): SyntaxFault {
  const start = lineStart(text, error.pos[0]);
  const tab = /^ *\t/.exec(text.slice(start));
  if (tab || error.code === 'TAB_AS_INDENT') {
    const at = tab ? start + tab[0].length - 1 : error.pos[0];
    return { rule: 'file.tab-indent', ...TAB, offset: at, end: at + 1, soundTo: Math.min(at, error.pos[0]) };
  }
  const deeper = error.code === 'BLOCK_AS_IMPLICIT_KEY' ? /^[^\n:]*\n\s*(?=\S)/.exec(text.slice(error.pos[0])) : null;
  if (deeper && indentAt(text, error.pos[0] + deeper[0].length) > indentAt(text, error.pos[0])) {
    const at = error.pos[0] + deeper[0].length;
    return { rule: 'yaml.syntax', ...DEEPER, offset: at, end: at + 1, soundTo: error.pos[0] };
  }
  // An error at the very end (an unclosed quote) is told where the text is, not on the empty line after it.
  const offset = Math.min(error.pos[0], text.trimEnd().length);
  const isOpenQuote = error.code === 'MISSING_CHAR' && /closing .*quote/.test(error.message);
  const isOpen = isOpenQuote ? 'quote' : isUnclosed(error) ? 'bracket' : undefined;
  const soundTo = LOCAL.has(error.code) ? Number.POSITIVE_INFINITY : offset;
  return {
    rule: 'yaml.syntax',
    ...wordsFor(error, text),
    offset,
    end: Math.max(offset, error.pos[1]),
    soundTo,
    ...(isOpen ? { isOpen } : {}),
  };
}

/** An unclosed quote, bracket or brace is told where it opens: the parser only knows where the text ran out. */
export function atOpening(fault: SyntaxFault, root: Tree, text: string): SyntaxFault {
  if (!fault.isOpen) return fault;
  const starts =
    fault.isOpen === 'quote'
      ? contentRanges(root)
          .filter(([start, end]) => start < fault.offset && fault.offset <= end + 1)
          .map(([start]) => start)
      : unclosedStarts(root, text).filter((start) => start < fault.offset);
  const start = starts.at(-1);
  return start === undefined ? fault : { ...fault, offset: start, end: start + 1, soundTo: start };
}

/** Lists and mappings in brackets or braces whose last character is not the closing one. */
function unclosedStarts(tree: Tree, text: string, into: number[] = []): number[] {
  if (tree.kind === 'scalar' || tree.isAlias) return into;
  const close = { '[': ']', '{': '}' }[text[tree.start] ?? ''];
  if (close !== undefined && text[tree.end - 1] !== close) into.push(tree.start);
  for (const child of tree.kind === 'map' ? tree.entries.map((entry) => entry.value) : tree.items) unclosedStarts(child, text, into);
  return into;
}

/** What a broken file says beyond these is noise. */
const MAX_SYNTAX_FAULTS = 50;

/** All faults of one document, each told once. */
export function syntaxFaults(errors: readonly ParserError[], text: string): SyntaxFault[] {
  // Of a value that swallows the next line the parser says twice that it cannot be a key.
  const hasCause = errors.some((error) => error.code === 'BLOCK_AS_IMPLICIT_KEY');
  const isCauseToo = (error: ParserError): boolean => error.code === 'MULTILINE_IMPLICIT_KEY' && hasCause;
  // What follows an unclosed bracket on the line where it ran out, and what follows the first sign outside of the document.
  const ranOut = new Set(errors.filter(isUnclosed).map((error) => lineStart(text, error.pos[0])));
  const firstStray = errors.find((error) => isStray(error) || isTemplate(error, text));
  const isEcho = (error: ParserError): boolean =>
    isCauseToo(error) ||
    (!isUnclosed(error) && ranOut.has(lineStart(text, error.pos[0]))) ||
    (isStray(error) && error !== firstStray && !isTemplate(error, text));
  return errors
    .filter((error) => !isEcho(error))
    .slice(0, MAX_SYNTAX_FAULTS)
    .map((error) => syntaxFault(error, text));
}

/** Ranges in which leading blanks are content: quoted and block texts. */
function contentRanges(tree: Tree, into: [number, number][] = []): [number, number][] {
  if (tree.isAlias) return into;
  if (tree.kind === 'scalar') {
    if (tree.style !== 'plain') into.push([tree.start, tree.end]);
  } else for (const child of tree.kind === 'map' ? tree.entries.map((entry) => entry.value) : tree.items) contentRanges(child, into);
  return into;
}

const ODD_INDENT = /^[ \t]*[\u00a0\u1680\u2000-\u200b\u202f\u205f\u3000]/gm;

/** Lines indented with blanks that only look like spaces. */
export function indentFaults(text: string, root: Tree | null): SyntaxFault[] {
  const candidates = [...text.matchAll(ODD_INDENT)];
  if (candidates.length === 0) return [];
  const ranges = root ? contentRanges(root) : [];
  return candidates
    .map((found) => found.index + found[0].length - 1)
    .filter((offset) => !ranges.some(([start, end]) => start < offset && offset < end))
    .map((offset) => {
      return {
        rule: 'file.nbsp-indent',
        message: `the line is indented with ${oddBlankName(text[offset] ?? '')}, which only looks like a space`,
        fix: 'replace it with spaces',
        offset,
        end: offset + 1,
        soundTo: offset,
      };
    });
}

/** Offset of the first tab that is neither content nor comment, nor stands around a colon, of which its key tells; one pass. */
function firstBareTab(text: string, root: Tree): number | null {
  const ranges = contentRanges(root).sort((a, b) => a[0] - b[0]);
  let next = 0;
  let checkedTo = 0;
  for (let at = text.indexOf('\t'); at >= 0; at = text.indexOf('\t', at + 1)) {
    for (let range = ranges[next]; range && range[1] <= at; range = ranges[++next]) checkedTo = Math.max(checkedTo, range[1]);
    const inside = ranges[next];
    if (inside && inside[0] < at) continue;
    const before = text.slice(Math.max(0, checkedTo - 1), at);
    const line = before.slice(before.lastIndexOf('\n') + 1);
    checkedTo = at;
    if (/(^|\s)#/.test(line)) {
      const end = text.indexOf('\n', at);
      if (end < 0) return null;
      [at, checkedTo] = [end, end];
      continue;
    }
    let end = at;
    while (text[end + 1] === '\t' || text[end + 1] === ' ') end++;
    if (text[end + 1] !== ':' && !/:[ \t]*([&!]\S*[ \t]*)?$/.test(line.slice(-300))) return at;
    at = end;
  }
  return null;
}

/** Tabs that our parser takes and others refuse. */
export function tabFaults(text: string, root: Tree | null, known: readonly FileFault[]): FileFault[] {
  if (root === null || known.some((fault) => fault.rule === 'file.tab-indent' || fault.rule === 'yaml.syntax')) return [];
  const offset = firstBareTab(text, root);
  if (offset === null) return [];
  return [
    {
      rule: 'yaml.tab',
      message: 'a tab stands here, outside of quotes; other YAML readers (PyYAML, cloud-init) refuse the file',
      fix: 'replace the tabs with spaces',
      offset,
    },
  ];
}

/** The first character that YAML 1.1 takes for the end of a line, inside quotes and comments too, and YAML 1.2 does not. */
export function lineBreakFaults(text: string): FileFault[] {
  const offset = text.search(/[\u0085\u2028\u2029]/);
  if (offset < 0) return [];
  const name = `U+${text.charCodeAt(offset).toString(16).toUpperCase().padStart(4, '0')}`;
  return [
    {
      rule: 'yaml.reading',
      message: `the character ${name} is read as part of the text; a YAML 1.1 reader (PyYAML, cloud-init) ends the line here`,
      fix: 'take it out; it is invisible in most editors',
      offset,
    },
  ];
}
