import assert from 'node:assert/strict';
import { glob, readFile, stat } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { anchorsIn, codeIn, linksIn, type Found } from './support/markdown-links.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

const DOCUMENTS = ['*.md', 'docs/**/*.md', 'packages/*/README.md'];
/** Documents that say how it was. */
const HISTORY = /^(?:CHANGELOG\.md|docs\/decisions\/)/;
const SOURCES = [
  'packages/*/src/**/*.ts',
  'packages/*/test/**/*.ts',
  'bench/src/**/*.ts',
  'docs/*.ts',
  '.ci/**/*.ts',
];
const SETTINGS = ['*.json', '.*.json', '.ci/run', '.ci/smoke', 'packages/*/package.json'];

/** Documents that the repository does not have, and parts of documents by number. */
const ELSEWHERE =
  /\b(?:wire contract|design|service reference|spec|conventions)\b[^.;]{0,40}\bparts? \d|\bshared\/|\b(?:design|spec|conventions)\.md\b/gi;

/** Paths from the root that stand in comments. */
const NAMED_DOCUMENT =
  /(?<![\w/.-])(?:docs\/[\w/-]+|ARCHITECTURE|CONTRIBUTING|README)\.md(?:#[\w-]+)?/g;

describe('what documents and comments cite', () => {
  test('every link of a document leads somewhere', async () => {
    const wrong: string[] = [];
    for (const [path, text] of await filesOf(DOCUMENTS))
      for (const link of linksIn(text)) {
        const problem = await problemOf(link.text, dirname(path), path);
        if (problem !== undefined) wrong.push(told(path, link, problem));
      }
    assert.deepEqual(wrong, []);
  });

  test('every path of the repository that a document names is there', async () => {
    const wrong: string[] = [];
    for (const [path, text] of await filesOf(DOCUMENTS))
      for (const code of HISTORY.test(path) ? [] : codeIn(text)) {
        if (!/^(?:packages|docs|bench\/src|\.ci)\/[\w./-]+$/.test(code.text)) continue;
        const problem = await problemOf(code.text, '', path);
        if (problem !== undefined) wrong.push(told(path, code, problem));
      }
    assert.deepEqual(wrong, []);
  });

  test('every @see of the sources leads somewhere', async () => {
    const wrong: string[] = [];
    for (const [path, text] of await filesOf(SOURCES))
      for (const comment of commentLines(text)) {
        const [, seen] = /@see\b\s*(.*)$/.exec(comment.text) ?? [];
        if (seen === undefined) continue;
        const [, target = '', note = ''] = /^(\S*)\s*(.*)$/.exec(seen) ?? [];
        const problem = /^(?:\(.*\))?$/.test(note)
          ? await problemOf(target, '', path)
          : 'is not one path or address, with a note in brackets at most';
        if (problem !== undefined) wrong.push(told(path, comment, problem));
      }
    assert.deepEqual(wrong, []);
  });

  test('every document that a comment names is there', async () => {
    const wrong: string[] = [];
    for (const [path, text] of await filesOf(SOURCES))
      for (const comment of commentLines(text))
        for (const [name] of comment.text.matchAll(NAMED_DOCUMENT)) {
          const problem = await problemOf(name, '', path);
          if (problem !== undefined) wrong.push(told(path, comment, problem));
        }
    assert.deepEqual(wrong, []);
  });

  test('nothing cites what the repository does not have', async () => {
    const wrong: string[] = [];
    const found = [
      ...[...(await filesOf(SOURCES))].map(([path, text]) => [path, commentBlocks(text)] as const),
      ...[...(await filesOf([...DOCUMENTS, ...SETTINGS]))].map(
        ([path, text]) => [path, linesOf(text)] as const,
      ),
    ];
    for (const [path, pieces] of found)
      for (const { line, text } of pieces)
        for (const [cited] of text.matchAll(ELSEWHERE))
          wrong.push(told(path, { line, text: cited }, 'is not in the repository'));
    assert.deepEqual(wrong, []);
  });
});

describe('links and anchors', () => {
  for (const [heading, anchor] of [
    ['## Two paths to one route', 'two-paths-to-one-route'],
    ['## Retry of `search_not_ready`', 'retry-of-search_not_ready'],
    ['### Replication config (required)', 'replication-config-required'],
    ['## `a.list`, and _more_: 1 − x', 'alist-and-more-1--x'],
    ['# [A page](there.md) #', 'a-page'],
  ] as const)
    test(`${heading} is #${anchor}`, () => {
      assert.deepEqual([...anchorsIn(heading)], [anchor]);
    });

  test('headings of one name are numbered, and those in code are none', () => {
    assert.deepEqual([...anchorsIn('# A\n```sh\n# B\n```\n## A\n')], ['a', 'a-1']);
  });

  test('links are found in prose alone', () => {
    const text = '[a](x.md#y) `[b](z)` <https://c.example>\n```md\n[d](e)\n```\n[f]: g.md';
    assert.deepEqual(linksIn(text), [
      { line: 1, text: 'x.md#y' },
      { line: 1, text: 'https://c.example' },
      { line: 5, text: 'g.md' },
    ]);
  });

  for (const [target, problem] of [
    ['docs/search.md#filters', undefined],
    ['docs/search.md#nowhere', 'docs/search.md has no heading #nowhere'],
    ['docs/nowhere.md', 'there is no docs/nowhere.md'],
    ['../elsewhere.md', 'is outside the repository'],
    ['https://example.com/a#b', undefined],
    ['https://exa mple.com', 'is no address'],
    ['http://example.com', 'is no address'],
    ['http://127.0.0.1:8080/docs', undefined],
    ['', 'is empty'],
  ] as const)
    test(`${target || 'nothing'} ${problem ?? 'leads somewhere'}`, async () => {
      assert.equal(await problemOf(target, '', 'README.md'), problem);
    });
});

/** What is wrong with a target, if anything is: an address, a path from `folder`, or an anchor. */
async function problemOf(
  target: string,
  folder: string,
  from: string,
): Promise<string | undefined> {
  if (target === '') return 'is empty';
  if (/^[a-z]+:/.test(target)) return isAddress(target) ? undefined : 'is no address';
  const [file = '', anchor] = target.split('#');
  const path = file === '' ? from : relative(ROOT, join(ROOT, folder, file));
  if (path.startsWith('..')) return 'is outside the repository';
  const found = await stat(join(ROOT, path)).catch(ifMissing);
  if (found === undefined) return `there is no ${path}`;
  if (anchor === undefined) return undefined;
  const anchors = path.endsWith('.md') ? anchorsIn(await readFile(join(ROOT, path), 'utf8')) : null;
  return anchors?.has(anchor) === true ? undefined : `${path} has no heading #${anchor}`;
}

/** Whatever is not of this machine is reached safely. */
function isAddress(target: string): boolean {
  return /^https:\/\/|^http:\/\/127\.0\.0\.1(?=[:/])/.test(target) && URL.canParse(target);
}

function ifMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

function told(path: string, { line, text }: Found, problem: string): string {
  return `${path}:${line}: ${text.trim()} (${problem})`;
}

/** Texts by path from the root. */
async function filesOf(patterns: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  for (const pattern of patterns)
    for await (const path of glob(pattern, { cwd: ROOT }))
      files.set(path, await readFile(join(ROOT, path), 'utf8'));
  assert.ok(files.size > 0, `there is nothing at ${patterns.join(', ')}`);
  return files;
}

function linesOf(text: string): readonly Found[] {
  return text.split('\n').map((line, index) => ({ line: index + 1, text: line }));
}

/** What lines of a source say in comments. */
function commentLines(source: string): readonly Found[] {
  return linesOf(source).flatMap(({ line, text }) => {
    const [, whole, atEnd] = /^\s*(?:\/\*\*?|\*(?!\/)|\/\/)(.*)$|\s\/\/ (.*)$/.exec(text) ?? [];
    const said = whole ?? atEnd;
    return said === undefined ? [] : [{ line, text: said.replace(/\*\/\s*$/, '').trim() }];
  });
}

/** Comments as one text each, since a sentence goes on in the next line. */
function commentBlocks(source: string): readonly Found[] {
  const blocks: { line: number; last: number; text: string }[] = [];
  for (const { line, text } of commentLines(source)) {
    const block = blocks.at(-1);
    if (block?.last === line - 1) {
      block.last = line;
      block.text += ` ${text}`;
    } else blocks.push({ line, last: line, text });
  }
  return blocks;
}
