/** What keys do to a draft. Pure; knows items, not screens. */

import type { Draft, Item, Option } from '#installer/wizard/types.ts';
import { editText, moveInList } from '#ui/edit.ts';
import type { Key } from '#ui/terminal/keys.ts';

const lengthOf = (text: string): number => [...text].length;

/** A fresh draft with the cursor behind every text. */
export function newDraft(values: Readonly<Record<string, string>>, focus: string): Draft {
  const cursors = Object.fromEntries(Object.entries(values).map(([id, value]) => [id, lengthOf(value)]));
  return { values, cursors, focus, tried: [], agreed: [] };
}

export const draftValue = (draft: Draft, id: string): string => draft.values[id] ?? '';

/** A changed value needs its questions asked again. */
export function setValue(draft: Draft, id: string, value: string, cursor: number = lengthOf(value)): Draft {
  if (draft.values[id] === value && draft.cursors[id] === cursor) return draft;
  const agreed = draft.values[id] === value ? draft.agreed : [];
  return { ...draft, values: { ...draft.values, [id]: value }, cursors: { ...draft.cursors, [id]: cursor }, agreed };
}

/** Text that narrows a `search` item. */
export const queryId = (id: string): string => `${id}.query`;

/** Options whose label holds every word of the query, ignoring case and `_`. */
export function matching(options: readonly Option[], query: string): readonly Option[] {
  const words = query
    .toLowerCase()
    .replaceAll('_', ' ')
    .split(/\s+/)
    .filter((word) => word !== '');
  if (words.length === 0) return options;
  return options.filter((option) => {
    const label = option.label.toLowerCase().replaceAll('_', ' ');
    return words.every((word) => label.includes(word));
  });
}

export const focusedItem = (draft: Draft, items: readonly Item[]): Item | undefined =>
  items.find((item) => item.id === draft.focus) ?? items[0];

/** The draft with the focus one item on; null at the end. */
export function moveFocus(draft: Draft, items: readonly Item[], step: 1 | -1): Draft | null {
  const index = items.findIndex((item) => item.id === focusedItem(draft, items)?.id);
  const next = items[index + step];
  return next ? { ...draft, focus: next.id } : null;
}

function moveOption(draft: Draft, id: string, options: readonly Option[], key: Key): Draft | null {
  const index = options.findIndex((option) => option.value === draftValue(draft, id));
  // Nothing is highlighted yet: the first move shows the first row.
  const next = index < 0 && (key.name === 'up' || key.name === 'down') ? 0 : moveInList(Math.max(0, index), options.length, key);
  const option = next === null ? undefined : options[next];
  return option ? setValue(draft, id, option.value) : null;
}

function typeAhead(draft: Draft, id: string, options: readonly Option[], key: Key): Draft | null {
  if (key.name !== 'text' || key.alt) return null;
  const letter = key.text.toLowerCase();
  const index = options.findIndex((option) => option.value === draftValue(draft, id));
  const order = [...options.slice(index + 1), ...options.slice(0, index + 1)];
  const found = order.find((option) => option.label.toLowerCase().startsWith(letter));
  return found ? setValue(draft, id, found.value) : draft;
}

function editItemText(draft: Draft, id: string, key: Key): Draft | null {
  const value = draftValue(draft, id);
  const edited = editText({ value, cursor: draft.cursors[id] ?? lengthOf(value) }, key);
  return edited ? setValue(draft, id, edited.value, edited.cursor) : null;
}

function turnRadio(draft: Draft, item: Extract<Item, { kind: 'radio' }>, key: Key): Draft | null {
  const step = key.name === 'left' ? -1 : key.name === 'right' || (key.name === 'text' && key.text === ' ') ? 1 : 0;
  if (step === 0) return typeAhead(draft, item.id, item.options, key);
  const index = item.options.findIndex((option) => option.value === draftValue(draft, item.id));
  const next = item.options[(index + step + item.options.length) % item.options.length];
  return next ? setValue(draft, item.id, next.value) : null;
}

function searchItem(draft: Draft, item: Extract<Item, { kind: 'search' }>, key: Key): Draft | null {
  const moved = moveOption(draft, item.id, matching(item.options, draftValue(draft, queryId(item.id))), key);
  if (moved) return moved;
  const edited = editItemText(draft, queryId(item.id), key);
  if (!edited) return null;
  const found = matching(item.options, draftValue(edited, queryId(item.id)));
  const typed = draftValue(edited, queryId(item.id)).trim().toLowerCase();
  const exact = found.find((option) => option.value.toLowerCase() === typed);
  if (exact) return setValue(edited, item.id, exact.value);
  const isStillThere = found.some((option) => option.value === draftValue(edited, item.id));
  return isStillThere ? edited : setValue(edited, item.id, found[0]?.value ?? '');
}

/** The draft after a key on the focused item; null when the item has no use for the key. */
export function editItem(draft: Draft, item: Item, key: Key): Draft | null {
  switch (item.kind) {
    case 'text':
      return editItemText(draft, item.id, key);
    case 'list':
      return moveOption(draft, item.id, item.options, key) ?? typeAhead(draft, item.id, item.options, key);
    case 'radio':
      return turnRadio(draft, item, key);
    case 'toggle':
      if (key.name !== 'text' || key.text !== ' ') return null;
      return setValue(draft, item.id, draftValue(draft, item.id) === 'true' ? 'false' : 'true');
    case 'search':
      return searchItem(draft, item, key);
  }
}
