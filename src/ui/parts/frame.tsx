import { Box, Text } from 'ink';
import type { ReactNode } from 'react';
import { KeyBar, type KeyHint } from '#ui/parts/key-bar.tsx';
import { cut, pad, widthOf } from '#ui/text.ts';

export interface FrameProps {
  readonly columns: number;
  readonly rows: number;
  readonly title: string;
  /** Right end of the first row: product and version, or where the operator is. */
  readonly corner: string;
  readonly keys: readonly KeyHint[];
  readonly children: ReactNode;
}

/** Rows that a frame takes from the terminal: title, rule, rule, keys. */
export const FRAME_ROWS = 4;
/** Blank columns left and right of the body. */
export const FRAME_MARGIN = 2;

/** Title, body and keys over the whole terminal. */
export function Frame({ columns, rows, title, corner, keys, children }: FrameProps) {
  const rightText = cut(corner, Math.max(0, columns - 20));
  const left = pad(cut(` ${title}`, Math.max(0, columns - widthOf(rightText) - 3)), Math.max(0, columns - widthOf(rightText) - 1));
  const rule = '─'.repeat(columns);
  return (
    <Box flexDirection="column" width={columns} height={rows}>
      <Text wrap="truncate" bold>
        {left}
        {rightText}
      </Text>
      <Text wrap="truncate">{rule}</Text>
      <Box flexDirection="column" height={rows - FRAME_ROWS} paddingX={FRAME_MARGIN} overflow="hidden">
        {children}
      </Box>
      <Text wrap="truncate">{rule}</Text>
      <KeyBar columns={columns} keys={keys} />
    </Box>
  );
}

export interface TooSmallProps {
  readonly columns: number;
  readonly rows: number;
  /** `80x24`. */
  readonly needed: string;
  /** What keys do meanwhile. */
  readonly keys?: string;
}

/** Instead of a torn picture. */
export function TooSmall({ columns, rows, needed, keys = '' }: TooSmallProps) {
  return (
    <Box width={columns} height={rows}>
      <Text wrap="wrap">
        This terminal is {columns}x{rows}; the screens need {needed}. {keys}
      </Text>
    </Box>
  );
}
