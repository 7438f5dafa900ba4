import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFiles, getDashboard } from '../../../../../test/support/dashboard-files.ts';
import { dashboardFileEndpoint } from './endpoint.ts';

const get = (accepted?: string) =>
  getDashboard(dashboardFileEndpoint, '/dashboard/assets/main-1.js', createFiles(), {
    ...(accepted !== undefined && { 'accept-encoding': accepted }),
  });

test('200: a hashed file is cached for ever, is not sniffed, and comes in the best encoding', async () => {
  const { status, headers, body } = await get('gzip, deflate, br, zstd');
  assert.deepEqual([status, String(body), headers['content-encoding']], [200, 'brotli', 'br']);
  assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable');
  assert.deepEqual([headers['x-content-type-options'], headers['vary']], ['nosniff', 'accept-encoding']);
  for (const [accepted, wanted] of [
    ['gzip', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    [undefined, undefined],
    ['identity', undefined],
  ] as const)
    assert.equal((await get(accepted)).headers['content-encoding'], wanted, accepted);
});

test('404: a file of another build', async () => {
  const other = getDashboard(dashboardFileEndpoint, '/dashboard/assets/main-0.js', createFiles());
  await assert.rejects(other, { code: 'not_found', message: /reload the page/ });
  await assert.rejects(
    getDashboard(dashboardFileEndpoint, '/dashboard/assets/main-1.js', () => undefined),
    {
      code: 'not_found',
    },
  );
});
