import { Box, Text } from 'ink';
import { sanitise } from '#ui/text.ts';
import { lookOf, type Tone } from '#ui/theme.ts';

export interface Line {
  readonly text: string;
  readonly tone?: Tone;
}

/** Ready-made lines, one a row; the caller has wrapped and cut them. Whatever they hold, no text makes a second row. */
export function Lines({ lines }: { readonly lines: readonly Line[] }) {
  return (
    <Box flexDirection="column">
      {lines.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row has no identity but its place
        <Text key={index} wrap="truncate" {...lookOf(line.tone ?? 'plain')}>
          {line.text === '' ? ' ' : sanitise(line.text)}
        </Text>
      ))}
    </Box>
  );
}
