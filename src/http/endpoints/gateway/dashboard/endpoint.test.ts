import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Endpoint } from '../../../endpoint.ts';
import { createRouter } from '../../../router.ts';
import { type SentReply, createFiles, getDashboard } from '../../../../../test/support/dashboard-files.ts';
import { dashboardEndpoint } from './endpoint.ts';

const get = (path: string, dashboard = createFiles()): Promise<SentReply> =>
  getDashboard(dashboardEndpoint, path, dashboard);

test('200: the policy allows nothing inline and nothing from elsewhere, and no page may frame it', async () => {
  const { status, headers, body } = await get('/dashboard/');
  assert.equal(status, 200);
  const policy = headers['content-security-policy'] ?? '';
  assert.doesNotMatch(policy, /unsafe|\*|https?:/);
  for (const rule of [
    "default-src 'none'",
    "script-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ])
    assert.ok(policy.split('; ').includes(rule), rule);
  assert.deepEqual(
    ['x-content-type-options', 'x-frame-options', 'referrer-policy', 'cache-control'].map(
      (name) => headers[name],
    ),
    ['nosniff', 'DENY', 'no-referrer', 'no-store'],
  );
  const nonce = /'nonce-(\w{22})'/.exec(policy)?.[1] ?? '';
  assert.match(String(body), new RegExp(`content="${nonce}"`));
});

test('200: each response has a nonce of its own', async () => {
  const [one, two] = [await get('/dashboard/'), await get('/dashboard/')];
  assert.notEqual(one.headers['content-security-policy'], two.headers['content-security-policy']);
});

test('308: without the slash its relative links would miss it; the redirect keeps a path prefix', async () => {
  const { status, headers } = await get('/dashboard');
  assert.deepEqual([status, headers['location']], [308, 'dashboard/']);
  assert.equal(new URL('dashboard/', 'https://a.example/prefix/dashboard').pathname, '/prefix/dashboard/');
});

test('404: without a build it says in one sentence what to run', async () => {
  const none = get('/dashboard/', () => undefined);
  await assert.rejects(none, { code: 'not_found', message: /^the dashboard is not built: run "npm ci" or / });
});

test('200: the gateway routes both spellings to it', () => {
  const router = createRouter([dashboardEndpoint satisfies Endpoint]);
  for (const path of ['/dashboard', '/dashboard/'])
    assert.equal(router.find('GET', path).endpoint, dashboardEndpoint);
});
