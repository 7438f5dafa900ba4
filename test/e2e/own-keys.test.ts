import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { type Mapping, extendCatalogue } from '#catalogue';
import { type InProcessGateway, type TestAccount, openInProcess } from '../support/in-process.ts';
import { type MockUpstream, startMockUpstream } from '../support/mock-upstream.ts';
import { fail } from '../support/upstream-replies.ts';
import { sendPatiently } from '../support/send-patiently.ts';

const GATEWAY_KEY = 'gateway-key-for-everybody';
const OWN_KEY = 'sk-canary-of-the-first-organization';
const OTHER_KEY = 'sk-canary-of-the-other-organization';
/** A provider of the catalogue for which this gateway has no key. */
const KEYLESS = 'mistral';

let upstream: MockUpstream;
let moreExpensive: MockUpstream;
let gateway: InProcessGateway;
let keylessModel: Mapping;

before(async () => {
  upstream = await startMockUpstream();
  moreExpensive = await startMockUpstream();
  const config = [
    'routing: { experiments: [{ name: trial, model: tried, variants: [{ name: b, to: expensive/tried, percent: 100 }] }] }',
    'providers:',
    ...configure('cheap', upstream, { shared: 1, refused: 1, alone: 1, tried: 1 }),
    ...configure('expensive', moreExpensive, { shared: 10, refused: 10, tried: 10 }),
    '',
  ].join('\n');
  gateway = await openInProcess({
    config,
    rebase: (catalogue) => extendCatalogue(catalogue, [{ id: KEYLESS, baseUrl: upstream.baseUrl }]),
  });
  const mappings = [...gateway.catalogue.models.values()].flatMap((model) => model.mappings);
  keylessModel = mappings.find(
    ({ providerId, deactivatedAt, price, format, operations }) =>
      providerId === KEYLESS && !deactivatedAt && price && format === 'chat' && !operations,
  )!;
});
after(async () => {
  await gateway[Symbol.asyncDispose]();
  await upstream.close();
  await moreExpensive.close();
});
beforeEach(() => {
  upstream.clear();
  moreExpensive.clear();
});

/** A provider whose models have this price, for input and for output. */
function configure(id: string, mock: MockUpstream, models: Record<string, number>): string[] {
  const limits = 'contextLength: 100000, maxOutput: 1000';
  return [
    `  - { id: ${id}, format: chat, baseUrl: "${mock.baseUrl}", apiKey: ${GATEWAY_KEY}, models: [`,
    ...Object.entries(models).map(
      ([model, usd]) => `      { id: ${model}, ${limits}, price: { input: "${usd}", output: "${usd}" } },`,
    ),
    '    ] }',
  ];
}

const ask = (account: TestAccount, model: string, more: object = {}) =>
  gateway.post(
    '/v1/chat/completions',
    { model, messages: [{ role: 'user', content: 'hello' }], ...more },
    { 'x-api-key': account.apiKey },
  );
const bring = ({ organizationId }: TestAccount, providerId: string, apiKey = OWN_KEY) =>
  gateway.accounts.directory.setProviderKey({ organizationId, providerId, apiKey }, gateway.terms);
const keysSeen = (mock: MockUpstream): string[] => [
  ...new Set(mock.truths.map(({ headers }) => (headers['authorization'] ?? '').replace('Bearer ', ''))),
];

async function getMessage(response: Response): Promise<string> {
  const { error } = (await response.json()) as { error: { message: string } };
  return error.message;
}

test('an organization’s own key replaces the gateway’s for that organization only, at cost 0', async () => {
  const [owner, other] = [await gateway.createAccount({ credits: 1n }), await gateway.createAccount()];
  await bring(owner, 'cheap');
  const response = await ask(owner, 'alone');
  assert.equal(response.status, 200);
  const { usage } = (await response.json()) as { usage: { cost: number; completion_tokens: number } };
  assert.equal(usage.cost, 0);
  assert.ok(usage.completion_tokens > 0);
  assert.deepEqual(keysSeen(upstream), [OWN_KEY]);
  const row = await gateway.getRow(response);
  assert.equal(row.customer, '0');
  assert.ok(BigInt(row.provider) > 0n, 'what the provider charges stays known');
  assert.deepEqual(
    row.attempts.map(({ credential }) => credential),
    ['own'],
  );
  upstream.clear();
  const foreign = await ask(other, 'alone');
  assert.equal(foreign.status, 200);
  assert.deepEqual(keysSeen(upstream), [GATEWAY_KEY]);
  const foreignRow = await gateway.getRow(foreign);
  assert.ok(BigInt(foreignRow.customer) > 0n);
  assert.equal(foreignRow.attempts[0]?.credential, undefined);
});

