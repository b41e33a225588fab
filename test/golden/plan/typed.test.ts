/** Every valid answer file of the shared list, and its answers typed into the wizard, give the same plan byte for byte. */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { planHash } from '#installer/plan/print-plan.ts';
import { preparePlan } from '#installer/run/prepare.ts';
import { answersOf } from '#installer/run/unfinished.ts';
import { relevantAnswers } from '#installer/wizard/questions.ts';
import { screenOf } from '#installer/wizard/screens.ts';
import type { Answers } from '#model/answers.ts';
import { GIB } from '#model/limits.ts';
import type { BlockDevice, Machine } from '#model/machine.ts';
import { Secret } from '#model/secret.ts';
import { readAnswers } from '#preseed/read.ts';
import { isSet } from '#rules/choices.ts';
import { confirmWordOf, findDisk } from '#rules/disks.ts';
import { settle } from '#rules/settle.ts';
import { countingUuids } from '../../unit/plan/samples.ts';
import { Operator, SERVER } from '../../unit/wizard/support.ts';

interface LintCase {
  readonly id: string;
  readonly file?: string;
  readonly file_base64?: string;
  readonly filename?: string;
  readonly exit: number;
  readonly args?: readonly string[];
}

const shared = process.env['SPATIUM_SHARED'] ?? path.resolve(import.meta.dirname, '../../../../shared');
const listFile = path.join(shared, 'cases/lint.json');
const cases: readonly LintCase[] = fs.existsSync(listFile) ? JSON.parse(fs.readFileSync(listFile, 'utf8')) : [];
const valid = cases.filter((c) => c.exit === 0 && !c.args?.length && (c.file !== undefined || c.file_base64 !== undefined));

const bytesOf = (c: LintCase): Uint8Array =>
  c.file_base64 === undefined ? new TextEncoder().encode(c.file) : new Uint8Array(Buffer.from(c.file_base64, 'base64'));

/** What a file leaves open, answered alike on both ways. */
const REST: Answers = {
  role: 'control-plane',
  target_disk: '/dev/sdb',
  hostname: 'ddi-1',
  network: { mode: 'dhcp' },
  timezone: 'UTC',
};

function completed(read: Answers): Answers {
  const hasPassword = read.admin_password !== undefined || read.admin_password_hash !== undefined;
  const answers: Answers = {
    ...REST,
    ...read,
    ...(hasPassword ? {} : { admin_password: new Secret('correct horse battery') }),
    confirm_wipe: 'true',
  };
  const isAppliance = !/^(control|first)/i.test(answers.role ?? '');
  if (!isAppliance) return answers;
  return {
    control_plane_url: 'https://ddi.example.net',
    pairing_code: new Secret('01234567'),
    ...answers,
  };
}

const GPT = { partitionTable: 'gpt', partitionTableUuid: 'd0000000-0000-4000-8000-000000000000' } as const;
const PARTS = [
  ['ESP', 'vfat', GIB / 2],
  ['state', 'ext4', GIB / 4],
  ['root_A', 'ext4', 8 * GIB],
  ['root_B', 'ext4', 8 * GIB],
  ['var', 'ext4', 40 * GIB],
] as const;

/** The partitions of an installation of ours on a disk. */
const installationOn = (disk: BlockDevice): readonly BlockDevice[] =>
  PARTS.map(([name, fsType, sizeBytes], i) => ({
    ...disk,
    kname: `${disk.kname}${i + 2}`,
    path: `${disk.path}${i + 2}`,
    type: 'part',
    parents: [disk.kname],
    links: [],
    sizeBytes,
    fsType,
    fsLabel: name.toLowerCase(),
    fsUuid: `c0000000-0000-4000-8000-00000000000${i}`,
    partNumber: i + 2,
    partLabel: name,
    partUuid: `b0000000-0000-4000-8000-00000000000${i}`,
  }));

