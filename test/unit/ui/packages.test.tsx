/** Why menus and fields are our own (docs/decisions/0009): keys that arrive in one read, as on a slow line. Fails when the packages learn it. */
import { EventEmitter } from 'node:events';
import { render } from 'ink';
import SelectInput from 'ink-select-input';
import TextInput from 'ink-text-input';
import { type ReactElement, useState } from 'react';
import { describe, expect, it } from 'vitest';
import { editText, moveInList } from '#ui/edit.ts';
import { detectProfile } from '#ui/profile.ts';
import { type RawInput, TtyInput } from '#ui/terminal/input.ts';
import { decodeKeys } from '#ui/terminal/keys.ts';
import { Screen } from '#ui/terminal/screen.ts';
import { waitFor } from '../../support/wait-for.ts';

/** On a busy machine a turn takes its time. */
const until = (check: () => boolean): Promise<void> => waitFor(check, 'it is drawn');
const idle = () => undefined;

/** Draws with our terminal front end; `type` is one read from the line, taken when `done` is true. */
async function mount(node: ReactElement) {
  const out = Object.assign(new EventEmitter(), {
    columns: 80,
    rows: 24,
    write: (_: string, done?: () => void) => {
      if (done) setImmediate(done);
      return true;
    },
  });
  const line = Object.assign(new EventEmitter(), { setEncoding: idle, pause: idle, resume: idle });
  const screen = new Screen(out, { profile: detectProfile({ TERM: 'linux' }) });
  const input = new TtyInput(line as unknown as RawInput);
  const ink = render(node, {
    stdout: screen as unknown as NodeJS.WriteStream,
    stdin: input as unknown as NodeJS.ReadStream,
    debug: true,
    interactive: true,
    patchConsole: false,
    exitOnCtrlC: false,
  });
  await until(() => input.listenerCount('readable') > 0);
  return {
    type: (bytes: string, done: () => boolean) => {
      line.emit('data', bytes);
      return until(done);
    },
    close: () => ink.unmount(),
  };
}

function Typed({ onText }: { readonly onText: (text: string) => void }) {
  const [text, setText] = useState('');
  const onChange = (next: string): void => {
    onText(next);
    setText(next);
  };
  return <TextInput value={text} onChange={onChange} onSubmit={(final) => onText(`submitted ${final}`)} />;
}

const keysOf = (bytes: string) => decodeKeys(bytes, true).events.flatMap((e) => (e.key ? [e.key] : []));

describe('Down and Enter in one read', () => {
  it('ink-select-input takes the entry above the one that was meant, and a digit takes one at once', async () => {
    const taken: string[] = [];
    const items = ['a', 'b', 'c'].map((value) => ({ label: value, value }));
    const list = await mount(<SelectInput items={items} onSelect={(item) => taken.push(item.value)} />);
    await list.type('\x1b[B\r', () => taken.length === 1);
    await list.type('3', () => taken.length === 2);
    list.close();
    expect(taken).toEqual(['a', 'c']);
  });
  it('ours moves first', () => {
    let at = 0;
    for (const key of keysOf('\x1b[B\x1b[B\r')) at = moveInList(at, 3, key) ?? at;
    expect(at).toBe(2);
  });
});

describe('the last letter and Enter in one read', () => {
  it('ink-text-input puts the line end and control characters into the text', async () => {
    let value = '';
    const field = await mount(
      <Typed
        onText={(text) => {
          value = text;
        }}
      />,
    );
    await field.type('pw\x15', () => value === 'pw\x15');
    await field.type('x\r', () => value.length > 3);
    field.close();
    expect(value).toBe('pw\x15x\r');
  });
  it('ours keeps them out', () => {
    let state = { value: '', cursor: 0 };
    for (const key of keysOf('ab\x15x\r')) state = editText(state, key) ?? state;
    expect(state.value).toBe('x');
  });
});
