import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toResponse } from '../../test/support/raw-exchange.ts';
import { RawClient } from '../../test/support/raw-client.ts';
import { assertRefusal } from '../../test/support/refusal.ts';
import { ENDPOINTS } from './endpoints/index.ts';
import { createRouter } from './router.ts';
import { shareGateway } from '../../test/support/share-gateway.ts';

const ASK = { model: 'chat-model', max_tokens: 16, messages: [{ role: 'user', content: 'hello' }] };

const gateway = shareGateway();

const formatOf = (path: string) => (path.includes('/messages') ? 'messages' : 'chat');

/** Sends a request target unchanged; `fetch` would normalize it. */
async function ask(target: string, method = 'GET'): Promise<Response> {
  using client = await RawClient.open(gateway.url);
  const { apiKey } = gateway.account;
  client.send(
    `${method} ${target} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${apiKey}\r\nconnection: close\r\n\r\n`,
  );
  return toResponse(await client.waitForEnd());
}

test('an address is matched in a time that grows with its length: the square of this one would not end', () => {
  const patterns = ENDPOINTS.flatMap(({ pattern }) => pattern ?? []);
  assert.ok(patterns.length > 1);
  for (const start of ['/v1', '/v1beta'])
    for (const part of ['/models/', '/models/:a', ':aA', '/'])
      for (const pattern of patterns) pattern.test(`${start}/models/${part.repeat(1_000_000)}`);
});

test('an unknown address is a 404 in the shape of its neighbourhood', async () => {
  for (const path of [
    '/v1',
    '/v1/nothing',
    '/v2/messages',
    '/v1/messages/nothing',
    '/favicon.ico',
    '/admin',
  ]) {
    for (const method of ['GET', 'POST', 'DELETE']) {
      const response = await gateway.request(path, { method });
      await assertRefusal(response, { format: formatOf(path), status: 404, code: 'not_found' });
    }
  }
});

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** Whether the last part of an address is an id to another endpoint: `GET /v1/responses/input_tokens`. */
function isReadAsId(address: string, method: string): boolean {
  const ids = ENDPOINTS.filter((endpoint) => endpoint.method === method).flatMap(({ path, aliases }) =>
    [path, ...aliases].filter((each) => each.endsWith('/:id')),
  );
  return ids.some((each) => {
    const prefix = each.slice(0, -':id'.length);
    return address.startsWith(prefix) && /^[^:/]+$/.test(address.slice(prefix.length));
  });
}

test('another method is a 405 that names those that are taken', async () => {
  for (const { method: first, path, aliases, format } of ENDPOINTS) {
    const name = first === 'GET' ? 'name' : 'name:generateContent';
    const same = ENDPOINTS.filter((endpoint) => endpoint.path === path);
    for (const address of [path, ...aliases].map((each) =>
      each.replace('*', name).replace(':deployment', 'm'),
    )) {
      const own = same
        .filter(({ pattern }) => pattern?.test(address) !== false)
        .map(({ method }): string => method);
      const taken = METHODS.filter((method) => own.includes(method) || isReadAsId(address, method));
      const allow = [...taken, ...(taken.includes('GET') ? ['HEAD'] : [])].sort().join(', ');
      for (const method of METHODS.filter((each) => !taken.includes(each))) {
        const response = await gateway.request(address, { method });
        assert.equal(response.headers.get('allow'), allow, `${method} ${address}`);
        await assertRefusal(response, { format, status: 405, code: 'method_not_allowed' });
      }
    }
  }
});

test('rare methods are refused, not served', async () => {
  for (const method of ['TRACE', 'PROPFIND', 'QUERY', 'PURGE', 'SUBSCRIBE', 'M-SEARCH'])
    await assertRefusal(await ask('/v1/key', method), {
      format: 'chat',
      status: 405,
      code: 'method_not_allowed',
    });
});

test('HEAD of what can be read has the status and the length of GET, and no body', async () => {
  for (const { path, method } of ENDPOINTS.filter((endpoint) => endpoint.method === 'GET')) {
    const [head, get] = [await gateway.request(path, { method: 'HEAD' }), await gateway.request(path)];
    const length = Buffer.byteLength(await get.text());
    assert.equal(head.status, get.status, `${method} ${path}`);
    assert.equal(head.headers.get('content-length'), String(length));
    assert.equal(head.headers.get('cache-control'), get.headers.get('cache-control'));
    assert.equal(await head.text(), '');
  }
  const head = await gateway.request('/v1/messages', { method: 'HEAD' });
  assert.equal(head.status, 405);
  assert.equal(head.headers.get('allow'), 'POST');
});

