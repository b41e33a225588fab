import { Box, Text } from 'ink';
import { listWindow } from '#ui/edit.ts';
import { cut, cutMiddle, pad, widthOf } from '#ui/text.ts';
import { SIGNS } from '#ui/theme.ts';

export interface SelectOption {
  readonly value: string;
  readonly label: string;
  /** Last column, shortened in its middle. */
  readonly tail?: string;
  /** Shown after the label, and the option cannot be taken; the reason stands elsewhere. */
  readonly refused?: boolean;
  /** Highlighted cells of the label; left out: all of it. */
  readonly mark?: number;
}

export interface SelectListProps {
  readonly options: readonly SelectOption[];
  /** Value of the highlighted option; any other value: none is. */
  readonly selected: string;
  readonly focused: boolean;
  readonly rows: number;
  readonly width: number;
}

/** A list with one row highlighted. A list longer than its rows shows pages, and says which rows these are. */
export function SelectList({ options, selected, focused, rows, width }: SelectListProps) {
  const index = options.findIndex((option) => option.value === selected);
  const isPaged = options.length > rows;
  const { start, end } = listWindow(Math.max(0, index), options.length, isPaged ? Math.max(1, rows - 1) : rows);
  return (
    <Box flexDirection="column">
      {options.slice(start, end).map((option, offset) => {
        const isHere = start + offset === index;
        const room = width - 2;
        const tail = option.tail === undefined ? '' : cutMiddle(option.tail, Math.max(0, room - widthOf(option.label)));
        const text = pad(option.label + tail, room).trimEnd();
        const mark = option.mark ?? text.length;
        return (
          <Text key={option.value} wrap="truncate">
            {isHere ? `${focused ? SIGNS.pointer : SIGNS.kept} ` : '  '}
            <Text inverse={isHere && focused} {...(option.refused ? { color: 'red' } : {})}>
              {text.slice(0, mark)}
            </Text>
            {text.slice(mark)}
          </Text>
        );
      })}
      {isPaged ? <Text wrap="truncate">{cut(`  ${start + 1}-${end} of ${options.length}`, width)}</Text> : null}
    </Box>
  );
}
