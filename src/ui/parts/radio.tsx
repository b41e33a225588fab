import { Text } from 'ink';
import { pad, sanitise } from '#ui/text.ts';
import { SIGNS } from '#ui/theme.ts';

export interface RadioProps {
  readonly label: string;
  readonly labelWidth: number;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly selected: string;
  readonly focused: boolean;
}

/** A few choices in one row. */
export function Radio({ label, labelWidth, options, selected, focused }: RadioProps) {
  return (
    <Text wrap="truncate">
      {focused ? SIGNS.pointer : ' '} {pad(label, labelWidth)}{' '}
      {options.map((option) => {
        const isChosen = option.value === selected;
        return (
          <Text key={option.value}>
            <Text inverse={focused && isChosen}>
              {isChosen ? SIGNS.chosen : SIGNS.unchosen} {sanitise(option.label)}
            </Text>
            {'  '}
          </Text>
        );
      })}
    </Text>
  );
}

/** Yes or no, as a tick box. */
export function Toggle({ label, on, focused }: { readonly label: string; readonly on: boolean; readonly focused: boolean }) {
  return (
    <Text wrap="truncate">
      {focused ? SIGNS.pointer : ' '} <Text inverse={focused}>{on ? SIGNS.checked : SIGNS.unchecked}</Text> {sanitise(label)}
    </Text>
  );
}
