/** Disks, what they are joined to, and readings that are old or missing. */
import { arrays, inSync, maps, md } from '../../../support/spoils.ts';
import { disk } from '../../../support/status-fixtures.ts';
import { GONE, NEVER, testSituations } from './support.ts';

testSituations([
  // Disks
  { is: '/var at 90.0', spoil: { disks: { mounts: [disk('/', 40), disk('/var', 90)] } }, level: 'CRITICAL', says: [/disk \/var 90% full/] },
  { is: '/var at 89.9', spoil: { disks: { mounts: [disk('/var', 89.9)] } }, level: 'HEALTHY', says: [] },
  { is: '/var at 100', spoil: { disks: { mounts: [disk('/var', 100)] } }, level: 'CRITICAL', says: [/100% full/] },
  {
    is: 'two disks full',
    spoil: { disks: { mounts: [disk('/', 92), disk('/var', 97)] } },
    level: 'CRITICAL',
    says: [/disk \/ 92%/, /disk \/var 97%/],
  },
  {
    is: 'no inodes left',
    spoil: { disks: { mounts: [disk('/var', 40, { inodes_used_pct: 99, severity: 'critical' })] } },
    level: 'CRITICAL',
    says: [/^\/var has used 99% of its files/],
  },
  { is: '/var read only', spoil: { disks: { mounts: [disk('/var', 40, { ro: true })] } }, level: 'CRITICAL', says: [/\/var.*read.only/] },
  {
    is: 'errors of a file system',
    spoil: { disks: { mounts: [disk('/var', 40, { errors_count: 3, severity: 'warning' })] } },
    level: 'DEGRADED',
    says: [/\/var.*error/],
  },
  { is: 'disks cannot be read', envelopes: { disks: GONE }, level: 'UNKNOWN', says: [/disks/] },
  // Mirrors and paths
  { is: 'mirror of two lost one', spoil: arrays(md({ members: inSync(1) })), level: 'CRITICAL', says: [/md0.*DEGRADED.*1\/2/] },
  { is: 'mirror of three lost one', spoil: arrays(md({ raidDisks: 3, members: inSync(2) })), level: 'DEGRADED', says: [/md0.*2\/3/] },
  {
    is: 'mirror rebuilds',
    spoil: arrays(md({ members: inSync(1), syncAction: 'recover', syncCompleted: '43 / 100' })),
    level: 'CRITICAL',
    says: [/43%/],
  },
  {
    is: 'mirror not assembled',
    spoil: arrays(md({ arrayState: 'inactive', raidDisks: 0, members: [] })),
    level: 'CRITICAL',
    says: [/md0.*FAILED/],
  },
  { is: 'mirror is checked', spoil: arrays(md({ syncAction: 'check', syncCompleted: '12 / 100' })), level: 'HEALTHY', says: [] },
  {
    is: 'one path of two is gone',
    spoil: maps([
      { device: 'sda', state: 'running' },
      { device: 'sdb', state: 'offline' },
    ]),
    level: 'DEGRADED',
    says: [/1\/2 paths/],
  },
  { is: 'no path at all', spoil: maps([]), level: 'CRITICAL', says: [/mpath/] },
  {
    is: 'second boot partition gone',
    spoil: {
      storage: { md_supported: true, arrays: [md()], multipath: [], second_esp: { present: false, in_sync: null, checked_at: null } },
    },
    level: 'DEGRADED',
    says: [/second boot partition/],
  },
  {
    is: 'second boot partition differs',
    spoil: {
      storage: { md_supported: true, arrays: [md()], multipath: [], second_esp: { present: true, in_sync: false, checked_at: null } },
    },
    level: 'DEGRADED',
    says: [/second boot partition/],
  },
  // Freshness
  { is: 'vitals are stale', envelopes: { vitals: { age_ms: 15_000 } }, level: 'UNKNOWN', says: [/CPU and memory/] },
  { is: 'vitals were never read', envelopes: { vitals: NEVER }, level: 'UNKNOWN', says: [/CPU and memory/] },
  {
    is: 'a full disk, and etcd unknown',
    spoil: { disks: { mounts: [disk('/var', 95)] } },
    envelopes: { etcd: NEVER },
    level: 'CRITICAL',
    says: [/disk \/var/, /etcd/],
  },
]);
