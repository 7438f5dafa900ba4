import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { RULE_TYPES } from '#accounts';
import { parseJson } from '#base';
import { ERRORS } from '#errors';
import { ENDPOINTS } from '#http';
import { logType } from '#logs';
import { MEDIA } from '#media';
import { parseManifest } from '../../src/app/apply/read-manifest.ts';
import { loadSettings } from '../../src/app/settings/load-settings.ts';
import { readPlanSettings } from '../../src/app/settings/sections/read-plan-settings.ts';
import { parseSettingsFile } from '../../src/app/settings/file/settings-file.ts';
import { createSettingsSchema } from '../../src/app/settings/schemas/settings-schema.ts';
import { createTemporaryFolder } from '../support/temporary.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const guides = ['README.md', ...globSync('docs/**/*.md', { cwd: root }).sort()];
const maps = ['ARCHITECTURE.md', 'CONTRIBUTING.md', ...guides];

/** Every match of a pattern's first group, with the page it stands on. */
function findAll(pages: readonly string[], pattern: RegExp): [page: string, text: string][] {
  return pages.flatMap((page) =>
    [...read(page).matchAll(pattern)].map(([, text = '']): [string, string] => [page, text]),
  );
}

/** An address as guides and code both write it: parameters have no names, and a method of Gemini's is left out. */
function normalize(path: string): string {
  return path
    .replaceAll(/\{\w+\}|:\w+|(?<=\/)\*/g, '{}')
    .replace(/^\/v1beta\/models\/\{\}.*/, '/v1beta/models/{}');
}

