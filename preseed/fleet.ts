/** Many answer files at once: what only shows across files, and which file fits which recorded machine. */
import type { Answers } from '#model/answers.ts';
import { type Finding, isError, type PlacedFinding } from '#model/finding.ts';
import type { Machine } from '#model/machine.ts';
import { formatAddress, formatCidr } from '#rules/addresses.ts';
import { RULES, type RuleId } from '#rules/catalogue.ts';
import { readPairingCode } from '#rules/control-plane.ts';
import { rangesOf } from '#rules/k3s.ts';
import { readMode, readOwnIpv4, readOwnIpv6 } from '#rules/network-readers.ts';
import { printable } from '#rules/show.ts';
import { type LintResult, lintRead, withFindings } from './lint.ts';
import type { FileReport } from './report.ts';

export interface NamedMachine {
  readonly name: string;
  readonly machine: Machine;
}

/** One cell of the matrix. */
export interface Fit {
  readonly file: string;
  readonly machine: string;
  readonly fits: boolean;
  /** Empty when it fits. */
  readonly reasons: readonly string[];
}

export interface Fleet {
  readonly reports: readonly FileReport[];
  readonly matrix: readonly Fit[];
}

/** Something that two files may not share. */
interface Unique {
  readonly path: string;
  readonly rule: RuleId;
  /** What is shared, for the message; never a secret. */
  readonly what: string;
  /** Equal for files that clash. */
  readonly value: string;
}

function addressesOf(answers: Answers): readonly Unique[] {
  const n = answers.network;
  if (n?.mode === undefined || readMode(n.mode.trim()).value !== 'static') return [];
  const { address } = readOwnIpv4(n);
  const own6 = readOwnIpv6(n);
  const clash = (path: string, value: string): Unique => ({ path, rule: 'fleet.address', what: `the address ${value}`, value });
  return [
    ...(address ? [clash('network.ip', formatAddress(address))] : []),
    ...(own6 ? [clash('network.ip6', formatAddress(own6.address))] : []),
  ];
}

/** A name that no two machines share: the kernel's own (/dev/sda) is the same in every machine. */
const isWorldWide = (disk: string): boolean => disk.startsWith('/dev/disk/by-id/');

function uniquesOf(answers: Answers): readonly Unique[] {
  const found: Unique[] = [...addressesOf(answers)];
  const hostname = answers.hostname?.trim().toLowerCase();
  if (hostname) found.push({ path: 'hostname', rule: 'fleet.hostname', what: 'the host name', value: hostname });
  for (const key of ['target_disk', 'mirror_disk'] as const) {
    const disk = answers[key]?.trim();
    if (disk && isWorldWide(disk)) found.push({ path: key, rule: 'fleet.disk', what: 'the disk', value: disk });
  }
  const code = answers.pairing_code && readPairingCode(answers.pairing_code.reveal()).value;
  if (code) found.push({ path: 'pairing_code', rule: 'fleet.pairing-code', what: 'the pairing code, which works once,', value: code });
  return found;
}

const finding = (rule: RuleId, path: string, message: string): Finding => ({ severity: RULES[rule].severity, rule, path, message });

function sharedValues(reports: readonly FileReport[]): ReadonlyMap<string, Finding[]> {
  const first = new Map<string, { readonly file: string; readonly line: number }>();
  const found = new Map<string, Finding[]>();
  for (const { file, result } of reports) {
    for (const { path, rule, what, value } of uniquesOf(result.read.answers)) {
      const key = `${rule} ${value}`;
      const before = first.get(key);
      if (!before) first.set(key, { file, line: result.read.locate(path).line });
      else if (before.file !== file)
        found.set(file, [
          ...(found.get(file) ?? []),
          finding(rule, path, `${what} is also in ${printable(before.file)}, line ${before.line}`),
        ]);
    }
  }
  return found;
}

/** Control-plane nodes form one cluster, so their ranges must be the same. */
function differingRanges(reports: readonly FileReport[]): ReadonlyMap<string, Finding[]> {
  const nodes = reports.filter(({ result }) => result.role === 'control-plane' && result.read.hasContent);
  const textOf = (report: FileReport): string =>
    rangesOf(report.result.read.answers)
      .map((range) => (range ? formatCidr(range) : '?'))
      .join(' and ');
  const [first, ...others] = nodes;
  const found = new Map<string, Finding[]>();
  if (!first) return found;
  for (const other of others) {
    if (textOf(other) === textOf(first)) continue;
    const message = `the cluster ranges ${textOf(other)} differ from ${textOf(first)} in ${printable(first.file)}; every control-plane node needs the same`;
    found.set(other.file, [finding('fleet.ranges', 'k3s', message)]);
  }
  return found;
}

function fitOf(report: FileReport, { name, machine }: NamedMachine): Fit {
  const { file, result } = report;
  const base = new Set(result.findings.filter(isError).map((f) => `${f.rule} ${f.path}`));
  const onMachine = lintRead(result.read, machine).findings.filter((f) => isError(f) && !base.has(`${f.rule} ${f.path}`));
  const reasons = result.isValid ? onMachine.map((f) => f.message) : ['the file is not valid'];
  return { file, machine: name, fits: reasons.length === 0, reasons };
}

function place(result: LintResult, findings: readonly Finding[]): readonly PlacedFinding[] {
  return findings.flatMap((f) => result.read.place(f) ?? []);
}

/** @param machines none: only what shows across the files */
export function judgeFleet(reports: readonly FileReport[], machines: readonly NamedMachine[]): Fleet {
  const matrix = reports.flatMap((report) => machines.map((machine) => fitOf(report, machine)));
  const shared = sharedValues(reports);
  const ranges = differingRanges(reports);
  const judged = reports.map((report) => {
    const fits = matrix.filter((fit) => fit.file === report.file);
    const isHomeless = report.result.isValid && fits.length > 0 && fits.every((fit) => !fit.fits);
    const extra = [
      ...(shared.get(report.file) ?? []),
      ...(ranges.get(report.file) ?? []),
      ...(isHomeless ? [finding('fleet.no-machine', 'target_disk', 'the file fits none of the recorded machines')] : []),
    ];
    return { file: report.file, result: withFindings(report.result, place(report.result, extra)) };
  });
  return { reports: judged, matrix };
}

/** The matrix for people: a line a pair, and why it does not fit. */
export function matrixText(matrix: readonly Fit[]): string {
  return matrix
    .map((fit) => {
      const head = `${fit.fits ? 'FITS' : 'NO  '} ${printable(fit.file)}  on  ${printable(fit.machine)}\n`;
      return `${head}${fit.reasons.map((reason) => `       ${printable(reason)}\n`).join('')}`;
    })
    .join('');
}
