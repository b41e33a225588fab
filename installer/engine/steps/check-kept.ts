/**
 * Whether a /var and a STATE that are to be kept can take a new system; asked while nothing has been written. Both were filled by
 * somebody else: a link in the place of a folder would lead the writes of an installation onto the medium or another disk.
 */
import path from 'node:path';
import { PATHS } from '#model/limits.ts';
import type { FilesystemId, Plan } from '#model/plan.ts';
import { ensureDir, type FileFacts, factsOf, remove, spaceOf } from '#system/files.ts';
import { succeeded } from '#system/run.ts';
import { type StepContext, StepFailure } from '../context.ts';
import { filesystemNode } from '../devices.ts';
import { unmountBelow } from '../mounts.ts';

/** The package database is laid beside the kept data, and logs and the new /etc; without room a run would end half done. */
const KEPT_FREE_BYTES = 256 * 1024 ** 2;
const WAY_OUT = 'put it right there, or install without keeping /var';
const mib = (bytes: number): string => `${Math.floor(bytes / 1024 ** 2)} MiB`;

/** Parents of a path of the installed system below a mount point, outermost first. */
function parentsBelow(mountPoint: string, file: string): string[] {
  const parts = path.relative(mountPoint, path.dirname(file)).split('/').filter(Boolean);
  return parts.map((_, i) => path.join(mountPoint, ...parts.slice(0, i + 1)));
}

interface Places {
  /** Absolute paths of the installed system that must be real folders where they exist. */
  readonly folders: readonly string[];
  /** That must be plain files. */
  readonly files: readonly string[];
}

/** What an installation writes through on the kept file systems, read from its plan. */
function keptPlaces(plan: Plan, mountPoint: string): Places {
  const written = plan.steps.flatMap(({ action }) =>
    action.kind === 'write-files' || action.kind === 'write-base-files' ? action.files : [],
  );
  const home = `/var/home/${plan.settings.adminUser}`;
  const replaced = plan.steps.flatMap(({ action }) => (action.kind === 'keep-data' ? action.replace : []));
  const own = [
    ...[PATHS.etcUpper, PATHS.etcWork, PATHS.installLogs, path.dirname(PATHS.slotVersions), '/var/root', home, `${home}/.ssh`],
    ...[PATHS.state, `${PATHS.state}/ssh`, `${PATHS.state}/install`],
  ];
  const isHere = (file: string) =>
    file.startsWith(`${mountPoint}/`) && (mountPoint === PATHS.state || file === PATHS.state || !file.startsWith(`${PATHS.state}/`));
  const files = [...written.map((f) => f.path), `${PATHS.state}/machine-id`, PATHS.slotVersions].filter(isHere);
  const folders = [...own.filter(isHere), ...[...own, ...replaced, ...files].filter(isHere).flatMap((f) => parentsBelow(mountPoint, f))];
  return { folders: [...new Set(folders)].sort(), files: [...new Set(files)].sort() };
}

const WORDS: Readonly<Record<FileFacts['kind'], string>> = {
  file: 'a file',
  directory: 'a folder',
  link: 'a link',
  block: 'a device',
  char: 'a device',
  other: 'a pipe or socket',
};

/** In words the first place where something else stands than an installation may write to; null when all are fit. */
async function placeFault(mounted: string, mountPoint: string, plan: Plan): Promise<string | null> {
  const { folders, files } = keptPlaces(plan, mountPoint);
  for (const [wanted, places] of [
    ['directory', folders],
    ['file', files],
  ] as const)
    for (const place of places) {
      const facts = await factsOf(path.join(mounted, path.relative(mountPoint, place)));
      if (facts !== null && facts.kind !== wanted) return `${place} is ${WORDS[facts.kind]} and must be ${WORDS[wanted]}`;
    }
  return null;
}

async function keptFault(context: StepContext, id: FilesystemId, mountPoint: string): Promise<string | null> {
  const node = await filesystemNode(context.plan, id);
  const head = await context.tryRun(['dumpe2fs', '-h', node], { onLine: () => undefined });
  if (!succeeded(head)) return 'it holds no ext4 file system that can be read';
  if (/^Filesystem state:.*\berrors\b/m.test(head.stdout)) return 'its file system is marked as damaged; e2fsck -f may mend it';
  const mounted = `${context.root}-kept`;
  await ensureDir(mounted);
  try {
    // Without its journal: replaying that would be a write.
    if (!succeeded(await context.tryRun(['mount', '-t', 'ext4', '-o', 'ro,noload', node, mounted]))) return 'it cannot be mounted';
    const fault = await placeFault(mounted, mountPoint, context.plan);
    if (fault !== null) return fault;
    const { availableBytes } = await spaceOf(mounted);
    const isFull = id === 'var' && availableBytes < KEPT_FREE_BYTES;
    return isFull ? `${mib(availableBytes)} of it are free, and ${mib(KEPT_FREE_BYTES)} are needed` : null;
  } finally {
    await unmountBelow(context, mounted);
    await remove(mounted);
  }
}

/** Throws StepFailure when what the plan keeps could not be joined with the new system. */
export async function requireKept(context: StepContext): Promise<void> {
  for (const [id, mountPoint] of [
    ['var', '/var'],
    ['state', PATHS.state],
  ] as const) {
    const fault = await keptFault(context, id, mountPoint);
    if (fault !== null) throw new StepFailure(`${id === 'var' ? '/var' : 'STATE'} cannot be kept: ${fault}; ${WAY_OUT}`);
  }
}
