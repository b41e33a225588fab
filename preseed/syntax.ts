/** Faults of YAML itself, in words of our own: the parser's messages may hold parts of the file, and so of a password. */

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
  BLOCK_IN_FLOW: { message: 'a block value cannot stand inside brackets or braces' },
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

/** Offset of a blank that is no space behind the first colon of the line; null when there is none. */
function oddBlankAfterColon(error: ParserError, text: string): number | null {
  const start = text.lastIndexOf('\n', error.pos[0] - 1) + 1;
  const found = /^[^\n:]*:[\u00a0\u1680\u2000-\u200b\u202f\u205f\u3000]/.exec(text.slice(start, start + 1100));
  return found ? start + found[0].length - 1 : null;
}

function wordsFor(error: ParserError, text: string): Words {
  const at = text.slice(error.pos[0], error.pos[0] + 2);
  if (/\{[{%]|[%}]\}/.test(text.slice(Math.max(0, error.pos[0] - 2), error.pos[1] + 2)))
    return {
      message: 'a template was not rendered: {{ or {% is left in the file',
      fix: 'render the template before it is used as an answer file',
    };
  if (error.code === 'MULTILINE_IMPLICIT_KEY' && oddBlankAfterColon(error, text) !== null)
    return {
      message: 'a no-break space (NBSP) or another special blank stands after the colon; it only looks like a space',
      fix: 'replace it with a space',
    };
  if (error.code === 'BAD_SCALAR_START') {
    const sign = /^[@`%]/.test(at) ? at[0] : 'this character';
    return { message: `a value without quotes may not start with ${sign}, a reserved character`, fix: QUOTE };
  }
  if (error.code === 'MISSING_CHAR' && /closing .*quote/.test(error.message))
    return { message: 'a quote is not closed: the closing quote is missing', fix: 'close it on the same line' };
  if (error.code === 'UNEXPECTED_TOKEN' && /['"]/.test(text[error.pos[0] - 1] ?? ''))
    return { message: 'text follows a closing quote', fix: 'put the whole value in quotes; inside single quotes a quote is written twice' };
  return WORDS[error.code] ?? { message: 'the file is not valid YAML here' };
}

/** Errors that leave the shape of the file clear. */
const LOCAL = new Set(['BAD_DQ_ESCAPE', 'BAD_SCALAR_START']);

export interface SyntaxFault extends FileFault {
  /** Where guessing begins; Infinity when what stands around the fault can still be read as it was meant. */
  readonly soundTo: number;
  /** A quote was never closed; the place is where the text ran out. */
  readonly isOpenQuote?: true;
}

/** One fault of the YAML parser, without any text of the file. */
function syntaxFault(error: ParserError, text: string): SyntaxFault {
  const start = text.lastIndexOf('\n', error.pos[0] - 1) + 1;
  const tab = /^ *\t/.exec(text.slice(start));
  if (tab || error.code === 'TAB_AS_INDENT') {
    const at = tab ? start + tab[0].length - 1 : error.pos[0];
    return { rule: 'file.tab-indent', ...TAB, offset: at, end: at + 1, soundTo: Math.min(at, error.pos[0]) };
  }
  const deeper = error.code === 'BLOCK_AS_IMPLICIT_KEY' ? /^[^\n:]*\n\s*(?=\S)/.exec(text.slice(error.pos[0])) : null;
  if (deeper) {
    const at = error.pos[0] + deeper[0].length;
    return { rule: 'yaml.syntax', ...DEEPER, offset: at, end: at + 1, soundTo: error.pos[0] };
  }
  // An error at the very end (an unclosed quote) is told where the text is, not on the empty line after it.
  const offset = Math.min(error.pos[0], text.trimEnd().length);
  const isOpenQuote = error.code === 'MISSING_CHAR' && /closing .*quote/.test(error.message);
  const soundTo = LOCAL.has(error.code) ? Number.POSITIVE_INFINITY : offset;
  return {
    rule: 'yaml.syntax',
    ...wordsFor(error, text),
    offset,
    end: Math.max(offset, error.pos[1]),
    soundTo,
    ...(isOpenQuote ? { isOpenQuote } : {}),
  };
}

/** An unclosed quote is told where it opens: the parser only knows where the text ran out. */
export function atOpeningQuote(fault: SyntaxFault, root: Tree): SyntaxFault {
  if (!fault.isOpenQuote) return fault;
  const opened = contentRanges(root).filter(([start, end]) => start < fault.offset && fault.offset <= end + 1);
  const start = opened.at(-1)?.[0];
  return start === undefined ? fault : { ...fault, offset: start, end: start + 1, soundTo: start };
}

/** What a broken file says beyond these is noise. */
const MAX_SYNTAX_FAULTS = 50;

/** All faults of one document, each told once. */
export function syntaxFaults(errors: readonly ParserError[], text: string): SyntaxFault[] {
  // Of a value that swallows the next line the parser says twice that it cannot be a key.
  const hasCause = errors.some((error) => error.code === 'BLOCK_AS_IMPLICIT_KEY');
  const isEcho = (error: ParserError): boolean => error.code === 'MULTILINE_IMPLICIT_KEY' && hasCause;
  return errors
    .filter((error) => !isEcho(error))
    .slice(0, MAX_SYNTAX_FAULTS)
    .map((error) => syntaxFault(error, text));
}

/** Ranges in which leading blanks are content: quoted and block texts. */
function contentRanges(tree: Tree, into: [number, number][] = []): [number, number][] {
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
      const code = text.charCodeAt(offset);
      const name =
        code === 0xa0 ? 'a no-break space (NBSP, U+00A0)' : `the special blank U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
      return {
        rule: 'file.nbsp-indent',
        message: `the line is indented with ${name}, which only looks like a space`,
        fix: 'replace it with spaces',
        offset,
        end: offset + 1,
        soundTo: offset,
      };
    });
}

/** Tabs in front of text that our parser takes (inside brackets and braces) and others refuse. */
export function tabFaults(text: string, root: Tree | null, known: readonly FileFault[]): FileFault[] {
  if (known.some((fault) => fault.rule === 'file.tab-indent')) return [];
  const ranges = root ? contentRanges(root) : [];
  const found = [...text.matchAll(/^ *\t[ \t]*(?=[^\s#])/gm)].find(
    ({ index }) => !ranges.some(([start, end]) => start < index && index < end),
  );
  if (!found) return [];
  return [
    {
      rule: 'yaml.tab',
      message: 'a tab stands in front of the text; other YAML readers (PyYAML, cloud-init) refuse the file',
      fix: 'replace the tabs with spaces',
      offset: found.index,
    },
  ];
}
