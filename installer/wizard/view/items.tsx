import { Box, Text } from 'ink';
import { draftValue, focusedItem, matching, queryId } from '#installer/wizard/draft.ts';
import { isAbout } from '#installer/wizard/judging.ts';
import type { Draft, Item, Option } from '#installer/wizard/types.ts';
import type { Finding } from '#model/finding.ts';
import { Field } from '#ui/parts/field.tsx';
import { Radio, Toggle } from '#ui/parts/radio.tsx';
import { SelectList } from '#ui/parts/select-list.tsx';
import { cut } from '#ui/text.ts';

export interface ItemsProps {
  readonly items: readonly Item[];
  readonly draft: Draft;
  readonly findings: readonly Finding[];
  readonly listRows: Readonly<Record<string, number>>;
  readonly width: number;
}

const LABEL_MAX = 24;
const FIELD_MAX = 40;

const optionsOf = (options: readonly Option[]) =>
  options.map((option) => ({
    value: option.value,
    label: option.label,
    ...(option.tail === undefined ? {} : { tail: option.tail }),
    refused: option.refused !== undefined,
    ...(option.mark === undefined ? {} : { mark: option.mark }),
  }));

interface OneItemProps extends Omit<ItemsProps, 'items'> {
  readonly item: Item;
  readonly labelWidth: number;
}

function OneItem({ item, draft, findings, listRows, width, labelWidth }: OneItemProps) {
  const focused = draft.focus === item.id;
  const value = draftValue(draft, item.id);
  const state = { value, cursor: draft.cursors[item.id] ?? [...value].length };
  switch (item.kind) {
    case 'text': {
      const faulty = item.path !== null && findings.some((finding) => isAbout(finding, item.path ?? ''));
      const room = Math.min(FIELD_MAX, width - labelWidth - 6);
      return (
        <Field
          label={item.label}
          labelWidth={labelWidth}
          state={state}
          focused={focused}
          faulty={faulty}
          secret={item.secret ?? false}
          hint={cut(item.hint ?? '', width - labelWidth - room - 8)}
          width={room}
        />
      );
    }
    case 'radio':
      return <Radio label={item.label} labelWidth={labelWidth} options={item.options} selected={value} focused={focused} />;
    case 'toggle':
      return <Toggle label={item.label} on={value === 'true'} focused={focused} />;
    case 'list':
      return (
        <Box flexDirection="column">
          {item.head === undefined ? null : (
            <Text wrap="truncate" bold>
              {cut(item.head, width)}
            </Text>
          )}
          <SelectList options={optionsOf(item.options)} selected={value} focused={focused} rows={listRows[item.id] ?? 1} width={width} />
        </Box>
      );
    case 'search': {
      const query = draftValue(draft, queryId(item.id));
      const found = matching(item.options, query);
      return (
        <Box flexDirection="column">
          <Field
            label={item.label}
            labelWidth={labelWidth}
            state={{ value: query, cursor: draft.cursors[queryId(item.id)] ?? [...query].length }}
            focused={focused}
            faulty={found.length === 0}
            hint={`${found.length} match`}
            width={30}
          />
          <SelectList options={optionsOf(found)} selected={value} focused={focused} rows={listRows[item.id] ?? 1} width={width} />
        </Box>
      );
    }
  }
}

/** The items of a screen, labels aligned. */
export function Items(props: ItemsProps) {
  // What keys go to, also when the item that had the focus is gone.
  const focus = focusedItem(props.draft, props.items)?.id ?? '';
  const draft = { ...props.draft, focus };
  const labels = props.items.filter((item) => item.kind !== 'list' && item.kind !== 'toggle').map((item) => item.label.length);
  const labelWidth = Math.min(LABEL_MAX, Math.max(0, ...labels));
  return (
    <Box flexDirection="column">
      {props.items.map((item) => (
        <OneItem key={item.id} {...props} draft={draft} item={item} labelWidth={labelWidth} />
      ))}
    </Box>
  );
}
