/** Which parts of an ext4 file system mean something, read from dumpe2fs: the rest need not be copied. */
import type { ByteRange } from '#system/copy-ranges.ts';

interface BlockSpan {
  readonly first: number;
  /** Inclusive. */
  readonly last: number;
}

const numberAfter = (text: string, name: string): number => Number(new RegExp(`^${name}:\\s*(\\d+)`, 'm').exec(text)?.[1]);

const spansIn = (list: string): BlockSpan[] =>
  list.split(',').flatMap((part) => {
    const found = /^\s*(\d+)(?:-(\d+))?\s*$/.exec(part);
    return found ? [{ first: Number(found[1]), last: Number(found[2] ?? found[1]) }] : [];
  });

/** The never-used end of a group's inode table. A table marked as zeroed is relied on to be zero, so it has none. */
function unusedTable(group: string, inodesPerGroup: number, inodesPerBlock: number): BlockSpan[] {
  const table = /Inode table at (\d+)-(\d+)/.exec(group);
  const unused = Number(/(\d+) unused inodes/.exec(group)?.[1] ?? 0);
  if (!table || /^Group [^\n]*ITABLE_ZEROED/.test(group)) return [];
  const first = Number(table[1]) + Math.ceil((inodesPerGroup - unused) / inodesPerBlock);
  const last = Number(table[2]);
  return first <= last ? [{ first, last }] : [];
}

/**
 * Byte ranges in use, in order, from the whole output of `dumpe2fs`.
 * Throws when the text is not what it should be: copying too little would make a broken slot.
 */
export function usedRanges(text: string): ByteRange[] {
  const blockBytes = numberAfter(text, 'Block size');
  const blocks = numberAfter(text, 'Block count');
  const inodesPerGroup = numberAfter(text, 'Inodes per group');
  const inodesPerBlock = blockBytes / numberAfter(text, 'Inode size');
  const perGroup = numberAfter(text, 'Blocks per group');
  const groups = text.split(/^(?=Group \d+:)/m).slice(1);
  if (![blockBytes, blocks, inodesPerGroup, inodesPerBlock, perGroup].every((n) => Number.isFinite(n) && n > 0))
    throw new Error('dumpe2fs did not describe the file system');
  if (groups.length !== Math.ceil(blocks / perGroup) || !groups.every((g) => /^ {2}Free blocks:/m.test(g)))
    throw new Error(`dumpe2fs described ${groups.length} of ${Math.ceil(blocks / perGroup)} block groups`);
  const skipped = groups
    .flatMap((g) => [...spansIn(/^ {2}Free blocks: (.*)$/m.exec(g)?.[1] ?? ''), ...unusedTable(g, inodesPerGroup, inodesPerBlock)])
    .sort((a, b) => a.first - b.first);
  const used: ByteRange[] = [];
  let at = 0;
  for (const { first, last } of [...skipped, { first: blocks, last: blocks }]) {
    if (first > at) used.push({ startBytes: at * blockBytes, lengthBytes: (first - at) * blockBytes });
    at = Math.max(at, last + 1);
  }
  return used;
}
