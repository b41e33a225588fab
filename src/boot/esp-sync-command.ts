/** `spatium esp-sync`, also called `spatiumddi-esp-sync`. */
import { complain } from '#system/complain.ts';
import { ensureDir } from '#system/files.ts';
import { Log } from '#system/log.ts';
import { type EspSyncOptions, type EspSyncResult, espSync, espSyncExitCode } from './esp-sync.ts';

const LOG_DIR = '/var/log/spatiumddi';

const ESP_SYNC_USAGE = `usage: spatium esp-sync [--check] [--boot] [--install-root DIR]

Keeps the boot menu on a mirror's second disk the same as on the first, so that either disk starts alone.
Does nothing on a machine with one disk. Whatever changes the boot menu calls it. spatiumddi-esp-sync is the same.

  --check             compare only
  --boot              when the first disk is lost, put the second one's boot partition in its place (at each boot)
  --install-root DIR  the system below DIR instead of the running one

What was changed while the first disk was away goes back to it when it returns.
exit: 0 in step or nothing to do, 1 they differ (--check) or it failed with the reason printed, 2 wrong call
`;

/** The words of a call, or null when they mean none. */
export function readEspSyncCall(words: readonly string[]): EspSyncOptions | null {
  let [root, isCheck, mayStandIn] = ['/', false, false];
  for (let i = 0; i < words.length; i += 1) {
    const next = words[i + 1];
    if (words[i] === '--check') isCheck = true;
    else if (words[i] === '--boot') mayStandIn = true;
    else if (words[i] === '--install-root' && next?.startsWith('/')) {
      root = next;
      i += 1;
    } else return null;
  }
  return isCheck && mayStandIn ? null : { root, isCheck, mayStandIn };
}

/** What became of it, in one sentence. */
function espSyncSentence(result: EspSyncResult): string {
  switch (result.kind) {
    case 'single':
      return 'one disk: there is no second boot partition';
    case 'absent':
      return 'one of the two disks is not there; the boot partition of the other one is in use';
    case 'stands-in':
      return 'the first boot partition is not there; the second one is in its place';
    case 'same':
      return 'the boot partitions are in step';
    case 'copied':
      return `brought in step: ${result.names.join(', ')}`;
    case 'restored':
      return `the first disk is back and took over what was changed meanwhile: ${result.names.join(', ') || 'nothing'}`;
    case 'drift':
      return `the boot partitions differ: ${result.names.join(', ')}`;
    case 'failed':
      return `failed: ${result.why}`;
  }
}

/** Runs the command; gives its exit code. */
export async function espSyncCommand(words: readonly string[], program: string): Promise<number> {
  if (words.includes('--help') || words.includes('-h')) {
    process.stdout.write(ESP_SYNC_USAGE);
    return 0;
  }
  const call = readEspSyncCall(words);
  if (call === null) {
    complain(ESP_SYNC_USAGE);
    return 2;
  }
  if (process.getuid?.() !== 0) {
    complain(`${program}: boot partitions are mounted for this: run it as root\n`);
    return 1;
  }
  const result = await espSync(call);
  const sentence = espSyncSentence(result);
  if (call.root === '/' && result.kind !== 'single') {
    await ensureDir(LOG_DIR);
    const log = new Log({ path: `${LOG_DIR}/esp-sync.log` });
    log.write(sentence);
    log.close();
  }
  const code = espSyncExitCode(result);
  if (code === 0) process.stdout.write(`${sentence}\n`);
  else complain(`${program}: ${sentence}\n`);
  return code;
}
