/** The disk picker that the README shows is what the rehearsal of a clone shows. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { REPO } from '../../support/program.ts';
import { KEYS } from '../support/pty.ts';
import { startWizard } from '../support/wizard.ts';

it('the README shows the disk picker as the wizard does', async () => {
  const readme = fs.readFileSync(path.join(REPO, 'README.md'), 'utf8');
  const picture = /The disk picker of the rehearsal, 80x24.*\n\n```\n([\s\S]*?)```/.exec(readme)?.[1]?.trimEnd().split('\n') ?? [];
  const pty = startWizard({ machine: path.join(REPO, 'test/fixtures/machines/two-disks-uefi.json') });
  onTestFinished(() => pty.close());
  const steps = [
    ['Welcome', KEYS.enter],
    ['What this machine has', KEYS.enter],
    ['Keyboard', `${KEYS.enter}${KEYS.enter}`],
    ['Role of this machine', KEYS.enter],
  ] as const;
  for (const [title, keys] of steps) {
    await pty.waitFor(new RegExp(`^ ${title} `));
    pty.send(keys);
  }
  await pty.waitFor(/^ Disk to install on [\s\S]*Known as/);
  expect(pty.grid().map((row) => row.trimEnd())).toEqual(picture);
});
