import { Text } from 'ink';
import { cut } from '#ui/text.ts';

export interface KeyHint {
  readonly key: string;
  readonly does: string;
}

/** The last row: which keys do what here, most important first; what does not fit is left out whole. */
export function KeyBar({ columns, keys }: { readonly columns: number; readonly keys: readonly KeyHint[] }) {
  const shown: KeyHint[] = [];
  let width = 1;
  for (const hint of keys) {
    const cells = hint.key.length + hint.does.length + 1;
    if (width + cells > columns) continue;
    // Two blanks before the next one.
    width += cells + 2;
    shown.push(hint);
  }
  return (
    <Text wrap="truncate">
      {' '}
      {shown.map((hint, index) => (
        <Text key={hint.key}>
          {index === 0 ? '' : '  '}
          <Text inverse>{cut(hint.key, 12)}</Text> {hint.does}
        </Text>
      ))}
    </Text>
  );
}
