/** `spatium preseed init ROLE`: a commented starter, made from the registry. */
import type { Role } from '#model/answers.ts';
import { KEYS, type KeySpec } from '#rules/keys.ts';

/** Keys that every file should have; the others are there as comments. */
const FILLED: Readonly<Record<Role, readonly string[]>> = {
  'control-plane': ['role', 'target_disk', 'confirm_wipe', 'hostname', 'timezone', 'network', 'network.mode'],
  appliance: ['role', 'target_disk', 'confirm_wipe', 'hostname', 'timezone', 'network', 'network.mode', 'control_plane_url'],
};

function exampleOf(spec: KeySpec, role: Role): string {
  if (spec.path === 'role') return role;
  if (spec.path === 'network.mode') return 'dhcp';
  return spec.example;
}

function linesOf(spec: KeySpec, role: Role): readonly string[] {
  const depth = spec.path.includes('.') ? 4 : 2;
  const indent = ' '.repeat(depth);
  const name = spec.path.split('.').at(-1);
  const isFilled = FILLED[role].includes(spec.path);
  // A commented key keeps its place: taking "# " out leaves the right indentation.
  const mark = isFilled ? '' : '# ';
  const value = spec.type === 'block' ? '' : ` ${exampleOf(spec, role)}`;
  return [`${indent}# ${spec.description} Without it: ${spec.absent}.`, `${indent}${mark}${name}:${value}`];
}

/** Valid as it stands; asks for the rest on the console. */
export function starterFile(role: Role): string {
  const keys = KEYS.filter((spec) => spec.role === null || spec.role === role);
  const head = [
    '# Answers for a SpatiumDDI installation. Fill in what you know; the console asks for the rest.',
    '# Check the file with: spatium check FILE',
    'spatium_preseed:',
  ];
  return `${[...head, ...keys.flatMap((spec) => linesOf(spec, role))].join('\n')}\n`;
}
