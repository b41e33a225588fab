/** Why this box was started last: what the kernel left of a crash, the watchdog's word, or the end of the boot before in the journal. */
import { intOf } from '#status/collector.ts';
import type { HostView } from '#system/observe.ts';
import { type Runner, succeeded } from '#system/run.ts';

const PSTORE = ['/sys/fs/pstore', '/var/lib/systemd/pstore'] as const;
const WATCHDOG = '/sys/class/watchdog';
/** WDIOF_CARDRESET: the timer ran out, and that was the restart. */
const CARD_RESET = 0x20;
const LAST_LINES = 200;
const JOURNAL_MS = 5000;

/** What the last lines of a boot say about its end; null when there are none to read. */
export function endOfBoot(lines: string): string | null {
  if (lines.trim() === '') return null;
  if (/reached target (power-?off\.target|power off|system power off)|system is powering down/i.test(lines)) return 'power off';
  if (/reached target (reboot\.target|reboot|system reboot)|system is rebooting/i.test(lines)) return 'reboot';
  if (/reached target (halt\.target|system halt|kexec\.target)/i.test(lines)) return 'halt';
  return 'unexpected end: no shutdown was recorded (power loss, reset or crash)';
}

/** Records of before stay for ever; those of the crash that led to this boot were put there by this boot. */
async function hasPanicRecord(host: HostView, bootMs: number): Promise<boolean> {
  for (const dir of PSTORE) {
    for (const name of await host.names(dir)) {
      const isHere = dir === '/sys/fs/pstore' ? name.startsWith('dmesg') : ((await host.modifiedMs(`${dir}/${name}`)) ?? 0) >= bootMs;
      if (isHere) return true;
    }
  }
  return false;
}

async function wasWatchdog(host: HostView): Promise<boolean> {
  for (const name of await host.names(WATCHDOG))
    if (((intOf(await host.word(`${WATCHDOG}/${name}/bootstatus`).catch(() => null)) ?? 0) & CARD_RESET) !== 0) return true;
  return false;
}

/** Asked once: it does not change while the box runs. null: nothing is recorded, as at a first boot or without a kept journal. */
export function lastReboot(host: HostView, run: Runner, bootMs: () => Promise<number | null>): () => Promise<string | null> {
  let asked: Promise<string | null> | null = null;
  const ask = async (): Promise<string | null> => {
    const startedMs = await bootMs();
    if (startedMs !== null && (await hasPanicRecord(host, startedMs))) return 'kernel panic';
    if (await wasWatchdog(host)) return 'hardware watchdog';
    const argv = ['journalctl', '--boot=-1', `--lines=${LAST_LINES}`, '--output=cat', '--no-pager', '--quiet'];
    const r = await run(argv, { timeoutMs: JOURNAL_MS });
    return succeeded(r) ? endOfBoot(r.stdout) : null;
  };
  return () => {
    asked ??= ask().catch(() => null);
    return asked;
  };
}