test('a provider without a gateway key can be called only by organizations with their own', async () => {
  const [owner, other] = [await gateway.createAccount(), await gateway.createAccount()];
  const key = await bring(owner, KEYLESS);
  const name = `${KEYLESS}/${keylessModel.modelId}`;
  const response = await ask(owner, name);
  assert.equal(response.status, 200, await response.clone().text());
  assert.deepEqual(keysSeen(upstream), [OWN_KEY]);
  const refused = await ask(other, name);
  assert.equal(refused.status, 404);
  assert.match(await getMessage(refused), /has a credential on this gateway/);
  await gateway.accounts.directory.removeProviderKey(key);
  assert.equal((await ask(owner, name)).status, 404);
});

test('two organizations that take turns never see each other’s key, streamed or not', async () => {
  const accounts = [await gateway.createAccount(), await gateway.createAccount()];
  const keys = [OWN_KEY, OTHER_KEY];
  for (const [at, account] of accounts.entries()) await bring(account, 'cheap', keys[at]);
  const turns = Array.from({ length: 200 }, (_, at) => at).values();
  const work = async (): Promise<void> => {
    for (const at of turns) {
      const content = `turn-${at % 2}-${at}`;
      const more = { stream: at % 3 === 0, messages: [{ role: 'user', content }] };
      const response = await sendPatiently(() => ask(accounts[at % 2]!, 'alone', more));
      assert.equal(response.status, 200);
      await response.text();
    }
  };
  // On a slow machine the provider would not answer all of them in time.
  await Promise.all(Array.from({ length: 40 }, work));
  assert.equal(upstream.truths.length, 200);
  for (const { rawBody, headers } of upstream.truths) {
    const turn = Number(/turn-(\d)-/.exec(rawBody)?.[1]);
    assert.equal(headers['authorization'], `Bearer ${keys[turn]}`);
  }
});

test('only own keys are tried: a refused one costs 0 and does not affect the health of others', async () => {
  const [owner, other] = [await gateway.createAccount(), await gateway.createAccount()];
  await bring(owner, 'cheap');
  upstream.script({
    match: ({ headers }) => headers['authorization'] === `Bearer ${OWN_KEY}`,
    reply: fail(401, 'invalid_api_key', { message: `no such key: ${OWN_KEY}` }),
  });
  for (let times = 0; times < 3; times += 1) {
    const response = await ask(owner, 'refused');
    assert.equal(response.status, 502);
    assert.equal(await getMessage(response), 'the provider cheap refused the organization’s own key');
    assert.equal((await gateway.getRow(response)).customer, '0');
  }
  assert.equal(moreExpensive.truths.length, 0, 'the gateway’s key was not used');
  for (let times = 0; times < 3; times += 1) assert.equal((await ask(other, 'refused')).status, 200);
  assert.equal(moreExpensive.truths.length, 0, 'the cheaper provider is not ranked last for others');
  const pinned = await ask(owner, 'expensive/refused');
  assert.equal(pinned.status, 200, 'a provider without an own key can be named');
  assert.deepEqual(keysSeen(moreExpensive), [GATEWAY_KEY]);
});

test('an empty account behind an own key is the organization’s', async () => {
  const owner = await gateway.createAccount();
  await bring(owner, 'cheap');
  upstream.script({ reply: fail(429, 'insufficient_quota', { message: 'Top up' }) });
  const response = await ask(owner, 'refused');
  assert.equal(response.status, 502);
  const message = 'the organization’s account at the provider cheap is out of quota';
  assert.equal(await getMessage(response), message);
  upstream.clear();
});

