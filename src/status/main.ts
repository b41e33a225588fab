/** `spatium status`: what the supervisor knows, for people and for scripts. */

import { parseArgs } from 'node:util';
import type { RunFace } from '#model/host.ts';
import { PATHS } from '#model/limits.ts';
import { complain } from '#system/complain.ts';
import { followStatus } from './client.ts';
import { applyFrame, type ClientModel, clientView, EMPTY_MODEL } from './client-model.ts';
import { getOnce } from './pull.ts';
import { statusText } from './text.ts';

const USAGE = `usage: spatium status [--format text|json] [--watch] [--socket PATH]

exit status: 0 HEALTHY, 1 DEGRADED, 2 CRITICAL, 3 UNKNOWN, 4 no supervisor, 64 wrong usage
`;

const EXIT = { HEALTHY: 0, DEGRADED: 1, CRITICAL: 2, UNKNOWN: 3 } as const;
const NO_SUPERVISOR = 4;
const WRONG_USAGE = 64;

async function once(socket: string, format: string): Promise<number> {
  const answer = await getOnce(socket, '/v1/status');
  if (!answer.ok) {
    complain(`spatium status: no supervisor on ${socket}: ${answer.why}\n`);
    return NO_SUPERVISOR;
  }
  if (format === 'json') process.stdout.write(answer.body);
  const nowMs = performance.now();
  const applied = applyFrame(EMPTY_MODEL, { t: 'snapshot', seq: 1, ...(JSON.parse(answer.body) as object) }, nowMs);
  if (!applied.ok) {
    complain(`spatium status: ${socket} does not speak the status protocol: ${applied.why}\n`);
    return NO_SUPERVISOR;
  }
  if (format === 'text') process.stdout.write(statusText(clientView(applied.model, nowMs), applied.model.verdict));
  return EXIT[applied.model.verdict?.level ?? 'UNKNOWN'];
}

/** Prints every change until interrupted. */
function watch(socket: string, format: string): Promise<number> {
  return new Promise((resolve) => {
    let last: ClientModel = EMPTY_MODEL;
    const print = (model: ClientModel): void => {
      const view = clientView(model, performance.now());
      if (format === 'text') process.stdout.write(`${statusText(view, model.verdict)}\n`);
      else process.stdout.write(`${JSON.stringify({ verdict: model.verdict, sections: model.sections })}\n`);
    };
    const client = followStatus({
      socket,
      monoMs: () => performance.now(),
      now: () => new Date().toISOString(),
      minIntervalMs: 1000,
      onModel: (model) => {
        const isPing = model.sections === last.sections && model.verdict === last.verdict;
        last = model;
        if (!isPing) print(model);
      },
      onLink: (link) => {
        if (link.state === 'lost') complain(`supervisor not available: ${link.why}\n`);
      },
    });
    process.once('SIGINT', () => {
      client.stop();
      resolve(EXIT[last.verdict?.level ?? 'UNKNOWN']);
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
    complain(`spatium status: ${error instanceof Error ? error.message : String(error)}\n${USAGE}`);
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
  return values.watch ? watch(socket, format) : once(socket, format);
};
