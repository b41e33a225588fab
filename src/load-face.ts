/** Loads a face from the source tree. The build puts `load-face-sea.ts` in its place. */
import type { FaceName } from '#model/host.ts';

/** Node strips types from .ts itself, but not from .tsx: the two Ink faces run from dist/spatium only. */
const SOURCES: Readonly<Record<FaceName, string | null>> = {
  lint: '../preseed/main.ts',
  install: '../installer/main.ts',
  wizard: null,
  console: null,
  supervise: './supervisor/main.ts',
  machine: './machine/main.ts',
  status: './status/main.ts',
  boot: './boot/main.ts',
  update: './supervisor/update/main.ts',
  panel: '../test/panel/main.ts',
  pair: './supervisor/pair-main.ts',
};

export const loadFace = (face: FaceName): Promise<unknown> => {
  const source = SOURCES[face];
  if (source === null) throw new Error(`the ${face} face runs from dist/spatium; run \`npm run build\` first`);
  return import(new URL(source, import.meta.url).href);
};