test('several own keys are fallbacks for each other', async () => {
  const owner = await gateway.createAccount();
  await bring(owner, 'cheap');
  await bring(owner, 'expensive', OTHER_KEY);
  upstream.script({ reply: fail(503, 'overloaded') });
  const response = await ask(owner, 'shared');
  assert.equal(response.status, 200);
  assert.deepEqual(keysSeen(moreExpensive), [OTHER_KEY]);
  const row = await gateway.getRow(response);
  assert.equal(row.customer, '0');
  assert.deepEqual(
    row.attempts.map(({ providerId, credential }) => `${providerId} ${credential}`),
    ['cheap own', 'expensive own'],
  );
});

test('an organization with own keys takes part in an experiment if these serve every variant', async () => {
  const account = await gateway.createAccount();
  const tried = async () => {
    const { attempts } = await gateway.getRow(await ask(account, 'tried'));
    return attempts.map(({ providerId, credential, experiment }) =>
      [providerId, credential, experiment].join(' '),
    );
  };
  assert.deepEqual(await tried(), ['expensive  trial/b']);
  await bring(account, 'cheap');
  assert.deepEqual(await tried(), ['cheap own ']);
  await bring(account, 'expensive');
  assert.deepEqual(await tried(), ['expensive own trial/b']);
});

test('a modified credential record sends no request, and the operator’s log names it', async () => {
  const owner = await gateway.createAccount();
  const { id } = await bring(owner, 'cheap');
  await gateway.database.query({
    text: `UPDATE provider_key SET sealed = overlay(sealed placing 'AAAA' FROM 40) WHERE id = $1`,
    values: [id],
  });
  let response = await ask(owner, 'alone');
  for (let waitedMs = 0; response.status === 200 && waitedMs < 5_000; waitedMs += 20)
    response = await ask(owner, 'alone');
  upstream.clear();
  response = await ask(owner, 'alone');
  assert.equal(response.status, 500);
  assert.match(await getMessage(response), /own key .* enter it again/);
  assert.equal(upstream.truths.length, 0);
  assert.ok(gateway.logLines.some((line) => line.includes(id) && line.includes('enter the key again')));
  assert.equal((await gateway.getRow(response)).errorCode, 'credential_unreadable');
});

test('credentials are re-encrypted under load without an error', async () => {
  const owner = await gateway.createAccount();
  await bring(owner, 'cheap');
  const statuses: number[] = [];
  let isOver = false;
  const load = Array.from({ length: 4 }, async () => {
    while (!isOver) {
      const response = await ask(owner, 'alone');
      await response.text();
      statuses.push(response.status);
    }
  });
  for (let times = 0; times < 8 || statuses.length < 8; times += 1)
    await gateway.accounts.rotateCredentials();
  isOver = true;
  await Promise.all(load);
  assert.deepEqual([...new Set(statuses)], [200]);
  assert.deepEqual(keysSeen(upstream), [OWN_KEY]);
});

test('own keys are in no table, log line or answer, even if a provider quotes them', async () => {
  const owner = await gateway.createAccount({ cacheTtlSeconds: 60 });
  await bring(owner, 'cheap');
  const texts: string[] = [];
  for (const reply of [
    fail(400, 'bad_request', { message: `bad: ${OWN_KEY}` }),
    fail(401, 'invalid_api_key', { message: `no such key: ${OWN_KEY}` }),
    fail(500, OWN_KEY, { message: OWN_KEY }),
    fail(429, 'rate_limit', { message: OWN_KEY, headers: { 'x-debug': OWN_KEY } }),
  ]) {
    upstream.script({ reply });
    for (const stream of [false, true]) {
      const response = await ask(owner, 'alone', { stream });
      texts.push(await response.text(), JSON.stringify([...response.headers]));
    }
  }
  assert.deepEqual(
    texts.filter((text) => text.includes('canary')),
    [],
  );
  assert.deepEqual(
    gateway.logLines.filter((line) => line.includes('canary')),
    [],
  );
  const { rows: tables } = await gateway.database.query<{ name: string }>({
    text: `SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public'`,
  });
  for (const { name } of tables) {
    const { rows } = await gateway.database.query<{ hits: number }>({
      text: `SELECT count(*)::int AS hits FROM ${name} AS t WHERE t::text LIKE '%canary%'`,
    });
    assert.equal(rows[0]?.hits, 0, name);
  }
});