/** The server of the rehearsals, with the disks and the port that the file names. */
function machineFor(answers: Answers): Machine {
  const names = [answers.target_disk, answers.mirror_disk].filter((name) => name !== undefined);
  const missing = names.filter((name) => findDisk(SERVER, name) === null);
  const blank = SERVER.devices.find((device) => device.kname === 'sdb') as BlockDevice;
  const added = missing.map((name, i): BlockDevice => {
    const kname = `sd${'xy'[i]}`;
    const node = name.startsWith('/dev/disk/') ? `/dev/${kname}` : name;
    return {
      ...blank,
      kname,
      path: node,
      sizeBytes: 64 * GIB,
      serial: `S3RIAL000${i}`,
      wwn: `0x50025385000000a${i}`,
      links: name === node ? [] : [name],
    };
  });
  if (isSet(answers, 'keep_var')) added.push(...installationOn(added[0] ?? blank));
  const port = answers.network?.interface;
  const [first] = SERVER.interfaces ?? [];
  const interfaces = [...(SERVER.interfaces ?? [])];
  if (port !== undefined && first && !interfaces.some((one) => one.name === port)) interfaces.push({ ...first, name: port });
  const [target, ...rest] = added;
  const holder =
    target && rest.length > 0 && isSet(answers, 'keep_var')
      ? [{ ...target, ...GPT, children: rest.map((part) => part.kname) }, ...rest]
      : added;
  return { ...SERVER, devices: [...SERVER.devices, ...holder], interfaces };
}

const NETWORK_FIELDS = ['ip', 'prefix', 'gateway', 'ip6', 'prefix6', 'gateway6', 'mtu'] as const;

type Values = readonly (readonly [string, string])[];

const nodeOf = (machine: Machine, name: string | undefined): string =>
  name === undefined ? 'none' : (findDisk(machine, name)?.path ?? '');

const wordOf = (machine: Machine, name: string | undefined): string =>
  name === undefined ? '' : confirmWordOf(machine, findDisk(machine, name)?.kname ?? '').word;

function keyboardValues(answers: Answers, { screen, state }: Operator): Values {
  const keymap = answers.keymap ?? 'us';
  const list = screenOf(screen)
    .body(state, state.draft)
    .items.find((one) => one.id === 'layout');
  const isOffered = list !== undefined && 'options' in list && list.options.some((one) => one.value === keymap);
  if (isOffered) return [['layout', keymap]];
  return [
    ['layout', 'other'],
    ['code', keymap],
  ];
}

function accountValues(answers: Answers): Values {
  const password = answers.admin_password?.reveal() ?? '';
  return [
    ['user', answers.admin_user ?? 'admin'],
    ['password', password],
    ['repeat', password],
    ['root', String(isSet(answers, 'set_root_password'))],
  ];
}

function networkValues({ network = {} }: Answers): Values {
  return [
    ['mode', (network.mode ?? 'dhcp').toLowerCase()],
    ['interface', network.interface ?? 'any'],
    ['v6', network.ip6 === undefined ? 'auto' : 'static'],
    ...NETWORK_FIELDS.map((id): [string, string] => [id, network[id] ?? '']),
    ['dns', (network.dns ?? []).join(' ')],
  ];
}

