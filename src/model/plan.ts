/**
 * A plan is data: the ordered, typed steps of one installation. It can be printed, hashed and compared
 * without a disk. It names secrets (`SecretName`), and never holds one.
 */
import type { Settings } from './answers.ts';
import type { DiskIdentity, Firmware } from './machine.ts';

export type SecretName = 'admin_password' | 'admin_password_hash' | 'pairing_code';

/** A partition to be made. `device` of later steps names it by `id`. */
export interface PartitionSpec {
  readonly number: number;
  /** GPT name, which identifies the slots. */
  readonly name: string;
  /** null: the rest of the disk. */
  readonly sizeBytes: number | null;
  /** sgdisk type code. */
  readonly code: string;
  /** Chosen when the plan is made, so that fstab and boot menu can name it before it exists. */
  readonly partUuid: string;
}

export type PartitionId = 'bios_boot' | 'esp' | 'state' | 'root_a' | 'root_b' | 'var';

export interface FileSpec {
  /** Absolute path on the installed system. */
  readonly path: string;
  /** Octal permission bits, e.g. 0o644. */
  readonly mode: number;
  /** Text; `{{secret:NAME}}` is replaced by the engine for the named secrets only. */
  readonly content: string;
  readonly secrets?: readonly SecretName[];
  /** True: a file that is there already stays as it is. */
  readonly keep?: boolean;
}

/** Partitions that hold a file system. */
export type FilesystemId = Exclude<PartitionId, 'bios_boot'>;

export type GrubTarget = 'i386-pc' | 'x86_64-efi' | 'arm64-efi';

/** One disk to be written, with the table it gets. */
export interface DiskLayout {
  readonly disk: DiskIdentity;
  /** What is on the disk now, in the wizard's words: `Windows`, `nothing`. null: not recorded. Absent: nobody said. */
  readonly holds?: string | null;
  readonly tableUuid: string;
  readonly partitions: readonly (PartitionSpec & { readonly id: PartitionId })[];
}

/** Every kind of work that an installation is made of. Each is idempotent. `diskIndex` is a place in `Plan.disks`. */
export type StepAction =
  | { readonly kind: 'check-identity' }
  | { readonly kind: 'release-disks' }
  | { readonly kind: 'partition'; readonly diskIndex: number }
  | {
      readonly kind: 'make-array';
      readonly partition: FilesystemId;
      /** md name, `/dev/md/NAME`. */
      readonly name: string;
    }
  | {
      readonly kind: 'format';
      readonly partition: FilesystemId;
      /** Only for what each disk has for itself (the ESP); otherwise 0. */
      readonly diskIndex: number;
      readonly filesystem: 'vfat' | 'ext4';
      readonly label: string;
      readonly uuid: string;
    }
  | {
      readonly kind: 'mount-target';
      /** False when /var is kept: it is mounted only after the copy, so that nothing on it is overwritten. */
      readonly withData: boolean;
    }
  | { readonly kind: 'copy-system' }
  | {
      readonly kind: 'keep-data';
      /** Below /etc, taken over from the old system's changes: what opens the kept data. */
      readonly carry: readonly string[];
      /** Below /var, taken from the new system whole; everything else there stays as it is. */
      readonly replace: readonly string[];
    }
  | { readonly kind: 'remove-live-parts'; readonly paths: readonly string[]; readonly logs: boolean }
  | { readonly kind: 'link-kernel' }
  | { readonly kind: 'write-base-files'; readonly files: readonly FileSpec[] }
  | { readonly kind: 'lock-root' }
  | { readonly kind: 'snapshot-etc' }
  | { readonly kind: 'mount-overlay' }
  | { readonly kind: 'write-files'; readonly files: readonly FileSpec[]; readonly remove: readonly string[] }
  | { readonly kind: 'link-timezone'; readonly zone: string }
  | { readonly kind: 'mask-time-sources' }
  | { readonly kind: 'array-config' }
  | { readonly kind: 'multipath-config' }
  | {
      readonly kind: 'create-account';
      readonly user: string;
      readonly password: SecretName;
      readonly setRootPassword: boolean;
      readonly authorizedKeys: readonly string[];
    }
  | {
      readonly kind: 'boot-menu';
      readonly rootAUuid: string;
      readonly rootBUuid: string;
      readonly extraKernelWords: readonly string[];
      /** No editor, no rescue entries: the image is a locked one. */
      readonly isLocked: boolean;
    }
  | { readonly kind: 'boot-loader'; readonly target: GrubTarget; readonly diskIndex: number; readonly required: boolean }
  | { readonly kind: 'sync-esp' }
  | { readonly kind: 'clone-slot' }
  | { readonly kind: 'verify' }
  | { readonly kind: 'save-logs' }
  | { readonly kind: 'unmount' };

export type StepKind = StepAction['kind'];

export interface Step {
  /** Unique in its plan, stable between runs: `format-var`, `boot-loader-i386-pc`. */
  readonly id: string;
  /** What an operator reads while it runs, at most 50 characters. */
  readonly title: string;
  /** Share of the whole, in arbitrary units; the progress bar is the sum of what is done. */
  readonly weight: number;
  readonly action: StepAction;
}

export interface Plan {
  readonly schema: 1;
  readonly product: string;
  readonly firmware: Firmware;
  readonly architecture: string;
  readonly settings: Settings;
  /** The disk that is installed on; the same as `disks[0].disk`. */
  readonly target: DiskIdentity;
  /** One disk, or two for a mirror: the target, then its partner. */
  readonly disks: readonly DiskLayout[];
  /** The second ESP of a mirror has its own; null without a mirror. */
  readonly esp2Uuid: string | null;
  readonly filesystemUuids: Readonly<Record<FilesystemId, string>>;
  readonly steps: readonly Step[];
}

/** How a run ended. */
export interface EngineResult {
  readonly ok: boolean;
  /** Null when every step was done. */
  readonly failure: Extract<EngineEvent, { type: 'failed' }> | null;
  readonly checks: readonly VerifyCheck[];
  readonly warnings: readonly string[];
  /** True while no byte of any disk has been changed. */
  readonly nothingWritten: boolean;
}

/** What the engine says while it runs. */
export type EngineEvent =
  | { readonly type: 'step'; readonly id: string; readonly title: string; readonly state: 'started' | 'done' | 'skipped' }
  | {
      readonly type: 'progress';
      readonly fraction: number;
      readonly bytesPerSecond: number | null;
      readonly secondsLeft: number | null;
      readonly detail: string | null;
    }
  | { readonly type: 'log'; readonly text: string }
  | {
      readonly type: 'failed';
      readonly id: string;
      readonly message: string;
      readonly command: string | null;
      readonly output: readonly string[];
      readonly nothingWritten: boolean;
    }
  | { readonly type: 'finished'; readonly checks: readonly VerifyCheck[]; readonly warnings: readonly string[] };

export interface VerifyCheck {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}
