/** The diagnostics bundle: what is known, what was logged and what the cluster says, in one file without secrets. */

import { inRoot } from '#boot/target.ts';
import { PATHS } from '#model/limits.ts';
import { doneEvent, outEvent } from '#status/action-run.ts';
import { messageOf } from '#system/complain.ts';
import { ensureDir, listNames, readTextIfExists, remove } from '#system/files.ts';
import { describeEnd, type Runner } from '#system/run.ts';
import { type TarEntry, writeTarGz } from '#system/tar.ts';
import type { Cluster } from '../kube/cluster.ts';
import { redactor } from './redact.ts';
import type { ActionWork } from './work.ts';

export const BUNDLE_DIR = '/var/log/spatiumddi';
const KEPT = 3;
const COMMAND_MS = 15_000;
/** Of one entry. What is cut says so; a bundle has to fit on a stick and into a mail. */
const MAX_ENTRY_CHARS = 4 * 1024 * 1024;

/** Commands that only read. Arguments of other processes are never among them: they may hold secrets. */
const COMMANDS: readonly (readonly [string, readonly string[]])[] = [
  ['journal.txt', ['journalctl', '--no-pager', '--boot', '--output=short-iso', '--lines=4000']],
  ['journal-before.txt', ['journalctl', '--no-pager', '--boot=-1', '--output=short-iso', '--lines=1000']],
  ['units-failed.txt', ['systemctl', '--no-pager', '--failed']],
  ['units.txt', ['systemctl', '--no-pager', 'list-units', '--type=service', '--all']],
  ['disks.txt', ['lsblk', '--output', 'NAME,SIZE,TYPE,FSTYPE,LABEL,MOUNTPOINTS,MODEL']],
  ['addresses.txt', ['ip', 'address']],
  ['routes.txt', ['ip', 'route', 'show', 'table', 'all']],
  ['sockets.txt', ['ss', '--listening', '--numeric', '--tcp', '--udp']],
  ['firewall.txt', ['nft', 'list', 'ruleset']],
  ['time.txt', ['chronyc', '-n', 'tracking']],
];

const FILES: readonly string[] = [
  '/proc/cmdline',
  '/proc/meminfo',
  '/proc/loadavg',
  '/proc/mdstat',
  '/proc/self/mountinfo',
  '/etc/os-release',
  PATHS.release,
  PATHS.roleConfig,
  PATHS.networkStatus,
  PATHS.slotVersions,
  PATHS.stateConfig,
];

const CLUSTER: readonly (readonly [string, string])[] = [
  ['cluster/nodes.json', '/api/v1/nodes'],
  ['cluster/events.json', '/api/v1/events'],
];

/** Files whose content is a secret; a folder counts with all that lies in it. */
export const SECRET_PLACES: readonly string[] = [
  `${PATHS.state}/pairing-code`,
  `${PATHS.state}/supervisor/identity`,
  PATHS.pullIdentity,
  '/var/lib/rancher/k3s/server/token',
  '/var/lib/rancher/k3s/server/agent-token',
  '/var/lib/rancher/k3s/server/node-token',
  '/etc/rancher/k3s/k3s.yaml',
];
/** Lines of STATE's configuration that hold one. */
const SECRET_LINES = /^(?:[a-z_]*(?:password|hash|code|token|key|secret)[a-z_]*)[ \t]*:[ \t]*(.+)$/gim;

export interface BundlePorts {
  readonly run: Runner;
  readonly cluster: Pick<Cluster, 'connection' | 'pods'>;
  /** The status document as it is served. */
  readonly status: () => unknown;
  /** Lines of the supervisor's own log ring. */
  readonly log: () => readonly string[];
  readonly now: () => string;
  /** `/`; a test has its own tree. */
  readonly root: string;
  /** Folder the bundle goes to, below `root`. */
  readonly dir: string;
}

