/** The frame in Ink: one component per panel, and nothing that thinks. */
import { Box, Text } from 'ink';
import { memo } from 'react';
import { type Block, composeBlocks } from './layout.ts';
import type { ScreenState, Size } from './screen-state.ts';
import type { Line, Tone } from './style.ts';

interface Look {
  readonly color?: string;
  readonly bold?: boolean;
  readonly inverse?: boolean;
}

const LOOKS: Readonly<Record<Tone, Look>> = {
  plain: {},
  strong: { bold: true },
  quiet: { color: 'gray' },
  good: { color: 'green' },
  warn: { color: 'yellow', bold: true },
  bad: { color: 'red', bold: true },
  info: { color: 'cyan' },
  key: { inverse: true },
};

const Row = ({ spans }: { readonly spans: Line }) => (
  <Text wrap="truncate">
    {spans.length === 0
      ? ' '
      : spans.map((s, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: spans of a row have no identity of their own
          <Text key={i} {...LOOKS[s.tone]}>
            {s.text}
          </Text>
        ))}
  </Text>
);

const sameLines = (a: { readonly block: Block }, b: { readonly block: Block }): boolean =>
  JSON.stringify(a.block.lines) === JSON.stringify(b.block.lines);

/** A panel draws again only when its own lines changed. */
const Panel = memo(
  ({ block }: { readonly block: Block }) => (
    <Box flexDirection="column">
      {block.lines.map((l, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows are places on the screen
        <Row key={i} spans={l} />
      ))}
    </Box>
  ),
  sameLines,
);

export const App = ({ state, size }: { readonly state: ScreenState; readonly size: Size }) => (
  <Box flexDirection="column" width={size.columns} height={size.rows}>
    {composeBlocks(state, size).map((block) => (
      <Panel key={block.id} block={block} />
    ))}
  </Box>
);
