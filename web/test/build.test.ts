import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readDashboardFiles } from '../../src/app/lifecycle/dashboard-files.ts';

const FIRST_LOAD_KIB = 300;
const files = readDashboardFiles();
const noBuild = files === undefined && 'the dashboard is not built: run "npm run build -w web"';

test('the first load is at most 300 KiB', { skip: noBuild }, () => {
  const sizes = [...(files?.values() ?? [])].map(({ gzip, bytes }) => (gzip ?? bytes).length);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  assert.ok(total < FIRST_LOAD_KIB * 1_024, `${total} bytes`);
});

test('the page has nothing inline, and names its files relative to itself', { skip: noBuild }, () => {
  const page = files?.get('index.html')?.bytes.toString('utf8') ?? '';
  assert.doesNotMatch(page, /<style|\son\w+=|javascript:|https?:\/\//);
  const places = [...page.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, place = '']) => place);
  assert.ok(places.length >= 3, page);
  for (const place of places) assert.ok(files?.has(place.replace(/^\.\//, '')), place);
  assert.match(page, /<script type="module"[^>]*><\/script>/);
});
