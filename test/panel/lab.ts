/** A folder for `spatium supervise --lab`: settings, bootstrap token and machine id of an appliance that asks this panel. */
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { PATHS } from '#model/limits.ts';
import type { ApplianceKind } from '#model/pull.ts';
import { ensureDir, exists, writeAtomic } from '#system/files.ts';

const DMI = 'sys/class/dmi/id';

/** Settings always, for the port may be another one today; the token only where there is none, since an appliance uses it once. */
export async function layLab(dir: string, url: string, kind: ApplianceKind, mint: () => Promise<string>): Promise<void> {
  const at = (file: string): string => path.join(dir, file);
  await ensureDir(path.dirname(at(PATHS.pullSettingsLocal)));
  await writeAtomic(at(PATHS.pullSettingsLocal), `${JSON.stringify({ kind, panel: url, pins: [] })}\n`);
  await ensureDir(at(DMI));
  if (await exists(at(`${DMI}/product_serial`))) return;
  await writeAtomic(at(`${DMI}/product_uuid`), `${randomUUID()}\n`);
  await writeAtomic(at(`${DMI}/product_serial`), `${await mint()}\n`, { mode: 0o400 });
}
