import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { readInstallOptions } from '#installer/run/options.ts';
import { rehearse } from '#installer/run/rehearse.ts';
import type { Host } from '#model/host.ts';
import { SERVER } from '../support/wizard.ts';

const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'rehearse-'));
afterAll(() => fs.rmSync(dir, { recursive: true, force: true }));

const STARTED = 'the dialogue was started';
const host: Host = { program: 'spatium-install', version: '0.0.0', load: () => Promise.reject(new Error(STARTED)) } as unknown as Host;

function rehearsed(text: string): Promise<number> {
  const file = path.join(dir, 'spatium-preseed.yaml');
  fs.writeFileSync(file, text);
  return rehearse(readInstallOptions(['--rehearse', '--machine', SERVER, '--preseed', file]), host);
}

it.each([
  ['a value that no rule takes', 'role: worker\nhostname: a.b\n', /yaml:1:7: .*\n.*yaml:2:11: .*first label/],
  ['a key twice', 'hostname: a\nhostname: b\n', /yaml:2:1: /],
])('a rehearsal stops where the medium would: %s', async (_, text, told) => {
  await expect(rehearsed(text)).rejects.toThrow(told);
});

it.each([
  ['a disk that this machine does not have', 'hostname: a\ntarget_disk: /dev/disk/by-id/wwn-0x1\n'],
  ['an answer that is missing', 'role: appliance\n'],
])('and asks about %s', async (_, text) => {
  await expect(rehearsed(text)).rejects.toThrow(STARTED);
});
