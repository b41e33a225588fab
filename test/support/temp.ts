/** Places for a test to write. Those of the run's own temporary directory go with it (`temp-root.ts`). */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

export const tempDir = (): string => fs.mkdtempSync(path.join(os.tmpdir(), 'spatium-'));

/** Writes a file, and the folders on the way to it. */
export function putFile(file: string, content: string | Uint8Array, mode?: number): void {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, content, mode === undefined ? {} : { mode });
}

/** A file tree in a directory of its own: text is a file, `-> x` a link, null an empty directory. */
export function fileTree(files: Readonly<Record<string, string | null>>): string {
  const root = tempDir();
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(root, name);
    fs.mkdirSync(content === null ? file : path.dirname(file), { recursive: true });
    if (content?.startsWith('-> ')) fs.symlinkSync(content.slice(3), file);
    else if (content !== null) fs.writeFileSync(file, content);
  }
  return root;
}
