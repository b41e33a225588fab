/** Files of other installers are named, with the keys that say the same here. */
import { expect, test } from 'vitest';
import { lintFile } from '#preseed/lint.ts';

test.each([
  ['autoinstall:\n  version: 1\n', 'Ubuntu autoinstall'],
  ['version: 1\nidentity: {hostname: a}\n', 'Ubuntu autoinstall'],
  ['lang en_US\nrootpw --iscrypted x\n%packages\n@core\n%end\n', 'kickstart'],
  ['[global]\nkeyboard = "de"\nroot-password = "Hunter2222"\n', 'Proxmox'],
  ['#cloud-config\npackages: [vim]\n', 'cloud-config'],
  ['version: v1alpha1\nmachine: {type: worker}\ncluster: {}\n', 'Talos'],
  ['scheme_version: 1\nos: {}\ninstall: {device: /dev/sda}\n', 'Harvester'],
  ['#cloud-config\ninstall: {device: auto}\nstages: {}\n', 'Kairos'],
  ['{"product": {"id": "x"}, "user": {"fullName": "x"}}', 'Agama'],
  ['d-i netcfg/get_hostname string a\n', 'Debian installer preseed'],
  ['variant: fcos\nversion: 1.5.0\n', 'Butane'],
  ['{"ignition": {"version": "3.3.0"}}', 'Ignition'],
])('%j', (text, name) => {
  const { findings, isValid } = lintFile(new TextEncoder().encode(text), { file: 'x.yaml', explicit: true }, null);
  expect(isValid).toBe(false);
  expect(findings).toHaveLength(1);
  expect(findings[0]?.message).toContain('no spatium preseed content: this looks like ');
  expect(findings[0]?.message).toContain(name);
  expect(findings[0]?.fix).toMatch(/ -> (target_disk|admin_user)/);
  expect(JSON.stringify(findings)).not.toContain('Hunter2222');
});
