/** Runs the wizard alone in rehearsal, for terminal tests before there is an executable: `wizard-entry MACHINE [ANSWERS]`. */
import fs from 'node:fs';
import { makePlan } from '#installer/plan/make-plan.ts';
import { printPlan } from '#installer/plan/print-plan.ts';
import type { Answers } from '#model/answers.ts';
import { Secret } from '#model/secret.ts';
import { findDisk, identityOf } from '#rules/disks.ts';
import { settle } from '#rules/settle.ts';
import { detectProfile } from '#ui/profile.ts';
import { runWizard } from '../../../installer/wizard-main.tsx';

const [machineFile = '', answersFile] = process.argv.slice(2);
const machine = JSON.parse(fs.readFileSync(machineFile, 'utf8'));
const given = answersFile ? JSON.parse(fs.readFileSync(answersFile, 'utf8')) : {};
/** Leaves are the text of the file, as its reader gives them. */
const asText = (value: unknown): unknown => (typeof value === 'boolean' || typeof value === 'number' ? String(value) : value);
const SECRETS = ['admin_password', 'admin_password_hash', 'pairing_code'];
const answers = Object.fromEntries(
  Object.entries(given).map(([key, value]) => [key, SECRETS.includes(key) ? new Secret(String(value)) : asText(value)]),
) as Answers;

let count = 0;
/** Counted, so that two runs print the same plan. */
const uuids = (): string => `00000000-0000-4000-8000-${String(++count).padStart(12, '0')}`;

function planFor(final: Answers) {
  const disk = findDisk(machine, final.target_disk ?? '');
  if (!disk) throw new Error('No disk is chosen.');
  const mirror = final.mirror_disk === undefined ? null : findDisk(machine, final.mirror_disk);
  count = 0;
  return makePlan({
    settings: settle(final),
    machine,
    target: identityOf(machine, disk.kname),
    mirror: mirror && identityOf(machine, mirror.kname),
    uuids,
    extraKernelWords: [],
    exportedAnswers: '',
  });
}

const result = await runWizard({
  machine,
  answers,
  mode: 'rehearse',
  surroundings: { product: 'SpatiumDDI', version: '0.0.0-dev', now: null, buildDate: null, offeredNtp: [], gatewayAnswers: null },
  terminals: [{ name: 'tty', input: process.stdin, output: process.stdout, profile: detectProfile(process.env) }],
  ports: { makePlan: planFor, printPlan, runPlan: () => Promise.reject(new Error('a rehearsal installs nothing')) },
});
process.exitCode = result.outcome === 'rehearsed' ? 0 : 1;
