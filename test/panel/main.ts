/** `spatium panel`: a panel on this machine, to try an appliance against. */

import path from 'node:path';
import { parseArgs } from 'node:util';
import type { RunFace } from '#model/host.ts';
import type { ApplianceKind } from '#model/pull.ts';
import { complain, messageOf, wordsOrEnd } from '#system/complain.ts';
import { ensureDir, errnoOf, exists, writeAtomic } from '#system/files.ts';
import { printable } from '#system/log.ts';
import { signalled } from '#system/process.ts';
import { layLab } from './lab.ts';
import { mintCode, mintToken } from './records.ts';
import { type Panel, startPanel } from './server.ts';

const USAGE = `usage: spatium panel --dir DIR [--port N] [--kind lb|gw|s3] [--approve]

  A panel for tests, on 127.0.0.1 only. It serves DIR/config/KIND.json: edit the file, and the version goes up.

  --dir DIR    keeps everything: config/, releases/, status/, devices.json (hashes only), faults.json, tls/,
               lab/ (an appliance for "spatium supervise --lab")
  --port N     default 8443; 0 takes any free port
  --kind KIND  of the fresh token and pairing code (default lb)
  --approve    enrolment waits until "state" of the device in DIR/devices.json is made "active"

exit: 0 ended by a signal, 1 cannot serve (reason printed), 2 wrong call
`;

const DEFAULT_PORT = 8443;
const KINDS: readonly string[] = ['lb', 'gw', 's3'] satisfies ApplianceKind[];

interface Words {
  readonly dir?: string | undefined;
  readonly port?: string | undefined;
  readonly kind?: string | undefined;
  readonly approve?: boolean | undefined;
  readonly help?: boolean | undefined;
}

/** The words, or what is wrong with them. */
function parseWords(argv: readonly string[]): Words | string {
  try {
    const options = {
      dir: { type: 'string' },
      port: { type: 'string' },
      kind: { type: 'string' },
      approve: { type: 'boolean' },
      help: { type: 'boolean' },
    } as const;
    const { values } = parseArgs({ args: [...argv], options });
    if (values.help) return values;
    if (!values.dir) return '--dir is missing';
    if (values.port !== undefined && !(/^\d{1,5}$/.test(values.port) && Number(values.port) < 65_536))
      return '--port wants a number up to 65535';
    return values.kind === undefined || KINDS.includes(values.kind) ? values : '--kind is lb, gw or s3';
  } catch (error) {
    return messageOf(error);
  }
}

/** What to do next, for somebody who has just started it. */
function greeting(panel: Panel, dir: string, kind: string, token: string, code: string): string {
  return `panel     ${panel.url}
key pin   ${panel.pin}
token     ${token}
          for a virtual machine: qemu-system-x86_64 ... -smbios type=1,serial=${token}
code      ${code} (pairing; approve it in devices.json)
on qemu's user network the panel is https://10.0.2.2:${panel.port}

lab       spatium supervise --lab ${path.join(dir, 'lab')}
          an appliance on this machine; it has a token of its own
edit      ${path.join(dir, 'config', `${kind}.json`)} and the version goes up
watch     ${path.join(dir, 'status')}/DEVICE.json holds the newest report of each appliance
approve   ${path.join(dir, 'devices.json')}: "state" may be awaiting, active, revoked, retired
faults    ${path.join(dir, 'faults.json')}, for example {"config": {"do": "status", "status": 503, "times": 3}}

`;
}

export const run: RunFace = async (argv, host) => {
  const words = wordsOrEnd(parseWords(argv), host.program, USAGE);
  if (typeof words === 'number') return words;
  const dir = path.resolve(words.dir ?? '');
  const kind = (words.kind ?? 'lb') as ApplianceKind;
  try {
    await ensureDir(path.join(dir, 'config'));
    const config = path.join(dir, 'config', `${kind}.json`);
    if (!(await exists(config))) await writeAtomic(config, '{}\n');
    const log = (line: string): void => void process.stdout.write(`${printable(line)}\n`);
    const panel = await startPanel({ dir, port: Number(words.port ?? DEFAULT_PORT), log, needsApproval: words.approve ?? false });
    const mint = (): Promise<string> => mintToken(panel.records, kind, panel.pin);
    await layLab(path.join(dir, 'lab'), panel.url, kind, mint);
    const token = await mint();
    process.stdout.write(greeting(panel, dir, kind, token, await mintCode(panel.records, kind)));
    await signalled();
    await panel.close();
    return 0;
  } catch (error) {
    const isTaken = errnoOf(error) === 'EADDRINUSE';
    const port = words.port ?? DEFAULT_PORT;
    complain(
      `${host.program}: ${isTaken ? `port ${port} is taken; end what listens there, or choose another with --port` : messageOf(error)}\n`,
    );
    return 1;
  }
};
