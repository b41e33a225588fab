/**
 * `spatium-config.yaml` on the STATE partition: flat `key: "value"` lines with comments. People mount the
 * partition and edit the file, so one bad line costs that line and nothing else.
 */

export interface StateConfig {
  readonly values: ReadonlyMap<string, string>;
  /** One sentence for each line that could not be read, with its number. */
  readonly warnings: readonly string[];
}

const LINE = /^([a-z][a-z0-9_]*)[ \t]*:(?:[ \t]+(.*))?$/;

/** The text of one value: JSON-like double quotes, YAML single quotes, or bare up to a comment. null: malformed. */
function readValue(raw: string): string | null {
  if (raw.startsWith('"')) {
    const quoted = /^("(?:[^"\\]|\\.)*")[ \t]*(?:#.*)?$/.exec(raw)?.[1];
    if (quoted === undefined) return null;
    try {
      return JSON.parse(quoted) as string;
    } catch {
      return null;
    }
  }
  if (raw.startsWith("'")) {
    const inner = /^'((?:[^']|'')*)'[ \t]*(?:#.*)?$/.exec(raw)?.[1];
    return inner === undefined ? null : inner.replaceAll("''", "'");
  }
  const bare = raw.replace(/(?:^|[ \t]+)#.*$/, '').trim();
  return bare === '~' || bare === 'null' ? '' : bare;
}

/** The last of two lines with one key counts, as in a shell file; the warning says so. */
export function parseStateConfig(text: string): StateConfig {
  const values = new Map<string, string>();
  const warnings: string[] = [];
  for (const [index, line] of text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .entries()) {
    const trimmed = line.trim();
    if (trimmed === '' || trimmed.startsWith('#') || trimmed === '---') continue;
    const [, key, raw = ''] = LINE.exec(line.trimEnd()) ?? [];
    const value = key === undefined ? null : readValue(raw.trim());
    if (key === undefined || value === null) {
      warnings.push(`line ${index + 1} is not key: "value"; it is ignored`);
    } else if (/[\u0000-\u001f\u007f]/.test(value)) {
      warnings.push(`line ${index + 1}: the value of ${key} holds a control character; it is ignored`);
    } else {
      if (values.has(key)) warnings.push(`line ${index + 1}: ${key} is set twice; this one counts`);
      values.set(key, value);
    }
  }
  return { values, warnings };
}

/** The same file with some values changed: comments, order and unread lines stay; new keys go to the end. */
export function withStateValues(text: string, changes: ReadonlyMap<string, string>): string {
  const left = new Map(changes);
  const lines = text.split('\n').map((line) => {
    const key = LINE.exec(line.trimEnd())?.[1];
    const value = key === undefined ? undefined : changes.get(key);
    if (key === undefined || value === undefined) return line;
    left.delete(key);
    return `${key}: ${JSON.stringify(value)}`;
  });
  if (lines.at(-1) === '') lines.pop();
  for (const [key, value] of left) lines.push(`${key}: ${JSON.stringify(value)}`);
  return `${lines.join('\n')}\n`;
}
