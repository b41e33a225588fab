import { Text } from 'ink';

/** A bar of `width` cells with the percentage behind it. `fraction` is 0 to 1; null: not known. */
export function Progress({ fraction, width }: { readonly fraction: number | null; readonly width: number }) {
  if (fraction === null) return <Text wrap="truncate">{'░'.repeat(Math.max(0, width - 5))} ?</Text>;
  const cells = Math.max(0, width - 5);
  const done = Math.floor(Math.min(1, Math.max(0, fraction)) * cells);
  const percent = Math.floor(Math.min(1, Math.max(0, fraction)) * 100);
  return (
    <Text wrap="truncate">
      {'█'.repeat(done)}
      {'░'.repeat(cells - done)} {String(percent).padStart(3)}%
    </Text>
  );
}
