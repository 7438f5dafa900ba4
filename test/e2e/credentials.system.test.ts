import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import type { JsonObject } from '#base';
import { messageJson } from '../support/account-gateway.ts';
import type { Gateway } from '../support/gateway.ts';
import type { MockUpstream } from '../support/mock-upstream.ts';
import { RoutedGateway } from '../support/routed-gateway.ts';
import { until } from '../support/until.ts';
import { type Reply, fail, overloaded, rateLimited } from '../support/upstream-replies.ts';

const MESSAGES = '/v1/messages';
const EACH = ['large', 'small', 'spare'];
const MODELS = Array.from({ length: 20 }, (_, number) => `model-${number}`);

let routed: RoutedGateway;
let cheap: MockUpstream;
let expensive: MockUpstream;
let gateway: Gateway;
const fresh = MODELS.values();

before(async () => {
  const models = (input: string): string =>
    MODELS.map(
      (id) => `{ id: ${id}, contextLength: 100000, price: { input: "${input}", output: "2" } }`,
    ).join(', ');
  routed = await RoutedGateway.start(
    (cheapUrl, expensiveUrl) => [
      `  - { id: cheap, format: messages, baseUrl: "${cheapUrl}", credentials: [`,
      '      { name: large, apiKey: "${LARGE}", weight: 3 }, { name: small, apiKey: "${SMALL}" },',
      `      { name: spare, apiKey: spare-key, weight: 0 }], models: [${models('1')}] }`,
      `  - { id: expensive, format: chat, baseUrl: "${expensiveUrl}", apiKey: expensive-key, models: [${models('9')}] }`,
    ],
    { LARGE: 'large-key', SMALL: 'small-key' },
  );
  ({ cheap, expensive, gateway } = routed);
});

after(() => routed[Symbol.asyncDispose]());

beforeEach(() => routed.clear());

/** A model of both providers that no test has used: health belongs to a model. */
const takeModel = (): string => fresh.next().value ?? assert.fail('not enough models');

function scriptKey(name: string, reply: Reply): void {
  cheap.script({ match: ({ headers }) => headers['x-api-key'] === `${name}-key`, reply });
}

async function ask(model: string, { session = '', ...fields }: { session?: string } & JsonObject = {}) {
  const body = { model, max_tokens: 64, messages: [{ role: 'user', content: 'hello' }], ...fields };
  const response = await gateway.post(MESSAGES, body, {
    ...(session !== '' && { 'x-claude-code-session-id': session }),
  });
  return routed.read(response);
}

const leadOf = (attempts: readonly string[]): string => attempts[0]?.split(' ')[1] ?? '';

test('requests are spread over the credentials by their weights, and the row names the one that answered', async () => {
  const model = takeModel();
  const counts: Record<string, number> = {};
  for (let request = 0; request < 60; request += 1) {
    const { attempts, status } = await ask(model);
    assert.equal(status, 200);
    counts[leadOf(attempts)] = (counts[leadOf(attempts)] ?? 0) + 1;
  }
  assert.deepEqual(Object.keys(counts).toSorted(), ['large', 'small'], 'weight 0 is for need');
  assert.ok((counts['large'] ?? 0) > (counts['small'] ?? 0), JSON.stringify(counts));
  const keys = new Set(cheap.truths.map(({ headers }) => headers['x-api-key']));
  assert.deepEqual([...keys].toSorted(), ['large-key', 'small-key']);
});

test('a session stays with its credential', async () => {
  const model = takeModel();
  for (const session of ['one', 'two', 'three', 'four', 'five']) {
    const first = leadOf((await ask(model, { session })).attempts);
    for (let turn = 0; turn < 3; turn += 1)
      assert.equal(leadOf((await ask(model, { session })).attempts), first, session);
  }
});

