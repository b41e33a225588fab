/**
 * Which way imports may run. docs/decisions/0007-import-table.md explains it; scripts/lint-imports.mjs enforces it.
 * A room is the longest matching folder. `rooms` may always import themselves.
 */
export const ROOMS = {
  'src/model': { rooms: [], node: [], packages: [] },
  'src/rules': { rooms: ['src/model'], node: [], packages: [] },
  'src/system': { rooms: ['src/model'], node: ['*'], packages: ['execa'] },
  'src/machine': { rooms: ['src/model', 'src/system'], node: ['os', 'path', 'util', 'timers/promises'], packages: ['systeminformation'] },
  'src/status': {
    rooms: ['src/model', 'src/system'],
    node: ['http', 'net', 'path', 'events', 'stream', 'util', 'crypto', 'os'],
    packages: [],
  },
  'src/ui': { rooms: ['src/model'], node: ['events', 'stream', 'util'], packages: ['ink', 'react', 'ink-select-input', 'ink-text-input'] },
  'src/supervisor': {
    rooms: ['src/model', 'src/rules', 'src/system', 'src/status', 'src/machine', 'src/boot'],
    node: ['http', 'https', 'tls', 'net', 'dns', 'path', 'events', 'util', 'crypto', 'os', 'url', 'timers/promises'],
    packages: [],
  },
  'src/boot': {
    rooms: ['src/model', 'src/rules', 'src/system', 'src/machine'],
    node: ['path', 'os', 'util', 'crypto'],
    packages: ['yaml'],
  },
  // The panel to test against. It ships, so that an appliance can be tried on a laptop; nothing else may import it.
  'test/panel': {
    rooms: ['src/model', 'src/system'],
    node: ['http', 'https', 'net', 'path', 'crypto', 'util', 'timers/promises'],
    packages: [],
  },
  preseed: {
    rooms: ['src/model', 'src/rules', 'src/system'],
    node: ['path', 'http', 'https', 'tls', 'crypto', 'util', 'url', 'timers/promises'],
    packages: ['yaml'],
  },
  'installer/plan': { rooms: ['src/model', 'src/rules', 'src/boot', 'preseed'], node: [], packages: [] },
  'installer/engine': {
    rooms: ['src/model', 'src/rules', 'src/system', 'src/machine', 'src/boot', 'installer/plan'],
    node: ['path', 'crypto', 'util', 'events', 'os', 'timers/promises'],
    packages: [],
  },
  'installer/run': {
    // Types of what the host loads.
    roots: ['installer/wizard-main.tsx'],
    // The wizard's types and the terminal profile; the wizard itself is loaded through the host.
    rooms: [
      'src/model',
      'src/rules',
      'src/system',
      'src/machine',
      'src/boot',
      'src/ui',
      'preseed',
      'installer/plan',
      'installer/engine',
      'installer/wizard',
    ],
    node: ['path', 'crypto', 'os', 'util', 'events'],
    packages: [],
  },
  'installer/wizard': {
    rooms: ['src/model', 'src/rules', 'src/ui', 'installer/plan'],
    node: [],
    packages: ['ink', 'react', 'ink-select-input', 'ink-text-input'],
  },
  console: {
    rooms: ['src/model', 'src/status', 'src/ui'],
    node: ['path', 'util', 'events'],
    packages: ['ink', 'react', 'ink-select-input', 'ink-text-input'],
  },
};

/** A composition root wires rooms together and may import any room but the ones named here. */
export const ROOTS = {
  'src/main.ts': { not: [] },
  'src/calls.ts': { not: ['installer', 'console', 'preseed', 'src/supervisor', 'src/machine'] },
  'src/load-face.ts': { not: [] },
  'src/load-face-sea.ts': { not: [] },
  'src/machine/main.ts': { not: ['installer', 'console', 'src/supervisor', 'src/ui'] },
  'src/status/main.ts': { not: ['installer', 'console', 'src/supervisor', 'src/ui'] },
  'src/boot/main.ts': { not: ['installer', 'console', 'src/supervisor', 'src/ui'] },
  'src/supervisor/pair-main.ts': { not: ['installer', 'console', 'src/ui'] },
  'src/supervisor/main.ts': { not: ['installer', 'console', 'src/ui'] },
  'test/panel/main.ts': { not: ['installer', 'console', 'preseed', 'src/supervisor', 'src/ui'] },
  'preseed/main.ts': { not: ['installer', 'console', 'src/supervisor', 'src/ui'] },
  'installer/main.ts': { not: ['console', 'src/supervisor'] },
  'installer/wizard-main.tsx': { not: ['console', 'src/supervisor'] },
  'console/main.tsx': { not: ['installer', 'src/supervisor', 'src/rules', 'preseed'] },
};
