import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { JsonObject } from '#base';
import { type CommandResult, runCommand } from '../support/command-line.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { type MockUpstream, startMockUpstream } from '../support/mock-upstream.ts';
import { fail } from '../support/upstream-replies.ts';
import { until } from '../support/until.ts';

const KEYS = {
  ACME_KEY: 'sk-canary-acme-0123456789',
  NEW_KEY: 'sk-canary-acme-9876543210',
  SLUICE_PROVIDER_KEY: 'sk-canary-mock-5555555555',
};

let upstream: MockUpstream;
let gateway: Gateway;
let written = '';

before(async () => {
  upstream = await startMockUpstream();
  gateway = await startGateway({
    config: [
      `customProviders: { trustedHosts: ["127.0.0.1:${upstream.port}"] }`,
      'providers:',
      `  - { id: mock, format: chat, baseUrl: "${upstream.baseUrl}", apiKey: gateway-key, models: [`,
      '      { id: mock-model, contextLength: 1000, maxOutput: 100, price: { input: "1", output: "1" } } ] }',
      '',
    ].join('\n'),
  });
});
after(async () => {
  await gateway[Symbol.asyncDispose]();
  await upstream.close();
});

async function run(...args: string[]): Promise<CommandResult> {
  const place = ['--json', '--data-dir', gateway.dataDir, '--config', gateway.configFile];
  const result = await runCommand([...args, ...place], KEYS);
  written += result.stdout + result.stderr;
  return result;
}

async function runJson(...args: string[]): Promise<JsonObject> {
  const { code, json, stdout, stderr } = await run(...args);
  assert.equal(code, 0, `${args.join(' ')}: ${stderr}`);
  assert.ok(json, stdout);
  return json;
}

const ask = (model: string) =>
  fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hello' }] }),
  });

/** A change made by a command reaches the gateway by a notification. */
async function waitForKey(model: string, key: string): Promise<Response> {
  let response: Response | undefined;
  await until(`${model} is asked with the key`, async () => {
    upstream.clear();
    response = await ask(model);
    return upstream.truths[0]?.headers['authorization'] === `Bearer ${key}`;
  });
  assert.ok(response);
  return response;
}

test('a custom provider from its first line to its last, on a gateway that runs', async () => {
  const added = await runJson(
    'custom-providers',
    'add',
    'acme',
    '--format',
    'chat',
    '--base-url',
    `${upstream.baseUrl}/`,
    '--key-env',
    'ACME_KEY',
  );
  assert.deepEqual(
    [added['name'], added['base_url'], added['masked'], added['readable']],
    ['acme', upstream.baseUrl, '…6789', true],
  );
  const unpriced = await run(
    'custom-models',
    'add',
    'acme/large',
    '--context',
    '1000',
    '--max-output',
    '100',
  );
  assert.equal(unpriced.code, 1);
  assert.match(unpriced.stderr, /price: must be given/);
  await runJson(
    'custom-models',
    'add',
    'acme/large',
    '--context',
    '1000',
    '--max-output',
    '100',
    '--price-input',
    '3',
    '--price-output',
    '15',
    '--price-cache-write-1h',
    '6',
    '--price-reasoning',
    '20',
  );
  const { data: models } = await runJson('custom-models', 'list');
  assert.deepEqual((models as JsonObject[])[0]?.['price'], {
    input: '3',
    output: '15',
    cacheWrite1h: '6',
    reasoning: '20',
  });
  const response = await waitForKey('acme/large', KEYS.ACME_KEY);
  assert.equal(response.status, 200);
  const requestId = response.headers.get('x-request-id') ?? '';
  const explained = await runJson('ledger', 'explain', requestId);
  assert.equal(explained['price_known'], true, JSON.stringify(explained));

  const tested = await runJson('custom-providers', 'test', 'acme');
  assert.equal(tested['ok'], true);
  upstream.script({ reply: fail(401, 'invalid_api_key', { message: `no such key ${KEYS.ACME_KEY}` }) });
  const refused = await run('custom-providers', 'test', 'acme', '--model', 'large');
  assert.equal(refused.code, 1);
  assert.equal(refused.json?.['status'], 401);
  upstream.clear();

  const moved = await run('custom-providers', 'update', 'acme', '--base-url', `${upstream.baseUrl}/v2`);
  assert.equal(moved.code, 1);
  assert.match(moved.stderr, /apiKey: must be entered again with another baseUrl/);
  await runJson('custom-providers', 'update', 'acme', '--key-env', 'NEW_KEY');
  assert.equal((await waitForKey('acme/large', KEYS.NEW_KEY)).status, 200);
  await runJson('custom-models', 'remove', 'acme/large');
  await runJson('custom-providers', 'remove', 'acme');
  const { data: left } = await runJson('custom-providers', 'list');
  assert.deepEqual(left, []);
});

test('an organization’s own key is set, tested, re-encrypted and removed', async () => {
  const set = await runJson('provider-keys', 'set', 'mock');
  assert.deepEqual([set['provider'], set['masked']], ['mock', '…5555']);
  assert.equal((await waitForKey('mock-model', KEYS.SLUICE_PROVIDER_KEY)).status, 200);
  const tested = await runJson('provider-keys', 'test', 'mock');
  assert.equal(tested['ok'], true);
  const rotation = await runJson('secrets', 'rotate');
  assert.deepEqual(
    [rotation['sealed'], rotation['unreadable'], typeof rotation['key_id']],
    [1, [], 'string'],
  );
  assert.equal((await waitForKey('mock-model', KEYS.SLUICE_PROVIDER_KEY)).status, 200);
  await runJson('provider-keys', 'remove', 'mock');
  assert.equal((await waitForKey('mock-model', 'gateway-key')).status, 200);
  const again = await run('provider-keys', 'test', 'mock');
  assert.equal(again.code, 1);
});

test('a missing key or unknown id is reported by name', async () => {
  const { code, stderr } = await run('provider-keys', 'set', 'mock', '--key-env', 'NO_SUCH_VARIABLE');
  assert.equal(code, 1);
  assert.match(stderr, /the variable NO_SUCH_VARIABLE is not set/);
});

test('no key is in the output of commands, in the log, or in any file of the data directory', () => {
  assert.ok(!written.includes('canary'), written);
  assert.ok(!gateway.log.includes('canary'));
  const files = readdirSync(gateway.dataDir, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  assert.ok(files.length > 100, 'the files of the database and its log of changes are among them');
  const hits = files
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => readFileSync(path).includes('sk-canary'));
  assert.deepEqual(hits, []);
});
