import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configureFormats } from '../../test/support/gateway.ts';
import { openInProcess } from '../../test/support/in-process.ts';

const APP = 'https://app.example.com';
const PREFLIGHT = {
  'access-control-request-method': 'POST',
  'access-control-request-headers': 'authorization,content-type',
};
const ASK = { model: 'chat-model', messages: [{ role: 'user', content: 'hello' }] };

const open = (origins: string) =>
  openInProcess({
    config: (upstream) => `server: { corsOrigins: [${origins}] }\n${configureFormats(upstream)}`,
  });

const allowed = (response: Response) => response.headers.get('access-control-allow-origin');

test('pages of a listed origin call the gateway, no others, and none its administration', async () => {
  await using gateway = await open(`"${APP}"`);
  const preflight = (path: string, origin: string) =>
    fetch(`${gateway.url}${path}`, { method: 'OPTIONS', headers: { origin, ...PREFLIGHT } });
  for (const path of ['/v1/chat/completions', '/api/v1/chat/completions']) {
    const response = await preflight(path, APP);
    assert.deepEqual([response.status, allowed(response)], [204, APP]);
    assert.equal(response.headers.get('access-control-allow-methods'), 'POST');
    assert.equal(response.headers.get('access-control-allow-headers'), 'authorization,content-type');
    assert.equal(response.headers.get('vary'), 'origin');
  }
  for (const [path, origin] of [
    ['/v1/chat/completions', 'https://evil.example'],
    ['/admin/v1/organizations', APP],
    ['/%61dmin/v1/organizations', APP],
    ['/dashboard/login', APP],
  ] as const) {
    const response = await preflight(path, origin);
    assert.deepEqual([response.status, allowed(response)], [405, null], path);
  }
  for (const stream of [false, true]) {
    const response = await gateway.post('/v1/chat/completions', { ...ASK, stream }, { origin: APP });
    await response.text();
    assert.deepEqual([response.status, allowed(response)], [200, APP]);
    assert.equal(response.headers.get('access-control-expose-headers'), '*');
  }
  const refused = await gateway.post('/v1/chat/completions', {}, { origin: APP });
  assert.deepEqual([refused.status, allowed(refused)], [400, APP], 'a page can read why');
  assert.match((await gateway.request('/v1/models')).headers.get('vary') ?? '', /^$|origin/);
});

test('by default no page of another origin can call it; `*` allows any', async () => {
  await using closed = await open('');
  const none = await closed.post('/v1/chat/completions', ASK, { origin: APP });
  assert.deepEqual([none.status, allowed(none)], [200, null]);
  await using opened = await open('"*"');
  const any = await opened.post('/v1/chat/completions', ASK, { origin: APP });
  assert.deepEqual([any.status, allowed(any)], [200, '*']);
});
