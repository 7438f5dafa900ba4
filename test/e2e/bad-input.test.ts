import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createProviderConfig } from '../support/gateway.ts';
import { shareGateway } from '../support/share-gateway.ts';

const ENDPOINTS = ['/v1/messages', '/v1/messages/count_tokens', '/v1/chat/completions'];
const GOOD = JSON.stringify({
  model: 'mock-model',
  max_tokens: 16,
  messages: [{ role: 'user', content: 'hello' }],
});

const gateway = shareGateway({ config: ({ baseUrl }) => createProviderConfig(baseUrl, {}) });

interface Case {
  name: string;
  body: string | Uint8Array;
  headers?: Record<string, string>;
  status: number;
}

const nested = (depth: number) =>
  `{"model":"mock-model","max_tokens":1,"messages":${'['.repeat(depth)}${']'.repeat(depth)}}`;
const withField = (field: string) => GOOD.replace('{', `{${field},`);

const CASES: Case[] = [
  { name: 'an empty body', body: '', status: 400 },
  { name: 'no JSON', body: '{"model": ', status: 400 },
  { name: 'a JSON array', body: '[]', status: 400 },
  { name: 'a JSON null', body: 'null', status: 400 },
  {
    name: 'invalid UTF-8',
    body: Buffer.concat([Buffer.from('{"model":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]),
    status: 400,
  },
  { name: 'a depth of 10,000', body: nested(10_000), status: 400 },
  { name: 'a depth of 1,000,000', body: nested(1_000_000), status: 400 },
  { name: 'a model that is a number', body: GOOD.replace('"mock-model"', '7'), status: 400 },
  {
    name: 'messages that are a string',
    body: '{"model":"mock-model","max_tokens":1,"messages":"hi"}',
    status: 400,
  },
  {
    name: 'a message that is null',
    body: '{"model":"mock-model","max_tokens":1,"messages":[null]}',
    status: 400,
  },
  { name: 'an unknown role', body: GOOD.replace('"user"', '"wizard"'), status: 400 },
  { name: 'no model', body: '{"max_tokens":1,"messages":[{"role":"user","content":"hi"}]}', status: 400 },
  { name: 'tools that are an object', body: withField('"tools":{}'), status: 400 },
  { name: 'a tool without a name', body: withField('"tools":[{}]'), status: 400 },
  { name: 'an unknown model', body: GOOD.replace('mock-model', 'nothing'), status: 404 },
  { name: 'another media type', body: GOOD, headers: { 'content-type': 'text/plain' }, status: 415 },
  { name: 'a compressed body', body: GOOD, headers: { 'content-encoding': 'gzip' }, status: 415 },
];

async function post(path: string, { body, headers }: Pick<Case, 'body' | 'headers'>): Promise<Response> {
  return gateway.request(path, {
    method: 'POST',
    body: body as NonNullable<RequestInit['body']>,
    headers: { 'content-type': 'application/json', ...headers },
  });
}

function assertShape(path: string, body: Record<string, unknown>): void {
  const error = body['error'] as Record<string, unknown>;
  assert.equal(typeof error['message'], 'string');
  assert.equal(typeof error['type'], 'string');
  if (path.startsWith('/v1/messages')) assert.equal(body['type'], 'error');
  else assert.deepEqual(Object.keys(error).sort(), ['code', 'message', 'param', 'type']);
}

async function assertRow(response: Response, status: number): Promise<void> {
  const row = await gateway.waitForRow(response);
  assert.equal(row.finishReason, 'client_error');
  assert.equal(row.status, status);
  assert.equal(row.customer, '0');
}

for (const path of ENDPOINTS) {
  for (const input of CASES) {
    test(`${path} answers ${input.status} to ${input.name}`, async () => {
      const response = await post(path, input);
      assert.equal(response.status, input.status);
      await assertRow(response, input.status);
      assertShape(path, (await response.json()) as Record<string, unknown>);
    });
  }

  test(`${path} refuses 33 MiB with 413 and stays alive`, async () => {
    const response = await post(path, { body: Buffer.alloc(33 * 1024 * 1024, 0x20) });
    assert.equal(response.status, 413);
    assertShape(path, (await response.json()) as Record<string, unknown>);
  });

  for (const [name, headers, status] of [
    ['no credential', { authorization: '' }, 401],
    ['an unknown key', { authorization: 'Bearer slc_nothing' }, 401],
    ['another scheme', { authorization: 'Basic abc' }, 401],
    ['two keys that differ', { 'x-api-key': 'slc_other' }, 401],
  ] as const) {
    test(`${path} answers ${status} to ${name}`, async () => {
      const response = await post(path, { body: GOOD, headers });
      assert.equal(response.status, status);
      assertShape(path, (await response.json()) as Record<string, unknown>);
    });
  }

  test(`${path} answers 405 to GET and names POST`, async () => {
    const response = await gateway.request(path);
    assert.equal(response.status, 405);
    assert.equal(response.headers.get('allow'), 'POST');
  });
}

test('max_tokens must be a whole number that is not negative', async () => {
  for (const value of ['-1', '1.5', '"5"', '1e309', 'null', 'true']) {
    const body = GOOD.replace('"max_tokens":16', `"max_tokens":${value}`);
    const response = await post('/v1/messages', { body });
    assert.equal(response.status, 400, value);
    assert.match(await response.text(), /max_tokens/);
  }
});

test('the log row of a malformed request has the requested model', async () => {
  const bodies: [path: string, rest: object, stream: boolean][] = [
    ['/v1/messages', { max_tokens: 16, messages: 'hello', stream: true }, true],
    ['/v1/messages/count_tokens', { messages: [] }, false],
    ['/v1/chat/completions', { messages: [{ role: 'wizard' }] }, false],
    ['/v1/responses', { input: 'hello', previous_response_id: 'resp_nothing', stream: true }, true],
    ['/v1/embeddings', { input: 7 }, false],
  ];
  for (const [path, rest, stream] of bodies) {
    const response = await post(path, { body: JSON.stringify({ model: 'mock-model', ...rest }) });
    assert.equal(response.status, 400, path);
    const requestId = response.headers.get('x-request-id') ?? '';
    const row = await gateway.run('logs', '--request', requestId);
    assert.deepEqual([row['requested_model'], row['stream']], ['mock-model', stream], path);
  }
  const nameless = await post('/v1/chat/completions', { body: '{"model":7}' });
  const row = await gateway.run('logs', '--request', nameless.headers.get('x-request-id') ?? '');
  assert.equal(row['requested_model'], '');
});

test('a Chat-shaped body on /v1/messages is refused by path and sent to /v1/chat/completions', async () => {
  const shapes = {
    'tools.0': { tools: [{ type: 'function', function: { name: 'f' } }] },
    'messages.0.content.0': {
      messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'x' } }] }],
    },
    'messages.1.content': {
      messages: [
        { role: 'user', content: 'x' },
        { role: 'assistant', content: null },
      ],
    },
  };
  for (const [path, part] of Object.entries(shapes)) {
    const body = JSON.stringify({ ...(JSON.parse(GOOD) as object), ...part });
    const response = await post('/v1/messages', { body });
    assert.equal(response.status, 400);
    const { error } = (await response.json()) as { error: { type: string; message: string } };
    assert.equal(error.type, 'invalid_request_error');
    assert.ok(error.message.includes(path), error.message);
    assert.ok(error.message.includes('/v1/chat/completions'), error.message);
  }
});

test('an unknown address is a 404 in the shape of its neighbourhood', async () => {
  for (const path of ['/v1/messages/nothing', '/v1/nothing', '/nothing']) {
    const response = await gateway.request(path);
    assert.equal(response.status, 404);
    assertShape(path, (await response.json()) as Record<string, unknown>);
  }
});

test('prototype names in a body are data', async () => {
  const body = GOOD.replace(
    '{',
    '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},',
  );
  const response = await post('/v1/messages', { body });
  assert.equal(response.status, 200);
});

test('afterwards the gateway still answers and every hold is resolved', async () => {
  assert.equal((await post('/v1/chat/completions', { body: GOOD })).status, 200);
  const { code, stdout } = await gateway.cli('ledger', 'check');
  assert.equal(code, 0, stdout);
});
