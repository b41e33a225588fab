/**
 * make-cache.cjs CHUNK.js OUT.cache NAME [ARG...]: compiles a chunk as the executable will, runs its face once with
 * ARG... into fake terminals so that the hot functions are compiled, and writes V8's code cache.
 * Run by the very node binary that is shipped.
 */
const fs = require('node:fs');
const { createRequire } = require('node:module');
const { PassThrough } = require('node:stream');
const { Script } = require('node:vm');

const [, , chunk, out, name, ...argv] = process.argv;
const WARM_MS = 2500;

function fakeTerminal() {
  const stream = new PassThrough();
  stream.isTTY = true;
  stream.columns = 80;
  stream.rows = 24;
  stream.setRawMode = () => stream;
  stream.ref = () => stream;
  stream.unref = () => stream;
  return stream;
}

const output = fakeTerminal().resume();
const errors = fakeTerminal().resume();
const input = fakeTerminal();
const exit = () => {};
const fake = new Proxy(process, {
  get(target, key) {
    if (key === 'stdout') return output;
    if (key === 'stderr') return errors;
    if (key === 'stdin') return input;
    if (key === 'exit') return exit;
    const value = Reflect.get(target, key, target);
    return typeof value === 'function' ? value.bind(target) : value;
  },
});

// Faces that write without a stream are silent too.
const { writeSync } = fs;
const devices = new Set([1, 2]);
fs.writeSync = (fd, data, ...rest) => (devices.has(fd) ? data.length - (rest[0] ?? 0) : writeSync(fd, data, ...rest));

const source = fs.readFileSync(chunk, 'latin1');
const script = new Script(`(function(exports,require,module,process){${source}\n})`, { filename: `${name}.js` });
const module_ = { exports: {} };
script.runInThisContext()(module_.exports, createRequire('/'), module_, fake);

function finish() {
  const data = script.createCachedData();
  fs.writeFileSync(out, data);
  fs.writeSync = writeSync;
  process.stdout.write(`${name}: ${Math.round(source.length / 1024)} kB, cache ${Math.round(data.length / 1024)} kB\n`);
  process.exit(0);
}

const warm =
  typeof module_.exports.warm === 'function'
    ? () => module_.exports.warm(fake)
    : () => module_.exports.run(argv, { program: name, version: 'warm', load: async () => ({}) });
if (argv.length === 0 && typeof module_.exports.warm !== 'function') finish();
else {
  Promise.race([Promise.resolve().then(warm), new Promise((resolve) => setTimeout(resolve, WARM_MS))]).then(finish, (error) => {
    process.stderr.write(`${name}: warm run failed: ${error?.stack ?? error}\n`);
    finish();
  });
}
