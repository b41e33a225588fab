import { Text } from 'ink';
import { fieldWindow, type TextState } from '#ui/edit.ts';
import { cut, pad } from '#ui/text.ts';
import { SIGNS } from '#ui/theme.ts';

export interface FieldProps {
  readonly label: string;
  readonly labelWidth: number;
  readonly state: TextState;
  readonly focused: boolean;
  readonly faulty: boolean;
  /** Shows a star for each character. */
  readonly secret?: boolean;
  readonly hint?: string;
  /** Cells for the text itself. */
  readonly width: number;
}

/** One line of text with a label. The cursor is a reverse cell, since the terminal's own cursor stays hidden. */
export function Field({ label, labelWidth, state, focused, faulty, secret = false, hint = '', width }: FieldProps) {
  const shown = secret ? { value: '*'.repeat([...state.value].length), cursor: state.cursor } : state;
  // Without the cursor there is nothing to follow: the beginning tells more than the end.
  const { text, cursor } = focused ? fieldWindow(shown, width) : { text: cut(shown.value, width), cursor: 0 };
  const cells = [...pad(text, width)];
  const isEmpty = state.value === '';
  return (
    <Text wrap="truncate">
      {focused ? SIGNS.pointer : ' '} {pad(label, labelWidth)}
      {faulty ? SIGNS.fault : ' '}[
      {focused ? (
        <Text>
          {cells.slice(0, cursor).join('')}
          <Text inverse>{cells[cursor] ?? ' '}</Text>
          {cells.slice(cursor + 1).join('')}
        </Text>
      ) : (
        cells.join('')
      )}
      ]{isEmpty && hint !== '' ? ` ${hint}` : ''}
    </Text>
  );
}