for (const [what, reply, outcome] of [
  ['refused', fail(401, 'authentication_error', { message: 'bad key large-key' }), 'credential-refused'],
  ['without quota', fail(429, 'insufficient_quota'), 'out-of-quota'],
  ['limited', rateLimited('60'), 'rate-limited'],
  [
    'without access to the model',
    fail(404, 'not_found_error', { message: 'no such model' }),
    'request-refused',
  ],
] as const)
  test(`after a credential that is ${what} comes the next one of the same provider`, async () => {
    const model = takeModel();
    scriptKey('large', reply);
    scriptKey('small', reply);
    const { status, text, attempts } = await ask(model);
    assert.equal(status, 200, text);
    assert.deepEqual(attempts.slice(0, 2).toSorted(), [`cheap large ${outcome}`, `cheap small ${outcome}`]);
    assert.deepEqual(attempts.slice(2), ['cheap spare answered']);
    assert.equal(expensive.truths.length, 0);
    const { attempts: later } = await ask(model);
    if (outcome !== 'request-refused')
      assert.deepEqual(later, ['cheap spare answered'], 'the others are left alone');
  });

test('a provider that fails with one credential is not asked with the others before another provider', async () => {
  const model = takeModel();
  for (const name of EACH) scriptKey(name, overloaded());
  const { status, attempts } = await ask(model);
  assert.equal(status, 200);
  assert.equal(attempts.length, 2);
  assert.equal(attempts[1], 'expensive answered');
});

test('a request that the provider refuses is not sent again with other credentials', async () => {
  const model = takeModel();
  for (const name of EACH)
    scriptKey(name, fail(413, 'invalid_request_error', { message: 'Request too large' }));
  const { status, attempts } = await ask(model);
  assert.equal(status, 200);
  assert.deepEqual([attempts.length, attempts[1]], [2, 'expensive answered']);
  const refused = await ask(`cheap/${model}`);
  assert.deepEqual([refused.status, refused.attempts.length], [413, 1]);
});

test('a refused key does not reach the caller, and the error of the last one is returned', async () => {
  const model = takeModel();
  for (const name of EACH)
    scriptKey(name, fail(401, 'authentication_error', { message: `bad key ${name}-key` }));
  const { status, text, row } = await ask(`cheap/${model}`);
  assert.equal(status, 502);
  assert.equal(row.attempts.length, 3);
  assert.doesNotMatch(text + JSON.stringify(row), /(large|small|spare)-key/);
});

test('what an answer creates is used with the credential that created it, however that one is, and with no other', async () => {
  const model = takeModel();
  cheap.script({ reply: messageJson });
  const creator = leadOf((await ask(model)).attempts);
  for (let request = 0; request < 8; request += 1) {
    const { attempts, status, text } = await ask(model, { container: 'container_a', session: `s${request}` });
    assert.equal(status, 200, text);
    assert.deepEqual(attempts, [`cheap ${creator} answered`]);
  }
  scriptKey(creator, fail(401, 'authentication_error', { message: 'no' }));
  const refused = await ask(model, { container: 'container_a' });
  assert.equal(refused.status, 502);
  assert.deepEqual(refused.attempts, [`cheap ${creator} credential-refused`]);
});

test('`route explain` shows each credential, its weight and its health, and `providers test` tries each', async () => {
  const model = takeModel();
  scriptKey('large', rateLimited('300'));
  while (leadOf((await ask(model)).attempts) !== 'large');
  const explain = ['route', 'explain', model, '--config', gateway.configFile];
  let shown: [string, string | null, number | null, string][] = [];
  await until('the gateway has reported', async () => {
    const { stdout } = await gateway.cli(...explain);
    interface Explained {
      candidates: { provider: string; credential: string | null; weight: number | null; health: string }[];
    }
    const { candidates } = JSON.parse(stdout) as Explained;
    shown = candidates.map((one) => [one.provider, one.credential, one.weight, one.health]);
    return shown.some(([, , , health]) => health === 'closed');
  });
  assert.deepEqual(
    shown.filter(([, name]) => name === 'large'),
    [['cheap', 'large', 3, 'closed']],
  );
  assert.deepEqual(shown.map(([provider, name]) => `${provider} ${name ?? ''}`).toSorted(), [
    'cheap large',
    'cheap small',
    'cheap spare',
    'expensive ',
  ]);
  const tested = await gateway.cli('providers', 'test', 'cheap', '--config', gateway.configFile);
  const { data } = JSON.parse(tested.stdout) as { data: { credential: string; ok: boolean }[] };
  assert.deepEqual(
    data.map(({ credential, ok }) => [credential, ok]),
    [
      ['large', false],
      ['small', true],
      ['spare', true],
    ],
  );
});
