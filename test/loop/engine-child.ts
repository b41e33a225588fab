/** An installation in a process of its own, so that a test can kill it. Takes one argument: a JSON file that says what to run. */
import fs from 'node:fs';
import { runPlan } from '#installer/engine/run-plan.ts';
import type { Plan } from '#model/plan.ts';
import { Secret } from '#model/secret.ts';
import { type BenchDisk, benchRunner, machineWith } from './bench-disk.ts';

export interface ChildJob {
  readonly plan: Plan;
  readonly disk: Omit<BenchDisk, 'remove'>;
  readonly squashfs: string;
  readonly targetRoot: string;
  readonly logDir: string;
  readonly resume: boolean;
  /** The event at which the process ends itself, as a power cut would. */
  readonly dieAt?: { readonly step: string; readonly state: 'started' | 'done' };
}

const job: ChildJob = JSON.parse(fs.readFileSync(process.argv[2] ?? '', 'utf8'));
const result = await runPlan(job.plan, {
  secrets: { adminPassword: new Secret('first-Passw0rd'), adminPasswordHash: null, pairingCode: null },
  sourceSquashfs: job.squashfs,
  targetRoot: job.targetRoot,
  logDir: job.logDir,
  resume: job.resume,
  reprobe: () => machineWith([{ ...job.disk, remove: () => undefined }]),
  onEvent: (e) => {
    if (e.type !== 'step') return;
    fs.writeSync(1, `${e.state} ${e.id}\n`);
    if (e.id === job.dieAt?.step && e.state === job.dieAt.state) process.kill(process.pid, 'SIGKILL');
  },
  runner: benchRunner(),
});
process.stdout.write(`result ${JSON.stringify(result)}\n`);
