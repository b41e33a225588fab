/** The answer block becomes `Answers`, key by key as the registry declares them; every scalar stays the text that was written. */
import type { Answers } from '#model/answers.ts';
import { Secret } from '#model/secret.ts';
import { type KeySpec, keyAt, namesIn } from '#rules/keys.ts';
import { readBoolean } from '#rules/read-scalars.ts';
import { CREDENTIALS, secretParts } from '#rules/show.ts';
import { isUserName } from '#rules/user-name.ts';
import { entriesOf } from './entries.ts';
import type { Sink, Span } from './sink.ts';
import type { Entry, ListTree, MapTree, ScalarTree, Tree } from './tree.ts';
import { article, isNull, KIND_WORDS, PLAIN_TAGS, PUBLIC_KEY, TYPED_TAGS, typeFix } from './values.ts';
import { isHarmless, read11 } from './yaml11.ts';

export class FieldReader {
  readonly #sink: Sink;
  readonly #text: string;

  constructor(sink: Sink, text: string) {
    this.#sink = sink;
    this.#text = text;
  }

  /** Reads a mapping of keys below `block` (empty: the answer block itself). */
  read(map: MapTree, block: string): Answers {
    const answers: Record<string, unknown> = {};
    for (const entry of entriesOf(map, block, this.#sink)) {
      const name = entry.key;
      const path = block === '' ? name : `${block}.${name}`;
      const spec = keyAt(path);
      if (spec === undefined || name.includes('.')) continue;
      const key: Span = { start: entry.keyStart, end: entry.keyEnd };
      this.#sink.places.set(path, { key, value: { start: entry.value.start, end: entry.value.end } });
      this.#sink.showKey(key);
      this.#noteTab(path, entry);
      const value = this.#value(spec, entry.value, key);
      if (value === undefined) this.#sink.broken.add(path);
      else answers[name] = value;
    }
    return answers as Answers;
  }

  #noteTab(path: string, entry: Entry): void {
    const between = this.#text.slice(entry.keyEnd, entry.value.start);
    if (/^[^\n]*\t/.test(between) && !between.includes('#'))
      this.#sink.report(
        path,
        'yaml.tab',
        'a tab stands between the colon and the value; other YAML readers (PyYAML, cloud-init) refuse it',
        { start: entry.keyStart, end: entry.keyEnd },
        'replace the tab with a space',
      );
  }

  #value(spec: KeySpec, tree: Tree, key: Span): unknown {
    if ((tree.kind === 'scalar' && tree.isLost) || !this.#hasGoodTag(spec, tree, key)) return undefined;
    if (this.#isTemplate(tree)) {
      this.#reportTemplate(spec.path, key);
      return undefined;
    }
    switch (spec.type) {
      case 'block':
        return this.#block(spec, tree, key);
      case 'secret':
        return this.#secret(spec, tree, key);
      case 'list':
      case 'lines':
        return this.#list(spec, tree, key);
      case 'text':
      case 'boolean':
      case 'number':
        return this.#scalar(spec, tree, key);
    }
  }

  #hasGoodTag(spec: KeySpec, tree: Tree, key: Span): boolean {
    if (tree.tag === null || (tree.kind === 'scalar' && PLAIN_TAGS.has(tree.tag))) return true;
    if (tree.tag === 'tag:yaml.org,2002:map' || tree.tag === 'tag:yaml.org,2002:seq') return true;
    const isVault = tree.tag === '!vault';
    const message = isVault
      ? 'the value is encrypted (tag !vault): nobody decrypts it at install time'
      : 'the value has a tag (!...) of a programming language or tool; an answer file holds plain texts, lists and mappings only';
    this.#sink.report(
      spec.path,
      'yaml.tag',
      message,
      key,
      isVault ? 'decrypt the file before it is used' : 'take the tag out, or put the value in quotes',
    );
    return false;
  }

  #spanOf(tree: Tree): Span {
    return { start: tree.start, end: tree.end };
  }

  /** `{{ x }}` without quotes is a mapping within a mapping to YAML. */
  #isTemplate(tree: Tree): boolean {
    return tree.kind === 'map' && /^\{\s*\{/.test(this.#text.slice(tree.start, tree.end));
  }

  #reportTemplate(path: string, at: Span): void {
    const message = 'the template was not rendered: {{...}} is left where the value should be';
    this.#sink.report(path, 'value.template', message, at, 'render the template before it is used as an answer file');
  }

  #wrongType(spec: KeySpec, tree: Tree, key: Span, wanted: string): undefined {
    const source = this.#text.slice(tree.start, tree.end);
    this.#sink.report(
      spec.path,
      'value.type',
      `${spec.path} must be ${wanted}, not ${KIND_WORDS[tree.kind]}`,
      key,
      typeFix(spec, tree, source),
    );
    return undefined;
  }

  #block(spec: KeySpec, tree: Tree, key: Span): unknown {
    if (tree.kind === 'map') return this.read(tree, spec.path);
    if (isNull(tree) || (tree.kind === 'scalar' && tree.text.trim() === '')) {
      this.#sink.report(
        spec.path,
        'value.empty',
        `${spec.path} is empty and counts as absent`,
        key,
        'write its keys below it, or take it out',
      );
      return undefined;
    }
    return this.#wrongType(spec, tree, key, `a mapping with the keys ${namesIn(spec.path).join(', ')}`);
  }

  #secret(spec: KeySpec, tree: Tree, key: Span): Secret | undefined {
    if (tree.kind !== 'scalar') return this.#wrongType(spec, tree, key, 'a text');
    this.#noteReading(spec.path, tree, true);
    this.#noteComment(spec.path, tree);
    if (isNull(tree)) return new Secret('');
    let text = tree.text;
    if (tree.style === 'block' && text.endsWith('\n')) {
      text = text.slice(0, -1);
      this.#sink.report(
        spec.path,
        'value.newline',
        'the final newline of the block text is dropped',
        key,
        'write the value in quotes, or with |- instead of |',
      );
    }
    this.#sink.hide(text);
    return new Secret(text);
  }

  /** ` #` cuts a plain secret; a comment that starts without a blank was hardly meant as one. */
  #noteComment(path: string, tree: ScalarTree): void {
    if (tree.style !== 'plain') return;
    const after = /^[ \t]+#([^\r\n]?)/.exec(this.#text.slice(tree.end));
    if (after?.[1] !== undefined && /\S/.test(after[1]) && after[1] !== '#')
      this.#sink.report(
        path,
        'yaml.comment',
        'the value ends before the #: a # after a blank starts a comment',
        this.#spanOf(tree),
        'put the whole value in quotes if the # belongs to it',
      );
  }

  /** The warning about other readers: what a YAML 1.1 reader would make of the same characters. */
  #noteReading(path: string, tree: ScalarTree, isSecret: boolean): void {
    if (tree.style !== 'plain' || (tree.tag !== null && !TYPED_TAGS.has(tree.tag)) || isNull(tree)) return;
    const other = read11(tree.text);
    if (!other || isHarmless(other, tree.text)) return;
    const quoted = `"${tree.text}"`;
    const readers = 'a YAML 1.1 reader (PyYAML, cloud-init)';
    const what = other.kind === 'error' ? 'refuses it' : `reads ${article(other.kind)}`;
    if (isSecret)
      this.#sink.report(
        path,
        'yaml.reading',
        `${path} is read as the text that is written; ${readers} ${what} instead`,
        this.#spanOf(tree),
        'put the value in quotes',
      );
    else
      this.#sink.report(
        path,
        'yaml.reading',
        `${path} is read as the text ${quoted}; ${readers} ${what}${other.kind === 'error' ? '' : `, ${other.text}`}`,
        this.#spanOf(tree),
        `write ${quoted}`,
      );
  }

  #scalar(spec: KeySpec, tree: Tree, key: Span): string | undefined {
    if (tree.kind !== 'scalar') return this.#wrongType(spec, tree, key, spec.type === 'text' ? 'a text' : `a ${spec.type}`);
    if (isNull(tree)) return '';
    const text = tree.style === 'block' ? tree.text.replace(/\n+$/, '') : tree.text;
    const isAstray = this.#hideCredentials(spec, text);
    if (spec.type === 'text') this.#noteReading(spec.path, tree, isAstray);
    if (spec.type === 'boolean' && tree.style === 'quoted' && readBoolean(text).faults.length === 0)
      this.#sink.report(
        spec.path,
        'boolean.quoted',
        `${spec.path} is quoted, which makes it a text for other readers; it is taken as the boolean`,
        this.#spanOf(tree),
        `write ${text.trim().toLowerCase()} without quotes`,
      );
    if (!isAstray) this.#sink.visible.push(this.#spanOf(tree));
    return text;
  }

  /** True for a value that holds, or may hold, a secret although its key is for something else; it is not shown then. */
  #hideCredentials(spec: KeySpec, text: string): boolean {
    const isName = spec.path !== 'admin_user' || text.trim() === '' || isUserName(text.trim());
    const isUrl = spec.path === 'control_plane_url' || CREDENTIALS.test(text);
    const parts = isUrl ? secretParts(text) : [];
    if (isName && parts.length === 0) return false;
    for (const part of [text, ...parts]) this.#sink.hide(part);
    return true;
  }

  #list(spec: KeySpec, tree: Tree, key: Span): string[] | string | undefined {
    if (tree.kind === 'map') return this.#wrongType(spec, tree, key, 'a list, or one text');
    if (tree.kind === 'list') return this.#items(spec, tree, key);
    if (isNull(tree) || tree.text.trim() === '') {
      this.#sink.report(spec.path, 'value.empty', `${spec.path} is empty and counts as absent`, key, 'write a value, or take the key out');
      return undefined;
    }
    if (spec.type === 'lines') return this.#lines(spec, [tree]);
    const isAstray = this.#hideCredentials(spec, tree.text);
    this.#noteReading(spec.path, tree, isAstray);
    if (!isAstray) this.#sink.visible.push(this.#spanOf(tree));
    const parts = tree.text.split(spec.path === 'network.dns' ? /[ \t\r\n,]+/ : /[ \t\r\n]+/).filter((part) => part !== '');
    for (const [i] of parts.entries()) this.#sink.places.set(`${spec.path}[${i}]`, { key, value: this.#spanOf(tree) });
    return parts;
  }

  #items(spec: KeySpec, tree: ListTree, key: Span): string[] {
    // An entry that has been reported keeps its place in the list as an empty text, which no rule looks at.
    const scalars = tree.items.map((item, i) => this.#entryOf(spec, `${spec.path}[${i}]`, item));
    if (spec.type === 'lines') return this.#lines(spec, scalars);
    return scalars.map((item, i) => {
      const path = `${spec.path}[${i}]`;
      if (item === null) return '';
      this.#sink.places.set(path, { key, value: this.#spanOf(item) });
      const isAstray = this.#hideCredentials(spec, item.text);
      if (!isAstray) this.#sink.visible.push(this.#spanOf(item));
      this.#noteReading(path, item, isAstray);
      return item.text.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, '');
    });
  }

  /** The text of a list entry; null for one that is none, which is reported. */
  #entryOf(spec: KeySpec, path: string, item: Tree): ScalarTree | null {
    const span = this.#spanOf(item.kind === 'scalar' ? item : { ...item, end: item.start });
    if (this.#isTemplate(item)) this.#reportTemplate(path, span);
    else if (item.kind !== 'scalar' || (item.tag !== null && !PLAIN_TAGS.has(item.tag)))
      this.#sink.report(
        path,
        'value.type',
        `an entry of ${spec.path} must be a text, not ${item.kind === 'scalar' ? 'a tagged value' : KIND_WORDS[item.kind]}`,
        span,
      );
    else if (isNull(item) || item.text.trim() === '') {
      if (!item.isLost) this.#sink.report(path, 'value.empty', `an entry of ${spec.path} is empty and is skipped`, span);
    } else return item;
    return null;
  }

  /** One entry a line; blank lines and comments are dropped. Lines of a private key are hidden. */
  #lines(spec: KeySpec, scalars: readonly (ScalarTree | null)[]): string[] {
    const found: string[] = [];
    for (const scalar of scalars) {
      if (scalar === null) {
        found.push('');
        continue;
      }
      const isPrivate = /PRIVATE KEY|PuTTY-User-Key-File/.test(scalar.text);
      const lines = scalar.text.split('\n');
      let from = scalar.start;
      for (const raw of lines) {
        const line = raw.trim();
        if (line === '' || line.startsWith('#')) continue;
        const at = lines.length > 1 ? this.#text.indexOf(line, from) : -1;
        const span = at >= 0 && at < scalar.end ? { start: at, end: at + line.length } : this.#spanOf(scalar);
        if (at >= 0) from = span.end;
        this.#sink.places.set(`${spec.path}[${found.length}]`, { key: span, value: span });
        if (isPrivate) this.#sink.hide(line);
        else if (PUBLIC_KEY.test(line)) this.#sink.visible.push(span);
        found.push(line);
      }
    }
    return found;
  }
}