/** Every known secret of this box. What cannot be read is not known, and is not in the bundle's sources either. */
async function knownSecrets(root: string): Promise<string[]> {
  const at = (file: string): string => inRoot({ root }, file);
  const read = (file: string): Promise<string | null> => readTextIfExists(file).catch(() => null);
  const out: string[] = [];
  for (const place of SECRET_PLACES) {
    const names = await listNames(at(place)).catch(() => []);
    const files = names.length > 0 ? names.map((n) => `${at(place)}/${n}`) : [at(place)];
    for (const file of files) out.push((await read(file)) ?? '');
  }
  const identity = (await read(at(`${PATHS.pullIdentity}/identity.json`))) ?? '';
  for (const found of identity.matchAll(/"secret"\s*:\s*"([^"]+)"/g)) out.push(found[1] ?? '');
  // A token for the panel may stand there, not yet used.
  const serial = ((await read(at('/sys/class/dmi/id/product_serial'))) ?? '').trim();
  if (serial.startsWith('z9:')) out.push(serial);
  const config = (await read(at(PATHS.stateConfig))) ?? '';
  for (const line of config.matchAll(SECRET_LINES)) out.push((line[1] ?? '').replace(/^["']|["']$/g, ''));
  // The address of an answer file may hold a password.
  const cmdline = (await read(at('/proc/cmdline'))) ?? '';
  for (const word of cmdline.matchAll(/:\/\/[^\s/@:]*:([^\s/@]+)@/g)) out.push(word[1] ?? '');
  const shadow = (await read(at('/etc/shadow'))) ?? '';
  for (const line of shadow.split('\n')) out.push(line.split(':')[1] ?? '');
  return out;
}

const entryName = (file: string): string => `files${file}`;

/** What is taken of a pod: never its environment or its annotations, which is where charts put secrets. */
function podRows(cluster: BundlePorts['cluster']): string {
  const pods = cluster.pods();
  if (pods.state !== 'known') return `not known: ${pods.state === 'failed' ? pods.why : 'k3s is not installed'}\n`;
  const rows = pods.items.map(({ metadata: m, spec, status }) => ({
    ns: m?.namespace,
    name: m?.name,
    owners: m?.ownerReferences,
    created: m?.creationTimestamp,
    node: spec?.nodeName,
    status,
  }));
  return `${JSON.stringify(rows, null, 1)}\n`;
}

const cutText = (text: string): string =>
  text.length <= MAX_ENTRY_CHARS
    ? text
    : `[cut: the last ${MAX_ENTRY_CHARS} of ${text.length} characters]\n${text.slice(-MAX_ENTRY_CHARS)}`;

async function collect(ports: BundlePorts, onEntry: (name: string) => void): Promise<TarEntry[]> {
  const entries: TarEntry[] = [];
  const add = (name: string, text: string): void => {
    entries.push({ name, text: cutText(text) });
    onEntry(name);
  };
  add('status.json', `${JSON.stringify(ports.status(), null, 1)}\n`);
  add('console-log.txt', `${ports.log().join('\n')}\n`);
  for (const file of FILES) {
    const text = await readTextIfExists(inRoot(ports, file)).catch(() => null);
    if (text !== null) add(entryName(file), text);
  }
  for (const [name, argv] of COMMANDS) {
    const result = await ports.run(argv, { timeoutMs: COMMAND_MS });
    const end = result.kind === 'exited' && result.code === 0 ? '' : `[${argv[0]}: ${describeEnd(result)}]\n`;
    add(name, `${end}${result.stdout}${result.stderr}`);
  }
  const reach = ports.cluster.connection();
  add('cluster/pods.json', podRows(ports.cluster));
  for (const [name, path] of reach.ok ? CLUSTER : []) {
    if (!reach.ok) break;
    const text = await reach.api.get(path).then(
      (r) => (r.status === 200 ? r.body : `[the API answers ${r.status}]\n`),
      (e: unknown) => `[${messageOf(e)}]\n`,
    );
    add(name, text);
  }
  return entries;
}

/** Only files that this made, the oldest first. */
async function rotate(dir: string): Promise<void> {
  const own = (await listNames(dir)).filter((n) => /^diag-\d{8}-\d{6}\.tar\.gz$/.test(n)).sort();
  for (const name of own.slice(0, -KEPT)) await remove(`${dir}/${name}`);
}

export function diagBundle(ports: BundlePorts): ActionWork {
  return {
    run: async (_args, say) => {
      const stamp = ports.now();
      const name = `diag-${stamp.slice(0, 19).replace(/[-:]/g, '').replace('T', '-')}.tar.gz`;
      const place = `${ports.dir}/${name}`;
      const dir = inRoot(ports, ports.dir);
      const entries = await collect(ports, (entry) => say(outEvent(entry)));
      const redact = redactor(await knownSecrets(ports.root));
      const clean = entries.map((e) => ({ name: e.name, text: redact(e.text) }));
      await ensureDir(dir);
      const sizeBytes = await writeTarGz(inRoot(ports, place), clean, Math.floor(Date.parse(stamp) / 1000));
      await rotate(dir);
      say(outEvent(`fetch it with: scp ADMIN@THIS-HOST:${place} . (as root or with sudo)`));
      say(doneEvent(0, `${place}, ${Math.ceil(sizeBytes / 1024)} KiB, readable by root`));
    },
  };
}
