/** Looks at this machine once and writes down what is in it. Changes nothing, mounts nothing. */
import type { Machine, RawCapture } from '#model/machine.ts';
import type { Runner } from '#system/run.ts';
import { probeBlocks } from './probe-blocks.ts';
import { probeInstalled } from './probe-installed.ts';
import { probeInterfaces, probeResolvers } from './probe-network.ts';
import { probeAccounts, probeArchitecture, probeCpuCount, probeFirmware, probeMemoryBytes, probeProduct } from './probe-system.ts';
import { boundedText } from './raw.ts';
import { type Sources, sourcesOf } from './sources.ts';

export interface ProbeOptions {
  /** Keeps the raw outputs of further tools, for a capture that is to be a fixture. Default: only the lsblk listing. */
  readonly raw?: boolean;
  /** Adds the one-off inventory of the systeminformation package to `raw`. Starts many processes; for captures only. */
  readonly inventory?: boolean;
  /** Where /sys, /proc, /dev and /etc are looked up. Default `/`. */
  readonly root?: string;
  readonly runner?: Runner;
}

const RAW_FILES = ['/proc/mdstat', '/proc/swaps', '/proc/self/mountinfo', '/proc/partitions', '/proc/cmdline'] as const;
const RAW_COMMANDS: Readonly<Record<string, readonly string[]>> = {
  dmsetup: ['dmsetup', 'table'],
  mdadm: ['mdadm', '--detail', '--scan'],
  multipath: ['multipath', '-ll'],
  pvs: ['pvs', '--reportformat', 'json'],
};

const RAW_TIMEOUT_MS = 5_000;

/** Secrets in the kernel command line: values of words that sound like one, and user and password of an address. */
const withoutSecrets = (text: string): string =>
  text.replace(/\/\/[^\s/@]*@/g, '//***@').replace(/\b(\S*(?:pass|secret|token|code|key)\S*?)=\S+/gi, '$1=***');

async function readRaw(sources: Sources): Promise<RawCapture> {
  const raw: Record<string, string> = {};
  for (const file of RAW_FILES) {
    const text = await sources.text(file);
    if (text !== null) raw[file.slice(1)] = boundedText(file.endsWith('cmdline') ? withoutSecrets(text) : text);
  }
  // A key such as a LUKS volume key never shows in `dmsetup table` without --showkeys.
  for (const [name, argv] of Object.entries(RAW_COMMANDS)) {
    const text = await sources.output(argv, RAW_TIMEOUT_MS);
    if (text !== null && text.trim() !== '') raw[name] = boundedText(text);
  }
  return raw;
}

/** Throws CaptureError when the disks cannot be listed; everything else that cannot be read is null. */
export async function probeMachine(options: ProbeOptions = {}): Promise<Machine> {
  const sources = sourcesOf(options.root, options.runner);
  const blocks = await probeBlocks(sources);
  const [firmware, product, cpuCount, memoryBytes, interfaces, resolvers, installed, accounts, raw] = await Promise.all([
    probeFirmware(sources),
    probeProduct(sources),
    probeCpuCount(sources),
    probeMemoryBytes(sources),
    probeInterfaces(sources),
    probeResolvers(sources),
    probeInstalled(sources, blocks.devices),
    probeAccounts(sources),
    options.raw ? readRaw(sources) : {},
  ]);
  const inventory = options.inventory ? await (await import('./inventory.ts')).readInventory() : {};
  return {
    schema: 1,
    source: 'probe',
    capturedAt: new Date().toISOString(),
    firmware,
    architecture: probeArchitecture(),
    product,
    cpuCount,
    memoryBytes,
    devices: blocks.devices,
    interfaces,
    resolvers,
    liveMedium: blocks.liveMedium,
    installed,
    accounts,
    raw: { lsblk: boundedText(blocks.lsblk), ...raw, ...inventory },
  };
}
