/** Findings for the machines of others: SARIF 2.1.0, and the annotations of GitHub Actions. */
import path from 'node:path';
import { isError, type PlacedFinding } from '#model/finding.ts';
import { ruleOf } from '#rules/catalogue.ts';
import { printable } from '#rules/show.ts';
import type { FileReport } from './report.ts';

const findingsOf = (reports: readonly FileReport[]): readonly PlacedFinding[] => reports.flatMap(({ result }) => result.findings);

/** Relative to the working directory where it lies below, as code scanning wants it; else a file URI. Escaped as a URI needs. */
function uriOf(file: string): string {
  const inside = path.relative('', file);
  const name = inside === '' || inside.startsWith('..') || path.isAbsolute(inside) ? path.resolve(file) : inside;
  const escaped = name.split('/').map(encodeURIComponent).join('/');
  return name.startsWith('/') ? `file://${escaped}` : escaped;
}

/**
 * A text as a plain SARIF message (2.1.0, 3.11.5 and 3.11.6): braces are doubled, since {0} would be a placeholder,
 * and what an answer spells like a link is no link.
 */
const sarifText = (text: string): { readonly text: string } => ({ text: text.replace(/[{}]/g, '$&$&').replaceAll('](', '] (') });

function sarifResult(finding: PlacedFinding, ruleIndex: number): unknown {
  const region = {
    startLine: finding.line,
    startColumn: finding.column,
    ...(finding.endColumn === undefined ? {} : { endLine: finding.line, endColumn: finding.endColumn }),
  };
  const text = finding.fix === undefined ? finding.message : `${finding.message} (fix: ${finding.fix})`;
  return {
    ruleId: finding.rule,
    ruleIndex,
    level: finding.severity,
    message: sarifText(text),
    locations: [
      {
        physicalLocation: { artifactLocation: { uri: uriOf(finding.file) }, region },
        ...(finding.path === '' ? {} : { logicalLocations: [{ fullyQualifiedName: finding.path }] }),
      },
    ],
  };
}

/** `hostname.too-long` as `HostnameTooLong`: SARIF wants an identifier beside the id. */
const pascalCase = (id: string): string => id.replace(/(?:^|[.-])([a-z0-9])/g, (_, first: string) => first.toUpperCase());

/** Home of the product; the rules are explained by the program itself. */
const INFORMATION_URI = 'https://github.com/spatiumnorth/spatiumddi';

/** SARIF 2.1.0: one run, with the rules that occur in it. */
export function sarifReport(reports: readonly FileReport[], version: string): string {
  const findings = findingsOf(reports);
  const ids = [...new Set(findings.map((finding) => finding.rule))].sort();
  const rules = ids.map((id) => {
    const spec = ruleOf(id);
    return {
      id,
      name: pascalCase(id),
      shortDescription: sarifText(spec?.summary ?? id),
      fullDescription: sarifText(spec?.summary ?? id),
      help: sarifText(`${spec?.summary ?? id} More: spatium explain ${id}`),
      defaultConfiguration: { level: spec?.severity ?? 'error' },
    };
  });
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'spatium-check-preseed', informationUri: INFORMATION_URI, version, rules } },
        columnKind: 'utf16CodeUnits',
        results: findings.map((finding) => sarifResult(finding, ids.indexOf(finding.rule))),
      },
    ],
  };
  return `${JSON.stringify(log, null, 2)}\n`;
}

const escapeData = (text: string): string => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
const escapeProperty = (text: string): string => escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');

/** A line a finding, as GitHub's workflow commands want it. */
export function githubReport(reports: readonly FileReport[]): string {
  return findingsOf(reports)
    .map((finding) => {
      const end = finding.endColumn === undefined ? '' : `,endColumn=${finding.endColumn}`;
      const at = `file=${escapeProperty(printable(finding.file))},line=${finding.line},col=${finding.column}${end},title=${escapeProperty(finding.rule)}`;
      const fix = finding.fix === undefined ? '' : ` (fix: ${finding.fix})`;
      return `::${isError(finding) ? 'error' : 'warning'} ${at}::${escapeData(printable(finding.message + fix))}\n`;
    })
    .join('');
}
