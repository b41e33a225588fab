/** Which mapping of the file holds the answers. */
import { namesIn, WRAPPERS } from '#rules/keys.ts';
import { nearest } from '#rules/nearest.ts';
import { reportBeside } from './beside.ts';
import { dialectOf, keyTable } from './dialects.ts';
import { reportDoubles } from './entries.ts';
import type { Sink, Span } from './sink.ts';
import type { Entry, MapTree, Tree } from './tree.ts';

export interface Block {
  readonly map: MapTree;
  /** Where a finding about the block as a whole is shown. */
  readonly at: Span;
}

const MAP_TAG = 'tag:yaml.org,2002:map';
const NO_CONTENT = 'no spatium preseed content';
const keySpan = (entry: Entry): Span => ({ start: entry.keyStart, end: entry.keyEnd });

function reportMissing(root: Tree | null, text: string, sink: Sink): void {
  const dialect = dialectOf(text, root);
  if (dialect) {
    const fix = `write the answers below ${WRAPPERS[0]}: (keys that match: ${keyTable(dialect)})`;
    sink.report('', 'block.missing', `${NO_CONTENT}: this looks like ${dialect.name}`, { start: 0, end: 0 }, fix);
    return;
  }
  const entries = root?.kind === 'map' ? root.entries : [];
  const close = entries.find((entry) => entry.key !== null && nearest(entry.key.replaceAll('-', '_'), [WRAPPERS[0]]) !== null);
  const isEmpty = root === null || (root.kind === 'scalar' && root.text.trim() === '');
  const why = isEmpty ? 'the file is empty' : `there is no ${WRAPPERS[0]} block and no known key`;
  sink.report(
    '',
    'block.missing',
    `${NO_CONTENT}: ${why}`,
    close ? keySpan(close) : { start: 0, end: 0 },
    close ? `did you mean ${WRAPPERS[0]}?` : `put the answers below ${WRAPPERS[0]}:`,
  );
}

function contentOf(entry: Entry, text: string, sink: Sink): Block | null {
  const at = keySpan(entry);
  const { value } = entry;
  if (value.kind === 'map' && /^\{\s*\{/.test(text.slice(value.start, value.end))) {
    const message = `the template was not rendered: {{...}} is left below ${entry.key}`;
    sink.report('', 'value.template', message, at, 'render the template before it is used as an answer file');
    return null;
  }
  if (value.tag !== null && (value.kind === 'map' ? value.tag !== MAP_TAG : !value.tag.startsWith('tag:yaml.org,2002:'))) {
    sink.report('', 'yaml.tag', 'the answer block has a tag (!...); it must be a plain mapping', at, 'take the tag out');
    return null;
  }
  if (value.kind === 'map' && value.entries.some((inner) => !inner.key?.startsWith('x-'))) return { map: value, at };
  const isEmpty = value.kind === 'map' || (value.kind === 'scalar' && ['', '~', 'null'].includes(value.text.trim().toLowerCase()));
  if (isEmpty)
    sink.report(
      '',
      'block.empty',
      `${NO_CONTENT}: the answer block is empty, there are no answers below ${entry.key}`,
      at,
      'write the keys below it, indented',
    );
  else sink.report('', 'block.not-mapping', `${entry.key} must be a mapping of keys to values`, at, 'write the keys below it, indented');
  return null;
}

/**
 * The answer block; null when there is none, which has then been reported.
 * @param isExplicit the file was named as an answer file, so a block is not needed to tell that it is one
 */
export function findBlock(
  root: Tree | null,
  text: string,
  isExplicit: boolean,
  sink: Sink,
): { readonly block: Block | null; readonly hasContent: boolean } {
  if (root?.kind !== 'map') {
    const isText = root !== null && !(root.kind === 'scalar' && root.text.trim() === '');
    if (isText && dialectOf(text, root) === null && isExplicit)
      sink.report(
        '',
        'file.not-mapping',
        `${NO_CONTENT}: the file is ${root.kind === 'list' ? 'a list' : 'a text'}, not keys with values`,
        { start: root.start, end: root.start },
        'write one "key: value" a line',
      );
    else reportMissing(root, text, sink);
    return { block: null, hasContent: false };
  }
  const wrapped = root.entries.filter((entry) => WRAPPERS.some((name) => name === entry.key));
  const [first, second] = wrapped;
  if (first) {
    reportDoubles({ ...root, entries: root.entries.filter((entry) => !entry.key?.startsWith('x-')) }, '', sink);
    if (second && second.key !== first.key)
      sink.report(
        '',
        'block.both',
        `both ${first.key} and ${second.key} are there; only one of the two spellings may be`,
        keySpan(second),
        `keep ${WRAPPERS[0]}`,
      );
    sink.showKey(keySpan(first));
    reportBeside(root, first.key ?? WRAPPERS[0], sink);
    return { block: contentOf(first, text, sink), hasContent: true };
  }
  const known = new Set(namesIn(''));
  const isKnown = (map: MapTree): boolean =>
    map.entries.some(
      (entry) => entry.key !== null && (known.has(entry.key) || (entry.key === '<<' && entry.value.kind === 'map' && isKnown(entry.value))),
    );
  if (isExplicit && isKnown(root) && root.tag !== null && root.tag !== MAP_TAG) {
    const tag = /(?:^|\s)(!\S*)\s+(?:&\S+\s+)?$/.exec(text.slice(Math.max(0, root.start - 300), root.start))?.[0].trimStart();
    const start = root.start - (tag?.length ?? 0);
    const at = { start, end: start };
    sink.report('', 'yaml.tag', 'the file has a tag (!...) in front; it must be a plain mapping', at, 'take the tag out');
    return { block: null, hasContent: true };
  }
  if (isExplicit && isKnown(root)) return { block: { map: root, at: { start: root.start, end: root.start } }, hasContent: true };
  reportMissing(root, text, sink);
  return { block: null, hasContent: false };
}
