import { expect, test } from 'vitest';
import { diffText, fixText } from '#preseed/fix.ts';
import { settle } from '#rules/settle.ts';

const fix = (text: string) => fixText(new TextEncoder().encode(text), { file: 'x.yaml', explicit: true });

const MESSY = `# kept as it is
spatium_preseed:
    role:\tcontrol-plane   # a comment stays
    hostnme: NO  # so does this one
    admin_password: 00012345
    confirm_wipe: yes
    target_disk: "/dev/disk/by-id/ata-X_1"
    timezone: US/Pacific
    keymap: no
    network: {mode: dhcp, interface: eno1 }
    k3s:
        pod_cidr: 10.60.0.5/16
    set_root_password: "false"
    x-note: yes   # not ours
`;

test('spelling is mended, and nothing else is touched', () => {
  const { text, after } = fix(MESSY);
  expect(text).toBe(
    MESSY.replace('role:\tcontrol-plane', 'role: control-plane')
      .replace('hostnme: NO', "hostname: 'no'")
      .replace('00012345', "'00012345'")
      .replace('confirm_wipe: yes', 'confirm_wipe: true')
      .replace('US/Pacific', 'America/Los_Angeles')
      .replace('keymap: no', "keymap: 'no'")
      .replace('10.60.0.5/16', '10.60.0.0/16')
      .replace('"false"', 'false'),
  );
  expect(after.isValid).toBe(true);
  expect(after.findings.filter((f) => !f.rule.startsWith('password.'))).toEqual([]);
});

test('what it wrote is left alone the second time', () => {
  const once = fix(MESSY);
  expect(fix(once.text)).toMatchObject({ changes: 0, text: once.text });
});

test('the answers stay the same', () => {
  const text = MESSY.replace('hostnme', 'hostname');
  const { before, after } = fix(text);
  expect(settle(after.read.answers)).toEqual(settle(before.read.answers));
  expect(after.read.answers.admin_password?.reveal()).toBe('00012345');
});

test.each([
  ['a guess is no safe edit', 'timezone: Europe/Berln\nrole: appliance\n'],
  ['an octal-looking prefix could be two numbers', 'network: {mode: static, prefix: 024}\n'],
  ['a key that is there already', 'hostname: a\nhostnme: b\n'],
  ['two keys that mean one', 'hostnme: a\nhostnam: b\nrole: appliance\n'],
  ['a key of another level', 'ip: 192.0.2.1\nrole: appliance\n'],
  ['a password that is too short', 'admin_password: short\n'],
  ['a broken file', 'role: appliance\nhostname: "a\n'],
])('%s', (_name, text) => expect(fix(text)).toMatchObject({ changes: 0, text }));

test('letter case alone is no guess', () =>
  expect(fix('timezone: europe/berlin\nrole: appliance\n').text).toContain('timezone: Europe/Berlin'));

test('line ends and quotes of the file are kept', () => {
  expect(fix("role: 'appliance'\r\nkeymap: no\r\n").text).toBe("role: 'appliance'\r\nkeymap: 'no'\r\n");
});

test('the difference shows lines, and no secret', () => {
  const diff = diffText('x.yaml', fix(MESSY));
  expect(diff).toContain("-    keymap: no\n+    keymap: 'no'\n");
  expect(diff).toContain('@@ -8 +8 @@');
  expect(diff).not.toContain('12345');
});

test('a mended line does not spell a password in another case', () => {
  const diff = diffText('x.yaml', fix('spatium_preseed:\n  hostname: Walnut-88-Cobra\n  admin_password: "Walnut-88-Cobra"\n'));
  expect(diff).toContain('+  hostname: ***');
  expect(diff.toLowerCase()).not.toContain('walnut');
});
