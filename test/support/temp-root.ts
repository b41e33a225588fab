/** One temporary directory for a whole run of a tier, removed after it: tests, and what they start, leave nothing behind. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

export default function setup(): () => void {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'spatium-tests-'));
  // Some tests run a program as somebody else.
  fs.chmodSync(root, 0o755);
  process.env['TMPDIR'] = root;
  return () => fs.rmSync(root, { recursive: true, force: true });
}
