/** Loads a face from the assets inside the executable, with the V8 code cache made at build time. */
import { createRequire } from 'node:module';
import { getRawAsset } from 'node:sea';
import { Script } from 'node:vm';
import type { FaceName } from '#model/host.ts';

/** Must be the wrapper and file name that scripts/build/make-cache.cjs compiled, or V8 rejects the cache. */
const wrapChunk = (source: string): string => `(function(exports,require,module,process){${source}\n})`;

type ChunkFunction = (exports: unknown, require: NodeJS.Require, module: { exports: unknown }, process: NodeJS.Process) => void;

// Chunks hold everything but Node's own modules; asking the module loader for those costs a short run a millisecond.
const requireBuiltin = ((id: string) => process.getBuiltinModule(id) ?? createRequire('/')(id)) as NodeJS.Require;

export const loadFace = async (face: FaceName): Promise<unknown> => {
  const source = Buffer.from(getRawAsset(`${face}.js`)).toString('latin1');
  const script = new Script(wrapChunk(source), { filename: `${face}.js`, cachedData: Buffer.from(getRawAsset(`${face}.cache`)) });
  if (script.cachedDataRejected && process.env['SPATIUM_DEBUG_CACHE']) process.stderr.write(`code cache of ${face} rejected\n`);
  const module = { exports: {} as unknown };
  (script.runInThisContext() as ChunkFunction)(module.exports, requireBuiltin, module, process);
  return module.exports;
};
