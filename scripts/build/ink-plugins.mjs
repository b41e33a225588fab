/**
 * esbuild plugins that let Ink and Yoga stand in one CommonJS chunk and start fast.
 * Every pattern is checked: an update of a package that moves it fails the build, not the appliance.
 * Numbers: docs/decisions/0003-single-file.md.
 */
import fs from 'node:fs';

function must(ok, what) {
  if (!ok) throw new Error(`${what} is not as the bundle plugin expects; look at scripts/build/ink-plugins.mjs`);
}

const js = (contents) => ({ loader: 'js', contents });
const read = (args) => fs.readFileSync(args.path, 'utf8');

/** Yoga compiles its WebAssembly while its module is awaited; CommonJS has no top-level await, so compile at once. */
const synchronousYoga = {
  name: 'synchronous-yoga',
  setup(build) {
    build.onLoad({ filter: /yoga-layout\/dist\/src\/index\.js$/ }, (args) => {
      must(read(args).includes('wrapAssembly(await loadYoga())'), 'yoga-layout/index.js');
      return js(`
        import loadYoga, { wasmBytes } from '../binaries/yoga-wasm-base64-esm.js';
        import wrapAssembly from './wrapAssembly.js';
        const yoga = {
          instantiateWasm(imports, done) {
            const instance = new WebAssembly.Instance(new WebAssembly.Module(wasmBytes()), imports);
            done(instance);
            return instance.exports;
          },
        };
        loadYoga(yoga);
        export default wrapAssembly(yoga);
        export * from './generated/YGEnums.js';`);
    });
    build.onLoad({ filter: /yoga-wasm-base64-esm\.js$/ }, (args) => {
      let base64;
      const source = read(args).replace(/"data:application\/octet-stream;base64,([A-Za-z0-9+/=]+)"/, (_, data) => {
        base64 = data;
        return '"data:application/octet-stream;base64,"';
      });
      must(base64, 'the WebAssembly inside yoga-layout');
      return js(`${source}\nexport const wasmBytes = () => Buffer.from(${JSON.stringify(base64)}, 'base64');`);
    });
  },
};

/** Ink awaits its developer tools in two blocks that never run here. */
const withoutDevtools = {
  name: 'ink-without-devtools',
  setup(build) {
    build.onLoad({ filter: /ink\/build\/reconciler\.js$/ }, (args) => {
      const blocks = /^if \(process\.env\['DEV'\] === 'true'\) \{[\s\S]*?^\}/gm;
      const source = read(args);
      must((source.match(blocks) ?? []).length === 2, 'ink/build/reconciler.js');
      return js(source.replace(blocks, ''));
    });
  },
};

/** Characters that are one cell wide, one grapheme, and never part of an emoji. */
const SIMPLE_TEXT = String.raw`/^[ -~\u00a1-\u00a8\u00aa-\u00ac\u00af-\u02ff\u2190-\u2193\u2500-\u259f\u25a0\u2800-\u28ff]*$/`;

/** The first emoji expression and the first Intl.Segmenter cost 40 ms and more; plain text needs neither. */
const fastText = {
  name: 'fast-text',
  setup(build) {
    build.onLoad({ filter: /node_modules\/string-width\/index\.js$/ }, (args) => {
      const source = read(args);
      const emoji = 'const rgiEmojiRegex = /^\\p{RGI_Emoji}$/v;';
      must(source.includes('export default function stringWidth(') && source.includes(emoji), 'string-width');
      return js(`${source
        .replace('export default function stringWidth(', 'function measuredWidth(')
        .replace('new Intl.Segmenter(', 'lazySegmenter(')
        .replace(
          emoji,
          () => "let emoji; const rgiEmojiRegex = { test: (text) => (emoji ??= new RegExp('^\\\\p{RGI_Emoji}$', 'v')).test(text) };",
        )}
        const simpleText = ${SIMPLE_TEXT}, sgr = /\\u001b\\[[0-9;]*m/g;
        export default function stringWidth(input, options) {
          if (typeof input === 'string') {
            const plain = input.includes('\\u001b') ? input.replace(sgr, '') : input;
            if (simpleText.test(plain)) return plain.length;
          }
          return measuredWidth(input, options);
        }`);
    });
    build.onLoad({ filter: /node_modules\/.*\.js$/ }, (args) => {
      if (/ink\/build\/reconciler|yoga-layout/.test(args.path)) return undefined;
      const source = read(args);
      return source.includes('new Intl.Segmenter(') ? js(source.replaceAll('new Intl.Segmenter(', 'lazySegmenter(')) : undefined;
    });
  },
};

/** Goes before a chunk that holds Ink: a segmenter that is made only for text that needs one. */
export const segmenterPrelude = `var lazySegmenter=(()=>{const simple=${SIMPLE_TEXT};return(locale,options)=>{let real;return{segment(text){
if(simple.test(text))return{*[Symbol.iterator](){for(let i=0;i<text.length;i++)yield{segment:text[i],index:i,input:text}},containing(i){return{segment:text[i],index:i,input:text}}};
return(real??=new Intl.Segmenter(locale,options)).segment(text)}}}})();`;

export const inkPlugins = [synchronousYoga, withoutDevtools, fastText];
