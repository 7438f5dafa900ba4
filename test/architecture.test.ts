import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
  createFileGraph,
  createFolderGraphs,
  findCycle,
  findFullFolders,
  findOwnershipBreaches,
  findRoomBreaches,
  findSiblingBreaches,
  findTextBreaches,
} from './support/import-rules.ts';
import {
  type SourceFile,
  isTest,
  listFiles,
  parseImports,
  readSourceTree,
  stripComments,
} from './support/source-tree.ts';

const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');
const sources = readSourceTree(root, 'src');
const ROOMS = readRoomTable();
const MAX_LINES = 300;
const MAX_FILES = 30;
/** The waivers as the linter reads them. */
const { default: waivers } = (await import(new URL('../lint.waivers.js', import.meta.url).href)) as {
  default: { files: string[]; rules: Record<string, unknown> }[];
};

/** The block `rooms` of `ARCHITECTURE.md`: one room per line, then what it may import. */
function readRoomTable(): Record<string, readonly string[]> {
  const [, block = ''] = /```rooms\n([^`]+)\n```/.exec(readFileSync(`${root}/ARCHITECTURE.md`, 'utf8')) ?? [];
  assert.ok(block, 'ARCHITECTURE.md has no block `rooms`');
  const rows = block.split('\n').map((row) => row.split(/\s+/));
  return Object.fromEntries(rows.map(([room = '', ...seen]) => [room, seen]));
}

function createSource(path: string, text: string): SourceFile {
  return { path, text, imports: parseImports(text) };
}

function countLines(text: string): number {
  return stripComments(text)
    .split('\n')
    .filter((line) => line.trim() !== '').length;
}

test('rooms look only downwards, and only through an index', () => {
  assert.deepEqual(findRoomBreaches(sources, ROOMS), []);
});

test('formats, providers and endpoints never look at a sibling', () => {
  assert.deepEqual(findSiblingBreaches(sources), []);
});

test('a driver is known only to the room that owns it', () => {
  assert.deepEqual(findOwnershipBreaches(sources), []);
});

test('only app reads the environment; nothing is exported by star or default', () => {
  assert.deepEqual(findTextBreaches(sources), []);
});

test('no import runs in a circle, between files or between folders', () => {
  assert.equal(findCycle(createFileGraph(sources)), undefined);
  for (const [folder, graph] of createFolderGraphs(sources)) {
    assert.equal(findCycle(graph)?.join(' → '), undefined, `a circle inside ${folder}`);
  }
});

test('the room table itself has no circle and names only rooms', () => {
  const graph = new Map(Object.entries(ROOMS).map(([room, seen]) => [room, new Set(seen)]));
  assert.equal(findCycle(graph), undefined);
  for (const seen of Object.values(ROOMS).flat()) assert.ok(seen in ROOMS, `${seen} is no room`);
});

test('src holds the known rooms and main.ts, nothing else', () => {
  const strangers = listFiles(root, 'src').filter((path) => {
    const [, room = '', rest] = path.split('/');
    return !(room in ROOMS && rest !== undefined) && path !== 'src/main.ts';
  });
  assert.deepEqual(strangers, []);
});

test('the catalogue is data: yaml below providers and models, no code', () => {
  const known = /^catalogue\/(providers\/[^/]+\.yaml|models\/[^/]+\/[^/]+\.yaml|[^/]+\.(yaml|json|md))$/;
  assert.deepEqual(
    listFiles(root, 'catalogue').filter((path) => !known.test(path)),
    [],
  );
});

test('files are named in kebab-case for a noun, never for a junk drawer', () => {
  const junk = /(^|[-/])(utils?|helpers?|common|manager|service|handle|handler|misc)([-./]|$)/;
  const wrong = [...listFiles(root, 'src'), ...listFiles(root, 'test'), ...listFiles(root, 'bench')].filter(
    (path) => path.endsWith('.ts') && (!/^[a-z0-9./-]+$/.test(path) || junk.test(path)),
  );
  assert.deepEqual(wrong, []);
});

test('no source file outgrows 300 lines without a waiver, and no waiver outlives its file', () => {
  const waived = new Set(waivers.flatMap((entry) => (entry.rules['max-lines'] ? entry.files : [])));
  const large = sources.filter((file) => !isTest(file.path) && countLines(file.text) > MAX_LINES);
  assert.deepEqual(
    large.map((file) => file.path).filter((path) => !waived.has(path)),
    [],
  );
  const named = waivers.flatMap((entry) => entry.files).filter((path) => !path.includes('*'));
  for (const path of named)
    assert.ok(existsSync(`${root}/${path}`), `a waiver for ${path}, which does not exist`);
});

test('a folder has at most 30 source files', () => {
  const paths = [...listFiles(root, 'src'), ...listFiles(root, 'web/src')];
  assert.deepEqual(findFullFolders(paths, MAX_FILES), []);
});

test('base contains no domain terms', () => {
  const index = sources.find((file) => file.path === 'src/base/index.ts');
  assert.ok(index);
  const word =
    /caller|format(Id|s\b)|provider|model|mapping|generation|attempt|trip|outcome|settle|tenant|token/i;
  assert.deepEqual(
    [...index.text.matchAll(/\b[A-Za-z]+\b/g)].map(String).filter((name) => word.test(name)),
    [],
  );
});

test('the rules themselves catch a planted breach of every kind', () => {
  const planted = [
    createSource('src/base/a.ts', "import { x } from '#errors';"),
    createSource(
      'src/wire/chat/b.ts',
      "import type { Y } from '../messages/index.ts';\nimport { z } from '../contract.ts';",
    ),
    createSource('src/wire/chat/c.ts', "import { h } from '../tools/h.ts';"),
    createSource('src/wire/tools/h.ts', "import { b } from '../chat/b.ts';"),
    createSource(
      'src/routing/c.ts',
      "import {\n  a,\n  b,\n} from '../catalogue/deep/file.ts';\nimport '#wire/messages';",
    ),
    createSource(
      'src/logs/d.ts',
      "export * from './e.ts';\nconst { Pool } = await import('pg');\nprocess.env.HOME;",
    ),
    createSource('src/logs/e.ts', "import { d } from './d.ts';\nexport default d;"),
    createSource('src/http/endpoints/gateway/key/f.ts', "import { g } from '../models/endpoint.ts';"),
    createSource('src/main.ts', "import { start } from '#app';"),
  ];
  assert.deepEqual(
    findRoomBreaches(planted, ROOMS).map(({ path }) => path),
    ['src/base/a.ts', 'src/routing/c.ts', 'src/routing/c.ts', 'src/main.ts'],
  );
  assert.deepEqual(
    findSiblingBreaches(planted).map(({ path }) => path),
    ['src/wire/chat/b.ts', 'src/wire/tools/h.ts', 'src/http/endpoints/gateway/key/f.ts'],
  );
  assert.deepEqual(
    findOwnershipBreaches(planted).map(({ path }) => path),
    ['src/logs/d.ts'],
  );
  assert.deepEqual(
    findTextBreaches(planted).map(({ reason }) => reason),
    ['reads the environment', 'exports a star', 'has a default export'],
  );
  assert.deepEqual(findCycle(createFileGraph(planted)), ['src/logs/d.ts', 'src/logs/e.ts', 'src/logs/d.ts']);
  const folders = createFolderGraphs([
    createSource('src/accounts/ledger/a.ts', "import { b } from '../keys/b.ts';"),
    createSource('src/accounts/keys/c.ts', "import { d } from '../ledger/d.ts';"),
  ]);
  assert.deepEqual(findCycle(folders.get('src/accounts') ?? new Map()), ['ledger', 'keys', 'ledger']);
  assert.deepEqual(findFullFolders(['src/a/b.ts', 'src/a/c.tsx', 'src/a/b.test.ts', 'src/a/d/e.ts'], 1), [
    'src/a: 2',
  ]);
});

test('a circle between a folder and a file beside it is found', () => {
  const folders = createFolderGraphs([
    createSource('src/wire/request/tier.ts', "import { FACTS } from '../facts.ts';"),
    createSource('src/wire/facts.ts', "import { chatFacts } from './chat/facts.ts';"),
    createSource('src/wire/chat/encode.ts', "import { tier } from '../request/tier.ts';"),
    createSource('src/wire/index.ts', "export { FACTS } from './facts.ts';"),
  ]);
  const circle = ['request', 'facts.ts', 'chat', 'request'];
  assert.deepEqual(findCycle(folders.get('src/wire') ?? new Map()), circle);
});
