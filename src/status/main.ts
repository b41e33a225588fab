/** `spatium status`: what the supervisor knows, for people and for scripts. */

import { parseArgs } from 'node:util';
import type { RunFace } from '#model/host.ts';
import { isRecord, parseJson } from '#model/json.ts';
import { PATHS } from '#model/limits.ts';
import type { Verdict } from '#model/status.ts';
import { complain, messageOf } from '#system/complain.ts';
import { followStatus } from './client.ts';
import { applyFrame, type ClientModel, clientVerdict, clientView, EMPTY_MODEL } from './client-model.ts';
import { type Answer, getOnce } from './pull.ts';
import { plainJson } from './sanitise.ts';
import { statusText } from './text.ts';
import { EMPTY_MEMORY } from './verdict.ts';

const USAGE = `usage: spatium status [--format text|json] [--watch] [--socket PATH]

The level is the worse of what the supervisor says and what its readings, as old as they are, amount to.

exit status: 0 HEALTHY, 1 DEGRADED, 2 CRITICAL, 3 UNKNOWN, 4 no supervisor or too busy, 64 wrong usage
`;

const EXIT = { HEALTHY: 0, DEGRADED: 1, CRITICAL: 2, UNKNOWN: 3 } as const;
const NO_SUPERVISOR = 4;
const WRONG_USAGE = 64;

const BUSY_TRIES = 4;
const BUSY_PAUSE_MS = 1000;

/** The snapshot; a supervisor that is busy is asked again for a few seconds. */
async function ask(socket: string): Promise<Answer> {
  for (let tries = 1; ; tries += 1) {
    const answer = await getOnce(socket, '/v1/status');
    if (answer.ok || !answer.isBusy || tries >= BUSY_TRIES) return answer;
    await new Promise((resolve) => setTimeout(resolve, BUSY_PAUSE_MS));
  }
}

async function once(socket: string, format: string): Promise<number> {
  const answer = await ask(socket);
  if (!answer.ok) {
    const what = answer.isBusy ? `${socket}: ${answer.why}, too many clients` : `no supervisor on ${socket}: ${answer.why}`;
    complain(`spatium status: ${what}\n`);
    return NO_SUPERVISOR;
  }
  const nowMs = performance.now();
  const body = parseJson(answer.body);
  const applied = isRecord(body)
    ? applyFrame(EMPTY_MODEL, { ...body, t: 'snapshot', seq: 1 }, nowMs)
    : { ok: false as const, why: 'the answer is not a JSON object' };
  if (!applied.ok) {
    complain(`spatium status: ${socket} does not speak the status protocol: ${applied.why}\n`);
    return NO_SUPERVISOR;
  }
  const { verdict } = clientVerdict(applied.model, nowMs, EMPTY_MEMORY);
  if (format === 'json') process.stdout.write(`${JSON.stringify({ ...(plainJson(body) as object), verdict })}\n`);
  else process.stdout.write(statusText(clientView(applied.model, nowMs), verdict, Date.now()));
  return EXIT[verdict.level];
}

/** Prints every change until interrupted. */
function watch(socket: string, format: string): Promise<number> {
  return new Promise((resolve) => {
    let last: ClientModel = EMPTY_MODEL;
    let memory = EMPTY_MEMORY;
    const judge = (model: ClientModel): Verdict => {
      const judged = clientVerdict(model, performance.now(), memory);
      memory = judged.memory;
      return judged.verdict;
    };
    let shown = '';
    let complained = '';
    const print = (model: ClientModel, isNews: boolean): void => {
      const verdict = judge(model);
      // Readings age without any frame that says so.
      const key = JSON.stringify([verdict.level, verdict.unknown_sections]);
      if (!isNews && key === shown) return;
      shown = key;
      if (format === 'text') process.stdout.write(`${statusText(clientView(model, performance.now()), verdict, Date.now())}\n`);
      else process.stdout.write(`${JSON.stringify({ verdict, sections: model.sections })}\n`);
    };
    const client = followStatus({
      socket,
      monoMs: () => performance.now(),
      now: () => new Date().toISOString(),
      minIntervalMs: 1000,
      onModel: (model) => {
        if (model.instance !== last.instance) memory = EMPTY_MEMORY;
        const isPing = model.sections === last.sections && model.verdict === last.verdict;
        last = model;
        print(model, !isPing);
      },
      onLink: (link) => {
        const why = link.state === 'lost' ? link.why : '';
        // Every attempt tells it anew; once is enough for the reader.
        if (why !== '' && why !== complained) complain(`supervisor not available: ${why}\n`);
        if (link.state !== 'connecting') complained = why;
      },
    });
    process.once('SIGINT', () => {
      client.stop();
      resolve(last.seq === null ? NO_SUPERVISOR : EXIT[judge(last).level]);
    });
  });
}

export const run: RunFace = async (argv) => {
  let values: { format?: string | undefined; watch?: boolean | undefined; socket?: string | undefined; help?: boolean | undefined };
  try {
    ({ values } = parseArgs({
      args: [...argv],
      options: { format: { type: 'string' }, watch: { type: 'boolean' }, socket: { type: 'string' }, help: { type: 'boolean' } },
    }));
  } catch (error) {
    complain(`spatium status: ${messageOf(error)}\n${USAGE}`);
    return WRONG_USAGE;
  }
  if (values.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const format = values.format ?? 'text';
  if (format !== 'text' && format !== 'json') {
    complain(`spatium status: --format is text or json, not "${format}"\n${USAGE}`);
    return WRONG_USAGE;
  }
  const socket = values.socket ?? PATHS.statusSocket;
  if (socket === '') {
    process.stderr.write(`spatium status: --socket wants a path\n${USAGE}`);
    return WRONG_USAGE;
  }
  return values.watch ? watch(socket, format) : once(socket, format);
};
