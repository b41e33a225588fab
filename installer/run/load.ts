/** Answer files and machines named on the command line. */

import { demoMachine } from '#machine/demo-machine.gen.ts';
import { FileError, loadCapture } from '#machine/load-capture.ts';
import { probeMachine } from '#machine/probe.ts';
import type { Answers } from '#model/answers.ts';
import type { Machine } from '#model/machine.ts';
import { loadFile } from '#preseed/ports.ts';
import { type ReadFile, readAnswers } from '#preseed/read.ts';
import { messageOf } from '#system/complain.ts';

/** Cannot go on, for a reason that is the operator's to mend. Each line stands for itself. */
export class Refusal extends Error {
  readonly lines: readonly string[];
  /** 1: refused; 2: a wrong call, or a file that cannot be read. */
  readonly exitCode: 1 | 2;

  constructor(lines: readonly string[], exitCode: 1 | 2 = 1) {
    super(lines.join('\n'));
    this.lines = lines;
    this.exitCode = exitCode;
  }
}

/** @throws Refusal when the file cannot be read, or holds no answers */
export async function readAnswerFile(file: string): Promise<ReadFile> {
  const loaded = await loadFile(file);
  if (!loaded.ok) throw new Refusal([`${file}: ${loaded.why}`], 2);
  const read = readAnswers(loaded.bytes, { file, explicit: true });
  if (!read.hasContent && read.findings.length === 0) throw new Refusal([`${file}: no spatium preseed content`]);
  return read;
}

/**
 * A recorded machine, the one the rehearsal brings along (`demo`), or this one (null).
 * @throws Refusal when the file is no capture, or this machine cannot be looked at
 */
export async function loadMachine(capture: string | null): Promise<Machine> {
  if (capture === 'demo') return demoMachine;
  try {
    return capture === null ? await probeMachine() : await loadCapture(capture);
  } catch (error) {
    const why = messageOf(error);
    throw new Refusal([capture === null ? `this machine: ${why}` : why], error instanceof FileError ? 2 : 1);
  }
}

export const NO_ANSWERS: Answers = {};