test('every endpoint is in the table that its users read, and every endpoint of the tables exists', () => {
  const pages = ['README.md', 'docs/administration.md', 'docs/media.md'];
  const cells = findAll(pages, /^\| (`[^|]*`) \|/gm);
  const reported = new Set(
    cells.flatMap(([, cell]) => (cell.match(/(?<=[ `])\/[\w/.{}:]*/g) ?? []).map(normalize)),
  );
  const paths = new Set(ENDPOINTS.map(({ path }) => normalize(path)));
  const isOfAdmin = (path: string): boolean => path.startsWith('/admin/'); // the next test
  assert.deepEqual(
    [...paths].filter((path) => !isOfAdmin(path) && !reported.has(path)),
    [],
    'endpoints without a row in the tables of README.md, docs/administration.md and docs/media.md',
  );
  assert.deepEqual(
    [...reported].filter((path) => !paths.has(path) && path !== '/admin/v1/'),
    [],
    'no endpoints',
  );
});

test('the table of docs/media.md has every medium', () => {
  const cells = findAll(['docs/media.md'], /^\| (`[^|]*`) \|/gm).map(([, cell]) => cell);
  const missing = Object.values(MEDIA).filter(({ path }) => !cells.includes(`\`POST ${path}\``));
  assert.deepEqual(
    missing.map(({ path }) => path),
    [],
    'media without a row in the table of docs/media.md',
  );
});

test('the table of ClickHouse has a column for each member of rows that are exported', () => {
  const columns = new Set(
    [...read('deploy/clickhouse/schema.sql').matchAll(/^ {4}(\w+) /gm)].map(([, name]) => name),
  );
  // An insert skips what is no column.
  const without = new Set(['object', 'units']);
  const members = [
    ...Object.keys((logType.answer as { properties: object }).properties),
    'settled_at',
    'position',
  ];
  assert.deepEqual(
    members.filter((name) => !columns.has(name) && !without.has(name)),
    [],
    'members of exported rows without a column in deploy/clickhouse/schema.sql',
  );
});

test('every error of the table is one that the gateway answers with', () => {
  const files = globSync('src/**/*.ts', { cwd: root, exclude: ['**/*.test.ts', 'src/errors/table.ts'] });
  const source = files.map(read).join('\n');
  const unused = Object.keys(ERRORS).filter((code) => !new RegExp(`\\b${code}\\b`).test(source));
  assert.deepEqual(unused, [], 'errors of src/errors/table.ts that nothing throws');
});

/** `GET /admin/v1/keys/{}` of cells such as “`POST`, `GET /admin/v1/keys`; `GET`, `POST …/{id}`”. */
function readOperations(cell: string): string[] {
  const operations: string[] = [];
  let base = '';
  let methods: string[] = [];
  let isNew = true;
  for (const [, method, path] of cell.matchAll(/`(GET|POST|DELETE)?\s?([/…][^` ]*)?`/g)) {
    if (method !== undefined) methods = isNew ? [method] : [...methods, method];
    isNew = path !== undefined;
    if (path === undefined) continue;
    if (path.startsWith('/')) base = path.replace(/\/\{id\}.*/, '');
    operations.push(...methods.map((each) => `${each} ${normalize(path.replace('…', base))}`));
  }
  return operations;
}

test('the table of administration has every method of every endpoint, and no other', () => {
  const cells = findAll(['docs/administration.md'], /^\| (`[^|]*`) \|/gm).map(([, cell]) => cell);
  const shown = cells.filter((cell) => cell.includes('/admin/v1')).flatMap(readOperations);
  const known = ENDPOINTS.filter(({ path }) => path.startsWith('/admin/'));
  assert.deepEqual(
    shown.toSorted(),
    known.map(({ method, path }) => `${method} ${normalize(path)}`).sort(),
    'the table of docs/administration.md (+) has other methods than src/http/endpoints/admin (-)',
  );
});

/** Asserts that a `compose.override.yaml` changes services of `compose.yaml`. */
function assertOverride(text: string): void {
  const { services } = parse(text) as { services: object };
  const { services: known } = parse(read('compose.yaml')) as { services: object };
  for (const name of Object.keys(services)) assert.ok(name in known, name);
}

test('every configuration that a guide shows is valid', () => {
  // Which is the secret of a webhook, too.
  const environment = new Proxy({}, { get: () => `whsec_${'A'.repeat(32)}` });
  const blocks = findAll(guides, /```yaml\n([\s\S]*?)```/g);
  assert.ok(blocks.length > 5);
  for (const [page, text] of blocks) {
    if (text.startsWith('services:')) assertOverride(text);
    else if (text.startsWith('organizations:')) assert.deepEqual(parseManifest(page, text).problems, []);
    else assert.doesNotThrow(() => parseSettingsFile({ name: page, text }, environment), page);
  }
});

test('the README shows every member of the configuration, with its default', async () => {
  const [, text = ''] = /```yaml\n(server:[\s\S]*?)```/.exec(read('README.md')) ?? [];
  const { content } = parseSettingsFile({ name: 'README.md', text }, {});
  const members = Object.keys(createSettingsSchema().properties);
  // The default of some depends on the machine: they are shown as a comment.
  const commented = [...text.matchAll(/^# (\w+): /gm)].map(([, name = '']) => name);
  assert.deepEqual(
    [...Object.keys(content), ...commented].toSorted(),
    members.filter((name) => name !== 'providers').toSorted(),
  );
  using folder = createTemporaryFolder();
  folder.write('stated.yaml', text);
  const load = async (flags: { config?: string }) => {
    const settings = await loadSettings({ flags, environment: {}, workingDirectory: folder.path });
    return { ...settings, file: '', fileText: '', sources: [] };
  };
  assert.deepEqual(await load({ config: 'stated.yaml' }), await load({}));
});

test('the documented plan limits equal the code’s', () => {
  const [, text = ''] = /```yaml\n(plans:[\s\S]*?)```/.exec(read('docs/limits.md')) ?? [];
  assert.deepEqual(
    readPlanSettings(parseSettingsFile({ name: 'limits.md', text }, {}).content.plans),
    readPlanSettings(),
  );
});

test('every type of access rule has its line', () => {
  const page = read('docs/limits.md');
  for (const type of Object.keys(RULE_TYPES)) assert.ok(page.includes(`\`${type}\``), type);
});

test('every error that a guide names is given with that status', () => {
  const named = findAll(guides, /(\b[45]\d\d `[a-z_]+`)/g);
  assert.ok(named.length > 5);
  for (const [page, text] of named) {
    const [status = '', code = ''] = text.replaceAll('`', '').split(' ');
    const entry = Object.entries(ERRORS).find(([name]) => name === code)?.[1];
    assert.equal(entry?.status, Number(status), `${page}: ${text}`);
  }
});

/** What programs of the reader's own are shown with. */
const READERS_OWN = ['SLUICE_ADMIN_KEY'];

test('every variable that is read is in the README, and every one that a guide names is read', () => {
  const sources = globSync('src/{app,cli}/**/*.ts', { cwd: root }).filter(
    (path) => !path.endsWith('.test.ts'),
  );
  const known = new Set(
    findAll(sources, /['.](SLUICE_[A-Z_]+|DATABASE_URL|REDIS_URL)\b/g).map(([, name]) => name),
  );
  const readme = read('README.md');
  for (const name of known) assert.ok(readme.includes(`\`${name}\``), `${name} is not in the README`);
  for (const [page, name] of findAll(guides, /\b(SLUICE_[A-Z_]+)\b/g))
    assert.ok(known.has(name) || READERS_OWN.includes(name), `${page}: the variable ${name} is not read`);
});

test('every file that a page names is there', () => {
  const named = findAll(
    maps,
    /`((?:src|test|docs|bench|catalogue)\/[\w./-]+|(?:pipeline|http)\/[\w-]+\.ts)`/g,
  );
  assert.ok(named.length > 50);
  for (const [page, path] of named)
    assert.ok(
      [path, `src/${path}`].some((place) => existsSync(join(root, place))),
      `${page}: ${path}`,
    );
});

test('every dependency has its reason', () => {
  const page = read('docs/decisions/0008-dependencies.md');
  const manifest = parseJson(read('package.json')) as Record<string, Record<string, string>>;
  const reasons = [...page.matchAll(/`([^` ]+)`/g)].map(([, name = '']) => name);
  const isFor = (reason: string, name: string): boolean =>
    reason.endsWith('*') ? name.startsWith(reason.slice(0, -1)) : name === reason;
  const names = ['dependencies', 'optionalDependencies', 'devDependencies'].flatMap((kind) =>
    Object.entries(manifest[kind] ?? {}).map(([name, version]) => /^npm:(.+)@/.exec(version)?.[1] ?? name),
  );
  for (const name of names)
    assert.ok(
      reasons.some((reason) => isFor(reason, name)),
      `${name} has no line`,
    );
});
