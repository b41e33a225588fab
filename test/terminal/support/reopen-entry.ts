/** Takes its own terminal, gives it back, and takes it again, as around a login or a shell; then says which keys come. */
import { setTimeout as pause } from 'node:timers/promises';
import { detectProfile } from '#ui/profile.ts';
import { openTerminal } from '#ui/terminal/terminal.ts';

const COOKED_MS = 200;
const { stdin, stdout } = process;

for (const turn of ['first', 'second', 'third']) {
  const terminal = await openTerminal(stdin, stdout, detectProfile(process.env));
  stdout.write(`\r\n${turn} turn, raw ${stdin.isRaw}\r\n`);
  const key = await new Promise<string>((resolve) => {
    terminal.input.once('key', ({ name, text }) => resolve(`${name}${text}`));
  });
  terminal.close();
  stdout.write(`\r\n${turn} key ${key}\r\n`);
  await pause(COOKED_MS);
}
