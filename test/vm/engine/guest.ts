/**
 * Runs inside a virtual machine as the only program: plans and installs on the machine's own disks with the real engine,
 * then tells the outcome on the serial line. Bundled by bench-vm.ts; `job.json` beside it says what to do.
 */
import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { runPlan } from '#installer/engine/run-plan.ts';
import { makePlan } from '#installer/plan/make-plan.ts';
import { probeMachine } from '#machine/probe.ts';
import type { Settings } from '#model/answers.ts';
import type { Plan } from '#model/plan.ts';
import { Secret } from '#model/secret.ts';
import { findDisk, identityOf } from '#rules/disks.ts';
import { settings as sampleSettings } from '../../unit/plan/samples.ts';

export interface Job {
  /** Paths of the disks: the target, and the mirror's second one. */
  readonly disks: readonly string[];
  readonly squashfs: string;
  readonly settings?: Partial<Settings>;
}

const SAY = 'ENGINE-RESULT ';

async function main(): Promise<void> {
  const job: Job = JSON.parse(fs.readFileSync(path.join(import.meta.dirname, 'job.json'), 'utf8'));
  const machine = await probeMachine();
  const found = job.disks.map((d) => findDisk(machine, d));
  const [target, mirror] = found.map((d) => (d === null ? null : identityOf(machine, d.kname)));
  if (!target) throw new Error(`no disk ${job.disks[0]} here: ${machine.devices.map((d) => d.path).join(' ')}`);
  const settings = sampleSettings({ targetDisk: target.path, mirrorDisk: mirror?.path ?? null, ...job.settings });
  const plan: Plan = makePlan({
    settings,
    machine,
    target,
    mirror: mirror ?? null,
    uuids: () => crypto.randomUUID(),
    extraKernelWords: ['norandmaps', 'mitigations=off'],
    exportedAnswers: '# bench\n',
  });
  const startedMs = performance.now();
  const result = await runPlan(plan, {
    secrets: { adminPassword: new Secret('bench-Passw0rd'), adminPasswordHash: null, pairingCode: null },
    sourceSquashfs: job.squashfs,
    logDir: '/run/spatium-install',
    reprobe: () => probeMachine(),
    onEvent: (e) => {
      if (e.type === 'step') process.stdout.write(`${Math.round((performance.now() - startedMs) / 1000)}s ${e.state} ${e.id}\n`);
    },
  });
  if (result.failure) process.stdout.write(fs.readFileSync('/run/spatium-install/install.log', 'utf8').slice(-6000));
  process.stdout.write(`${SAY}${JSON.stringify({ ...result, seconds: (performance.now() - startedMs) / 1000 })}\n`);
}

main().catch((error: unknown) => {
  process.stdout.write(`${SAY}${JSON.stringify({ ok: false, failure: { message: String(error) } })}\n`);
});