/** What is put into the fields of a screen; as a person types it, who has the file beside the keyboard. */
const VALUES: Readonly<Record<string, (answers: Answers, operator: Operator) => Values>> = {
  keyboard: keyboardValues,
  role: ({ role }) => [['role', /^(control|first)/i.test(role ?? '') ? 'control-plane' : 'appliance']],
  disk: ({ target_disk }, { state }) => [['target', nodeOf(state.machine, target_disk)]],
  existing: (answers) => [['keep', isSet(answers, 'keep_var') ? 'keep' : 'erase']],
  mirror: ({ mirror_disk }, { state }) => [['mirror', nodeOf(state.machine, mirror_disk)]],
  erase: ({ target_disk, mirror_disk }, { state }) => [
    ['word', wordOf(state.machine, target_disk)],
    ['mirror-word', wordOf(state.machine, mirror_disk)],
  ],
  hostname: ({ hostname }) => [['hostname', hostname ?? '']],
  account: accountValues,
  ssh: (answers) => [['only', String(isSet(answers, 'ssh_disable_password'))]],
  network: networkValues,
  ntp: ({ ntp_servers }) => [['servers', (ntp_servers ?? ['pool.ntp.org']).join(' ')]],
  k3s: ({ k3s }) => [
    ['pods', k3s?.pod_cidr ?? '10.42.0.0/16'],
    ['services', k3s?.service_cidr ?? '10.43.0.0/16'],
  ],
  application: ({ control_plane_url, pairing_code }) => [
    ['url', control_plane_url ?? ''],
    ['code', pairing_code?.reveal() ?? ''],
  ],
};

/** Walks from Welcome to Confirm; a second question is answered with yes. Ends early where a screen does not let go. */
function type(answers: Answers, machine: Machine): Operator {
  // No screen asks for these: a hash is nothing to type, and with it the account is answered; what happens afterwards is the file's alone.
  const { admin_password_hash, admin_user, set_root_password, after_install } = answers;
  const account = Object.fromEntries(
    Object.entries({ admin_password_hash, admin_user, set_root_password }).filter(([, value]) => admin_password_hash && value),
  );
  const given = { ...account, ...(after_install ? { after_install } : {}) };
  const operator = new Operator(given, 'install', machine).type('<enter><enter>');
  for (let i = 0; i < 40 && operator.screen !== 'confirm'; i++) {
    const { screen } = operator;
    if (screen === 'ssh')
      operator.send({ name: 'paste', text: (answers.ssh_authorized_keys ?? []).join('\n'), shift: false, alt: false, ctrl: false });
    if (screen === 'timezone') operator.type(answers.timezone ?? 'UTC');
    for (const [id, value] of VALUES[screen]?.(answers, operator) ?? []) operator.event({ type: 'set', id, value });
    operator.event({ type: 'accept' });
    for (let j = 0; j < 3 && operator.state.overlay !== null; j++) operator.event({ type: 'choose', yes: true });
  }
  return operator;
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const planOf = (answers: Answers, machine: Machine) => preparePlan(answers, machine, { uuids: countingUuids(), extraKernelWords: [] });

describe.runIf(valid.length > 0)('typed or in a file', () => {
  it.each(valid.map((c) => [c.id, c] as const))('%s', (_id, c) => {
    const { answers: read } = readAnswers(bytesOf(c), { file: c.filename ?? 'spatium-preseed.yaml', explicit: c.filename !== 'user-data' });
    const answers = completed(read);
    const machine = machineFor(answers);
    const fromFile = planOf(answers, machine);
    expect(fromFile.kind === 'refused' ? fromFile.findings.filter((f) => f.severity === 'error') : []).toEqual([]);
    const operator = type(answers, machine);
    expect([operator.screen, operator.state.notice]).toEqual(['confirm', null]);
    const typed = planOf(relevantAnswers(operator.state), machine);
    if (fromFile.kind !== 'plan' || typed.kind !== 'plan') throw new Error('no plan');
    expect(typed.plan).toEqual(fromFile.plan);
    // What an interrupted run is continued from must give the same settings again.
    const { passwordKind, hasPairingCode } = typed.plan.settings;
    const secrets = {
      ...(passwordKind === 'hash' ? { admin_password_hash: new Secret('x') } : { admin_password: new Secret('x') }),
      ...(hasPairingCode ? { pairing_code: new Secret('x') } : {}),
    };
    expect(settle({ ...answersOf(typed.plan.settings), ...secrets })).toEqual(typed.plan.settings);
    expect(planHash(typed.plan, sha256)).toBe(planHash(fromFile.plan, sha256));
  });
});
