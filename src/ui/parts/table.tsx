import { Box, Text } from 'ink';
import { pad, widthOf } from '#ui/text.ts';

export interface TableProps {
  readonly head?: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly width: number;
}

/** Columns as wide as their content; the last one takes what is left and is cut. */
function tableLines({ head, rows, width }: TableProps): string[] {
  const all = head ? [head, ...rows] : rows;
  const count = Math.max(0, ...all.map((row) => row.length));
  const widths = Array.from({ length: count }, (_, column) => Math.max(0, ...all.map((row) => widthOf(row[column] ?? ''))));
  return all.map((row) => {
    let line = '';
    row.forEach((cell, column) => {
      const isLast = column === count - 1;
      line += isLast ? cell : `${pad(cell, widths[column] ?? 0)}  `;
    });
    return pad(line, width).trimEnd();
  });
}

export function Table(props: TableProps) {
  return (
    <Box flexDirection="column">
      {tableLines(props).map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row has no identity but its place
        <Text key={index} wrap="truncate" bold={props.head !== undefined && index === 0}>
          {line === '' ? ' ' : line}
        </Text>
      ))}
    </Box>
  );
}
