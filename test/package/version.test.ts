import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

test('the version of package.json is that of the chart, of the guides and of the newest entry of the changelog', () => {
  const { version } = JSON.parse(read('package.json')) as { version: string };
  const [newest] = [...read('CHANGELOG.md').matchAll(/^## (\d+\.\d+\.\d+)/gm)].map(([, name]) => name);
  assert.equal(newest, version);
  const chart = read('deploy/helm/sluice/Chart.yaml');
  assert.deepEqual(
    [...chart.matchAll(/^(?:version|appVersion): (.+)$/gm)].map(([, name]) => name),
    [version, version],
  );
  for (const page of ['README.md', 'docs/install.md', 'docs/production.md'])
    for (const [, named] of read(page).matchAll(/sluice-(\d+\.\d+\.\d+)\.tgz/g))
      assert.equal(named, version, page);
});
