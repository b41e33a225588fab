/**
 * Runs inside a virtual machine as the only program: plans and installs on the machine's own disks with the real engine,
 * then tells the outcome on the serial line. Bundled by bench-vm.ts; `job.json` beside it says what to do.
 */
import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { continueFrom, findInterrupted, type Interrupted } from '#installer/engine/interrupted.ts';
import { runPlan } from '#installer/engine/run-plan.ts';
import { makePlan } from '#installer/plan/make-plan.ts';
import { probeMachine } from '#machine/probe.ts';
import type { Settings } from '#model/answers.ts';
import type { Machine } from '#model/machine.ts';
import type { Plan } from '#model/plan.ts';
import { Secret } from '#model/secret.ts';
import { findDisk, identityOf } from '#rules/disks.ts';
import { settings as sampleSettings } from '../../unit/plan/samples.ts';
import { BENCH_PASSWORD, TEST_WORDS } from '../lib/words.ts';

export interface Job {
  /** Paths of the disks: the target, and the mirror's second one. */
  readonly disks: readonly string[];
  readonly squashfs: string;
  readonly settings?: Partial<Settings>;
  /** Look for an installation that was cut short, and go on with it. */
  readonly goOn?: boolean;
}

const SAY = 'ENGINE-RESULT ';
const LOG_DIR = '/run/spatium-install';

function planFor(job: Job, machine: Machine): Plan {
  const found = job.disks.map((d) => findDisk(machine, d));
  const [target, mirror] = found.map((d) => (d === null ? null : identityOf(machine, d.kname)));
  if (!target) throw new Error(`no disk ${job.disks[0]} here: ${machine.devices.map((d) => d.path).join(' ')}`);
  return makePlan({
    settings: sampleSettings({ targetDisk: target.path, mirrorDisk: mirror?.path ?? null, setRootPassword: true, ...job.settings }),
    machine,
    target,
    mirror: mirror ?? null,
    uuids: () => crypto.randomUUID(),
    // Login prompts instead of the console: the test types commands.
    extraKernelWords: [...TEST_WORDS, 'spatium-console=off'],
    exportedAnswers: '# bench\n',
  });
}

/** As the installer does at its start: STATE partitions and mirrors of the disks that are there. */
async function interruptedOn(machine: Machine): Promise<Interrupted | null> {
  for (const device of machine.devices) {
    const isState = device.fsType === 'ext4' && (device.partLabel === 'state' || device.fsLabel === 'state');
    const found = isState ? await findInterrupted(device.path, '/run/peek') : null;
    if (found !== null) return found;
  }
  return null;
}

async function main(): Promise<void> {
  const job: Job = JSON.parse(fs.readFileSync(path.join(import.meta.dirname, 'job.json'), 'utf8'));
  const machine = await probeMachine();
  const interrupted = job.goOn ? await interruptedOn(machine) : null;
  if (interrupted !== null) {
    process.stdout.write(`going on at: ${interrupted.stoppedAt}\n`);
    await continueFrom(interrupted, LOG_DIR);
  }
  const plan = interrupted?.plan ?? planFor(job, machine);
  const startedMs = performance.now();
  const result = await runPlan(plan, {
    secrets: { adminPassword: new Secret(BENCH_PASSWORD), adminPasswordHash: null, pairingCode: null },
    sourceSquashfs: job.squashfs,
    logDir: LOG_DIR,
    resume: interrupted !== null,
    reprobe: () => probeMachine(),
    onEvent: (e) => {
      if (e.type === 'step') process.stdout.write(`${Math.round((performance.now() - startedMs) / 1000)}s ${e.state} ${e.id}\n`);
    },
  });
  if (result.failure) process.stdout.write(fs.readFileSync(`${LOG_DIR}/install.log`, 'utf8').slice(-6000));
  const facts = {
    seconds: (performance.now() - startedMs) / 1000,
    wentOnAt: interrupted?.stoppedAt ?? null,
    uuids: plan.filesystemUuids,
    partUuids: Object.fromEntries((plan.disks[0]?.partitions ?? []).map((p) => [p.id, p.partUuid])),
  };
  process.stdout.write(`\n${SAY}${JSON.stringify({ ...result, ...facts })}\n`);
}

main().catch((error: unknown) => {
  process.stdout.write(`\n${SAY}${JSON.stringify({ ok: false, failure: { message: String(error) }, checks: [], warnings: [] })}\n`);
});