test('[D-52] a query never changes which endpoint answers', async () => {
  for (const query of [
    '?beta=true',
    '?',
    '?beta=true&beta=false',
    '?/v1/key',
    '?a=%00',
    '?%ff',
    '??',
    '?#',
  ]) {
    const response = await gateway.post(`/v1/messages${query}`, ASK);
    assert.equal(response.status, 200, query);
    const { type } = (await response.json()) as { type: string };
    assert.equal(type, 'message');
    assert.equal((await gateway.getRow(response)).endpoint, '/v1/messages');
  }
});

test('other spellings of an address answer the same, and are one endpoint in the row', async () => {
  for (const { path, aliases, method, format } of ENDPOINTS) {
    if (/[:*]/.test(path)) continue;
    const body = format === 'responses' ? { model: ASK.model, input: 'hello' } : ASK;
    for (const alias of aliases) {
      const address = alias.replace(':deployment', ASK.model);
      if (method === 'GET') {
        assert.equal(
          await (await gateway.request(address)).text(),
          await (await gateway.request(path)).text(),
        );
      } else {
        const response = await gateway.post(address, body);
        assert.equal(response.status, (await gateway.post(path, body)).status, address);
        assert.equal((await gateway.getRow(response)).endpoint, path);
      }
    }
  }
});

test('a slash at the end is accepted', async () => {
  assert.equal((await ask('/v1/key/')).status, 200);
  assert.equal((await gateway.post('/v1/messages/', ASK)).status, 200);
});

/** Paths that a proxy and a server may interpret differently. */
const TRICKS = [
  '//v1/key',
  '/v1//key',
  '/v1/key//',
  '///',
  '/%2e%2e/v1/key',
  '/v1/%2e%2e/v1/key',
  '/v1/models/../key',
  '/./v1/key',
  '/v1/./key',
  '/v1/models/%2e%2e/key',
  '/v1/messages/%2e%2e/key',
  '/v1/messages/..%2fkey',
  '/v1%2fkey',
  '/v1%2Fkey',
  '/v1%252fkey',
  '/v1/key%00',
  '/v1/key%00.json',
  '/v1/key%0a',
  '/v1/key%0d%0aset-cookie:%20a=b',
  '/v1/key%20',
  '/v1/key;',
  '/v1/key;a=b',
  '/v1;a=b/key',
  '/v1/key%3f',
  '/v1/key%23',
  '/v1/key.json',
  '/v1/key~',
  '/v1/key*',
  '/V1/KEY',
  '/v1/Key',
  '/v1\\key',
  '/v1/%',
  '/v1/key%',
  '/v1/key%z',
  '/%ff%fe',
  '/%c0%ae%c0%ae/v1/key',
  '/v1/%ef%bd%8bey',
  '/__proto__',
  '/constructor',
  '/v1/hasOwnProperty',
  '/:path',
  '/v1/:key',
  '/*',
  '/v1/*',
  '/.git/config',
  '/etc/passwd',
  '/..',
  '/v1/messages/count_tokens/../../key',
  'http://evil.example/v1/key',
  'http://127.0.0.1/v1/key',
  'https://evil.example/',
  '*',
  `/${'a'.repeat(20_000)}`,
  `/v1/messages/${'%2e'.repeat(10_000)}`,
];

test('tricks with paths are a 404 or a 400 in the right shape, and open nothing', async () => {
  for (const target of TRICKS) {
    const response = await ask(target);
    const [status, code] = target.startsWith('/')
      ? ([404, 'not_found'] as const)
      : ([400, 'malformed_http'] as const);
    assert.equal(response.status, status, target.slice(0, 80));
    assert.equal(response.headers.get('set-cookie'), null);
    const message = await assertRefusal(response, { format: formatOf(target), status, code });
    assert.ok(message.length < 400);
  }
});

test('a percent-encoded path reaches the same endpoint and requires its key', async () => {
  for (const target of ['/v1/%6bey', '/%76%31/key']) {
    assert.equal((await ask(target)).status, 200);
    const response = await gateway.request(target, { headers: { authorization: '' } });
    await assertRefusal(response, { format: 'chat', status: 401, code: 'missing_credential' });
  }
});

test('the gateway does not start with an endpoint that declares no authentication', () => {
  const [endpoint] = ENDPOINTS;
  assert.ok(endpoint && createRouter([endpoint]));
  for (const auth of [undefined, '', 'everybody', null]) {
    const undeclared = { ...endpoint, auth } as unknown as typeof endpoint;
    assert.throws(() => createRouter([undeclared]), /POST \/v1\/messages has no auth policy/);
  }
});
