import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createTemporaryFolder } from '../../test/support/temporary.ts';
import { readDashboardFiles } from '../../src/app/lifecycle/dashboard-files.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const FIRST_LOAD_KIB = 300;
const files = readDashboardFiles();
const noBuild = files === undefined && 'the dashboard is not built: run "npm run build -w web"';

test(
  'the first load is at most 300 KiB; a screen that is not first is loaded when it is opened',
  {
    skip: noBuild,
  },
  () => {
    const first = new Set<string>();
    const add = (name: string): void => {
      const file = files?.get(name);
      if (!file || first.has(name)) return;
      first.add(name);
      const text = file.bytes.toString('utf8');
      if (name === 'index.html')
        for (const [, place = ''] of text.matchAll(/(?:src|href)="\.\/([^"]*)"/g)) add(place);
      else if (name.endsWith('.js'))
        for (const [, place = ''] of text.matchAll(/(?:from|import)\s*"\.\/([^"]*)"/g))
          add(`assets/${place}`);
    };
    add('index.html');
    const sizes = [...first].map((name) => (files?.get(name)?.gzip ?? files?.get(name)?.bytes)?.length ?? 0);
    const total = sizes.reduce((sum, size) => sum + size, 0);
    assert.ok(total > 100 * 1_024 && total < FIRST_LOAD_KIB * 1_024, `${total} bytes`);
    const scripts = [...(files?.keys() ?? [])].filter((name) => name.endsWith('.js'));
    assert.ok(
      scripts.some((name) => !first.has(name)),
      scripts.join(' '),
    );
  },
);

test('the page has nothing inline, and names its files relative to itself', { skip: noBuild }, () => {
  const page = files?.get('index.html')?.bytes.toString('utf8') ?? '';
  assert.doesNotMatch(page, /<style|\son\w+=|javascript:|https?:\/\//);
  const places = [...page.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, place = '']) => place);
  assert.ok(places.length >= 3, page);
  for (const place of places) assert.ok(files?.has(place.replace(/^\.\//, '')), place);
  assert.match(page, /<script type="module"[^>]*><\/script>/);
});

test('what is generated from docs/openapi.json is up to date: `npm run generate -w web` writes it', () => {
  using folder = createTemporaryFolder();
  const types = join(folder.path, 'schema.ts');
  const members = join(folder.path, 'body-members.ts');
  const generator = fileURLToPath(
    new URL('bin/cli.js', import.meta.resolve('openapi-typescript/package.json')),
  );
  const format = [join(root, 'node_modules/oxfmt/bin/oxfmt'), '--config', join(root, '.oxfmtrc.json')];
  for (const args of [
    [generator, 'docs/openapi.json', '-o', types],
    ['web/generate.ts', members],
    [...format, types, members],
  ]) {
    const { status, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
    assert.equal(status, 0, stderr);
  }
  for (const fresh of [types, members]) {
    const written = join('web/src/api', basename(fresh));
    assert.ok(readFileSync(fresh, 'utf8') === readFileSync(join(root, written), 'utf8'), written);
  }
});
