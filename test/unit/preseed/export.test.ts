import { expect, test } from 'vitest';
import type { Answers } from '#model/answers.ts';
import { Secret } from '#model/secret.ts';
import { exportAnswers } from '#preseed/export.ts';
import { lintFile } from '#preseed/lint.ts';
import { yamlText } from '#preseed/write-yaml.ts';
import { settle } from '#rules/settle.ts';

const lint = (text: string) => lintFile(new TextEncoder().encode(text), { file: 'export.yaml', explicit: true }, null);
const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOz+whGd5rXaFGuQFJxasZt/MF6pfpRNAKkUjUkka5px it\'s "mine" \\ # x: y';

const nodes: readonly (readonly [string, Answers])[] = [
  [
    'control plane',
    {
      role: 'control-plane',
      target_disk: '/dev/sda',
      mirror_disk: '/dev/sdb',
      confirm_wipe: 'true',
      hostname: '0123',
      admin_user: 'ops',
      admin_password: new Secret('Zephyr-98_Saffron'),
      set_root_password: 'true',
      ssh_authorized_keys: [KEY, `from="10.0.0.0/8" ${KEY}`],
      ssh_disable_password: 'true',
      timezone: 'Europe/Kyiv',
      ntp_servers: ['2001:db8::123', 'ntp1'],
      keymap: 'no',
      network: {
        mode: 'static',
        interface: '1e3',
        ip: '192.0.2.10',
        prefix: '24',
        gateway: '192.0.2.1',
        dns: ['2001:db8::53', '1.1.1.1'],
        ip6: '2001:db8::9',
        gateway6: 'fe80::1',
        mtu: '1400',
      },
      k3s: { pod_cidr: '10.60.0.0/16' },
      after_install: 'poweroff',
    },
  ],
  [
    'appliance',
    {
      role: 'appliance',
      target_disk: '/dev/sda',
      confirm_wipe: 'true',
      keep_var: 'true',
      hostname: 'yes',
      admin_password: new Secret('Zephyr-98_Saffron'),
      network: { mode: 'dhcp', interface: 'eno1', mtu: '1500' },
      control_plane_url: 'https://[2001:db8::1]:8443/',
      pairing_code: new Secret('12345678'),
    },
  ],
];

test.each(nodes)('the export of a %s lints clean, holds no secret, and says the same once the secrets are added', (_name, answers) => {
  const settings = settle(answers);
  const byId = { targetById: '/dev/disk/by-id/ata-A_1', mirrorById: settings.mirrorDisk === null ? null : '/dev/disk/by-id/ata-B_2' };
  const text = exportAnswers(settings, byId);
  expect(text).not.toMatch(/Zephyr|12345678/);
  const bare = lint(text);
  expect(bare.findings.filter((f) => f.rule !== 'hostname.digits' && f.rule !== 'ssh-key.duplicate')).toEqual([]);
  expect(bare.willAsk).toContain('admin_password');
  const full = text
    .replace(/# admin_password: .*/, "admin_password: 'Zephyr-98_Saffron'")
    .replace(/# pairing_code: .*/, 'pairing_code: "12345678"');
  const read = lint(full);
  expect(read.isValid).toBe(true);
  expect(read.isFullyUnattended).toBe(true);
  expect(settle(read.read.answers)).toEqual({ ...settings, targetDisk: byId.targetById, mirrorDisk: byId.mirrorById });
});

test.each([
  'plain',
  'no',
  '0123',
  "it's",
  'a: b',
  '# x',
  '@x',
  '',
  ' edge ',
  'tab\there',
  'line\nbreak',
  'nel\u0085x',
  '\ufeffbom',
  '1e3',
  '2024-01-02',
  '-',
  '*a',
  '[x]',
  'a #b',
])('%j survives writing and reading', (text) => {
  const read = lint(`admin_password: ${yamlText(text)}\nrole: appliance\n`);
  expect(read.read.answers.admin_password?.reveal()).toBe(text);
  expect(read.findings.filter((f) => f.rule.startsWith('yaml.') || f.rule.startsWith('file.'))).toEqual([]);
});

test('says so when the disk has no stable name', () => {
  const text = exportAnswers(settle(nodes[0]![1]), { targetById: null, mirrorById: null });
  expect(text).toContain('target_disk: /dev/sda');
  expect(text).toContain('no stable name');
});
