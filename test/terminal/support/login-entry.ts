/** Gives its own terminal to a login prompt, and says when it has it back. */
import fs from 'node:fs';
import { loginOn } from '#system/tty.ts';

const terminal = fs.readlinkSync('/proc/self/fd/0');
const startedMs = performance.now();
process.on('SIGHUP', () => undefined);
await loginOn(terminal, 'vt220', new AbortController().signal);
fs.writeSync(1, `\r\nback after ${Math.round((performance.now() - startedMs) / 1000)} s\r\n`);
