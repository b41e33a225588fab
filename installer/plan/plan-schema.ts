/** JSON Schema of a plan. Each table is tied to its type by key, so a field that is added there must be added here. */
import type { NetworkSettings, Settings, StaticIpv4, StaticIpv6 } from '#model/answers.ts';
import type { DiskIdentity } from '#model/machine.ts';
import type { DiskLayout, FileSpec, FilesystemId, Plan, Step, StepAction, StepKind } from '#model/plan.ts';

type Json = Readonly<Record<string, unknown>>;
type Fields<T> = Readonly<Record<keyof Required<T>, Json>>;
type ActionFields<K extends StepKind> = Fields<Omit<Extract<StepAction, { kind: K }>, 'kind'>>;

const text: Json = { type: 'string' };
const flag: Json = { type: 'boolean' };
const count: Json = { type: 'integer', minimum: 0 };
const orNull = (schema: Json): Json => ({ anyOf: [schema, { type: 'null' }] });
const listOf = (items: Json): Json => ({ type: 'array', items });
const oneOf = (...words: readonly string[]): Json => ({ enum: words });

function object(fields: Readonly<Record<string, Json>>, optional: readonly string[] = []): Json {
  const required = Object.keys(fields).filter((key) => !optional.includes(key));
  return { type: 'object', required, additionalProperties: false, properties: fields };
}

const uuid: Json = { type: 'string', pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' };
const fatId: Json = { type: 'string', pattern: '^[0-9A-F]{4}-[0-9A-F]{4}$' };
const path: Json = { type: 'string', pattern: '^/' };
const filesystem = oneOf('esp', 'state', 'root_a', 'root_b', 'var');
const secretName = oneOf('admin_password', 'admin_password_hash', 'pairing_code');

const identity = object({
  kname: text,
  path,
  byId: orNull(path),
  wwn: orNull(text),
  serial: orNull(text),
  sizeBytes: count,
  logicalSectorBytes: count,
  table: text,
} satisfies Fields<DiskIdentity>);

const partition = object({
  id: oneOf('bios_boot', 'esp', 'state', 'root_a', 'root_b', 'var'),
  number: { type: 'integer', minimum: 1 },
  name: text,
  sizeBytes: orNull(count),
  code: { type: 'string', pattern: '^[0-9a-f]{4}$' },
  partUuid: uuid,
} satisfies Fields<DiskLayout['partitions'][number]>);

const layout = object(
  { disk: identity, holds: orNull(text), tableUuid: uuid, partitions: listOf(partition) } satisfies Fields<DiskLayout>,
  ['holds'],
);

const file = object(
  {
    path,
    mode: { type: 'integer', minimum: 0, maximum: 0o7777 },
    content: text,
    secrets: listOf(secretName),
    keep: flag,
  } satisfies Fields<FileSpec>,
  ['secrets', 'keep'],
);

const ipv4 = object({ address: text, prefix: count, gateway: text } satisfies Fields<StaticIpv4>);
const ipv6 = object({ address: text, prefix: count, gateway: orNull(text) } satisfies Fields<StaticIpv6>);
const network = object({
  mode: oneOf('dhcp', 'static'),
  interface: orNull(text),
  ipv4: orNull(ipv4),
  dns: listOf(text),
  ipv6: orNull(ipv6),
  mtu: orNull(count),
} satisfies Fields<NetworkSettings>);

const settings = object({
  role: oneOf('control-plane', 'appliance'),
  targetDisk: text,
  mirrorDisk: orNull(text),
  keepVar: flag,
  hostname: text,
  adminUser: text,
  passwordKind: oneOf('plain', 'hash'),
  setRootPassword: flag,
  sshAuthorizedKeys: listOf(text),
  sshDisablePassword: flag,
  timezone: text,
  ntpServers: listOf(text),
  keymap: text,
  network,
  podCidr: text,
  serviceCidr: text,
  controlPlaneUrl: orNull(text),
  hasPairingCode: flag,
  afterInstall: oneOf('reboot', 'poweroff'),
} satisfies Fields<Settings>);

const none = {};
const actions: { readonly [K in StepKind]: ActionFields<K> } = {
  'check-identity': none,
  'release-disks': none,
  partition: { diskIndex: count },
  'make-array': { partition: filesystem, name: text },
  format: { partition: filesystem, diskIndex: count, filesystem: oneOf('vfat', 'ext4'), label: text, uuid: { anyOf: [uuid, fatId] } },
  'mount-target': { withData: flag },
  'copy-system': none,
  'keep-data': { carry: listOf(path), replace: listOf(path) },
  'remove-live-parts': { paths: listOf(path), logs: flag },
  'link-kernel': none,
  'write-base-files': { files: listOf(file) },
  'lock-root': none,
  'snapshot-etc': none,
  'mount-overlay': none,
  'write-files': { files: listOf(file), remove: listOf(path) },
  'link-timezone': { zone: text },
  'mask-time-sources': none,
  'array-config': none,
  'multipath-config': none,
  'create-account': { user: text, password: secretName, setRootPassword: flag, authorizedKeys: listOf(text) },
  'boot-menu': { rootAUuid: uuid, rootBUuid: uuid, extraKernelWords: listOf(text), isLocked: flag },
  'boot-loader': { target: oneOf('i386-pc', 'x86_64-efi', 'arm64-efi'), diskIndex: count, required: flag },
  'sync-esp': none,
  'clone-slot': none,
  verify: none,
  'save-logs': none,
  unmount: none,
};

const step = object({
  id: text,
  title: { type: 'string', maxLength: 50 },
  weight: count,
  action: { oneOf: Object.entries(actions).map(([kind, fields]) => object({ kind: { const: kind }, ...fields })) },
} satisfies Fields<Step>);

const uuids = object({ esp: fatId, state: uuid, root_a: uuid, root_b: uuid, var: uuid } satisfies Record<FilesystemId, Json>);

/** The whole schema, as published in schemas/plan.schema.json. */
export function planSchema(): Json {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Installation plan',
    description: 'What `spatium-install --plan --format json` prints and the engine runs. Holds no secret.',
    ...object({
      schema: { const: 1 },
      product: text,
      firmware: oneOf('uefi', 'bios'),
      architecture: text,
      settings,
      target: identity,
      disks: { ...listOf(layout), minItems: 1, maxItems: 2 },
      esp2Uuid: orNull(fatId),
      filesystemUuids: uuids,
      steps: listOf(step),
    } satisfies Fields<Plan>),
  };
}
