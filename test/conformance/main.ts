#!/usr/bin/env node
/** npm run conformance -- SOCKET [CHECK...]: does what serves there keep the status protocol? Over the socket alone. */
import { type Check, Fault } from './check.ts';
import { REFUSAL_CHECKS } from './refusals.ts';
import { SNAPSHOT_CHECKS } from './snapshot.ts';
import { STREAM_CHECKS } from './stream.ts';

const CHECKS: readonly Check[] = [...SNAPSHOT_CHECKS, ...STREAM_CHECKS, ...REFUSAL_CHECKS];

const USAGE = `usage: npm run conformance -- SOCKET [CHECK...]

checks: ${CHECKS.map((c) => c.id).join(' ')}

exit: 0 all kept, 1 some broken (each with what and why), 2 wrong call
`;

async function main(args: readonly string[]): Promise<number> {
  const [socket, ...ids] = args;
  const unknown = ids.find((id) => !CHECKS.some((c) => c.id === id));
  if (socket === undefined || socket.startsWith('-') || unknown !== undefined) {
    process.stderr.write(unknown === undefined ? USAGE : `no check ${unknown}\n${USAGE}`);
    return 2;
  }
  const chosen = ids.length === 0 ? CHECKS : CHECKS.filter((c) => ids.includes(c.id));
  let broken = 0;
  // One after another: a check that loads the server must not spoil the times of the next.
  for (const check of chosen) {
    try {
      await check.run(socket);
      process.stdout.write(`ok      ${check.id}: ${check.title}\n`);
    } catch (error) {
      broken += 1;
      const why = error instanceof Error ? error.message : String(error);
      process.stdout.write(`BROKEN  ${check.id}: ${check.title}\n        ${error instanceof Fault ? why : `no answer: ${why}`}\n`);
    }
  }
  process.stdout.write(`${chosen.length - broken} of ${chosen.length} kept\n`);
  return broken === 0 ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));
