import { Box, Text } from 'ink';
import { Lines } from '#ui/parts/lines.tsx';
import { cut, sanitise, wrapAll } from '#ui/text.ts';

export interface DialogProps {
  readonly title: string;
  readonly paragraphs: readonly string[];
  readonly width: number;
  readonly choices: readonly { readonly value: string; readonly label: string }[];
  /** Value of the highlighted choice. */
  readonly selected: string;
}

/** A question over the body. Whoever asks decides the default, which for anything that destroys is No. */
export function Dialog({ title, paragraphs, width, choices, selected }: DialogProps) {
  const inner = width - 4;
  return (
    <Box flexDirection="column" borderStyle="single" width={width} paddingX={1}>
      <Text bold wrap="truncate">
        {cut(title, inner)}
      </Text>
      <Lines lines={[{ text: '' }, ...wrapAll(paragraphs, inner).map((text) => ({ text })), { text: '' }]} />
      <Text wrap="truncate">
        {choices.map((choice) => (
          <Text key={choice.value}>
            <Text inverse={choice.value === selected}>
              {choice.value === selected ? '> ' : '  '}
              {sanitise(choice.label)}{' '}
            </Text>
            {'  '}
          </Text>
        ))}
      </Text>
    </Box>
  );
}
