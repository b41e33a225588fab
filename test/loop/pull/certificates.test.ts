/** A listener with more certificates than a line of HAProxy's file has words for, judged by HAProxy itself. */
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { lbDaemon, lbKind } from '#supervisor/kinds/lb/index.ts';
import { run } from '#system/run.ts';
import { authority } from '../../support/pki.ts';
import { tempDir } from '../../support/temp.ts';

const dir = tempDir();
afterAll(() => fs.rmSync(dir, { recursive: true }));

it.each([1, 200])('%i certificates', async (count) => {
  const places = { statsSocket: path.join(dir, 'stats.sock') };
  const { ca } = authority(dir);
  const pem = `${ca.cert}${ca.key}`;
  const names = Array.from({ length: count }, (_, i) => `c${i}`);
  const preparation = lbKind(places).prepare({
    listeners: [{ name: 'web', address: '127.0.0.1', port: 9443, tls: { certificates: names }, default_backend: 'app' }],
    backends: [{ name: 'app' }],
    certificates: names.map((name) => ({ name, pem })),
  });
  if (!preparation.ok) throw new Error(preparation.message);
  for (const file of preparation.prepared.files('m')) {
    fs.mkdirSync(path.dirname(path.join(dir, file.name)), { recursive: true });
    fs.writeFileSync(path.join(dir, file.name), file.text);
  }
  const nobody = { reload: async () => ({ ok: true }) as const, state: async () => ({ isActive: false, mainPid: null, restarts: null }) };
  expect(await lbDaemon(nobody, run, places).check(dir, [])).toEqual({ ok: true });
});
