import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import type { LogRow } from '#logs';
import { type Books, openBooks } from '../support/books.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { createTemporaryFolder } from '../support/temporary.ts';
import { TwoProviders } from '../support/two-providers.ts';
import { answer, hang, overloaded } from '../support/upstream-replies.ts';
import { until } from '../support/until.ts';

const CHAT = '/v1/chat/completions';
const HELLO = { max_tokens: 64, messages: [{ role: 'user', content: 'hello' }] };

let providers: TwoProviders;
let gateway: Gateway;
let books: Books;
let payer: string;
let poor: string;
const folder = createTemporaryFolder('sluice-mirrors-');

before(async () => {
  providers = await TwoProviders.start();
  gateway = await startGateway({
    config: `drainSeconds: 1\n${providers.config}`,
    dataDir: `${folder.path}/data`,
    env: { SLUICE_METRICS_PORT: '0' },
  });
  books = await openBooks(gateway.dataDir);
  payer = (await gateway.createKey('--label', 'mirrors')).id;
  poor = (await gateway.createKey('--label', 'poor', '--limit', '0.000001')).id;
});

after(async () => {
  await books[Symbol.asyncDispose]();
  await gateway[Symbol.asyncDispose]();
  await providers[Symbol.asyncDispose]();
  folder.remove();
});

/** Makes these the only mirrors, of all requests for their models. */
async function mirror(
  ...mirrors: { name: string; model: string; to: string; key?: string; concurrency?: number }[]
) {
  const read = (): number => gateway.log.split('the configuration was read again').length;
  const earlier = read();
  const list = mirrors.map((one) => ({ key: payer, percent: 100, ...one }));
  writeFileSync(gateway.configFile, `routing: ${JSON.stringify({ mirrors: list })}\n${providers.config}`);
  await until('the configuration is read', () => read() > earlier);
}

async function ask(members: Record<string, unknown>, path = CHAT): Promise<LogRow> {
  const response = await gateway.post(path, { ...HELLO, ...members });
  assert.equal(response.status, 200, await response.clone().text());
  await response.text();
  return books.getRow(response.headers.get('x-request-id') ?? response.headers.get('request-id') ?? '');
}

async function findCopies({ requestId }: LogRow): Promise<string[]> {
  const { rows } = await books.database.query<{ id: string }>({
    text: `SELECT request_id AS id FROM request_log WHERE client_request_id = $1 AND endpoint LIKE 'mirror/%'`,
    values: [requestId],
  });
  return rows.map(({ id }) => id);
}

async function awaitCopy(original: LogRow): Promise<LogRow> {
  await until('the copy has a row', async () => (await findCopies(original)).length > 0);
  const [id = '', ...others] = await findCopies(original);
  assert.equal(others.length, 0, 'there is one copy');
  return books.getRow(id);
}

async function scrape(name: string): Promise<number> {
  const text = await (await fetch(gateway.line.metrics_url ?? '')).text();
  const line = text.split('\n').find((one) => one.startsWith(`sluice_mirrored_requests_total${name}`));
  return Number(line?.split(' ').at(-1) ?? 0);
}

test('a copy is a request of its own, on the account of its key, with the original’s id in its row', async () => {
  const [model, to] = [providers.takeShared(), providers.takeAlone()];
  await mirror({ name: 'plain', model, to });
  providers.script(answer({ text: 'one two', chunks: 2 }));
  for (const [path, stream] of [
    [CHAT, false],
    [CHAT, true],
    ['/v1/messages', true],
  ] as const) {
    const original = await ask({ model, stream }, path);
    const copy = await awaitCopy(original);
    assert.deepEqual(
      [original.endpoint, original.modelId, original.attempts.map(({ reason }) => reason)],
      [path, model, ['cheapest']],
    );
    assert.deepEqual(
      [copy.endpoint, copy.keyId, copy.requestedModel, copy.modelId, copy.finishReason],
      ['mirror/plain', payer, to, to, 'completed'],
    );
    assert.equal(copy.stream, stream);
    assert.ok(BigInt(copy.customer) > 0n);
    assert.ok(copy.startedAt >= original.startedAt + Math.floor(original.firstEventMs ?? 0));
  }
  const { data } = (await gateway.run('experiments')) as { data: Record<string, unknown>[] };
  const lines = data.filter(({ experiment }) => experiment === 'mirror/plain');
  assert.deepEqual(
    lines.map(({ variant, requests, answered }) => [variant, requests, answered]),
    [
      ['copy', 3, 3],
      ['original', 3, 3],
    ],
  );
  assert.equal(await scrape('{mirror="plain",outcome="sent"}'), 3);
});

test('a request whose model is shut down is not copied, and another that it names answers it', async () => {
  const [model, to] = [providers.takeShared(), providers.takeAlone()];
  await mirror({ name: 'every', model, to });
  providers.script(answer({ text: 'fine', chunks: 1 }));
  const original = await ask({ model: 'claude-3-opus-20240229', models: [model] });
  assert.equal(original.modelId, model);
  assert.deepEqual(await findCopies(original), []);
});

test('a copy may name one provider; its failures are its own', async () => {
  const model = providers.takeShared();
  await mirror({ name: 'second', model, to: `second/${model}` });
  providers.script(answer({ text: 'fine', chunks: 1 }), overloaded());
  const original = await ask({ model });
  const copy = await awaitCopy(original);
  assert.equal(original.finishReason, 'completed');
  assert.equal(copy.finishReason, 'upstream_error');
  assert.deepEqual(new Set(copy.attempts.map(({ providerId }) => providerId)), new Set(['second']));
});

test('a copy that its key cannot pay is not sent, and one of an unknown key has no row', async () => {
  const [model, lost, to] = [providers.takeShared(), providers.takeShared(), providers.takeAlone()];
  await mirror({ name: 'poor', model, to, key: poor }, { name: 'lost', model: lost, to, key: 'key_0000' });
  providers.script(answer({ text: 'fine', chunks: 1 }));
  const original = await ask({ model });
  const copy = await awaitCopy(original);
  assert.deepEqual([copy.keyId, copy.status, copy.attempts], [poor, 402, []]);
  assert.equal(original.finishReason, 'completed');
  await ask({ model: lost });
  await until('it is counted', async () => (await scrape('{mirror="lost",outcome="refused"}')) === 1);
  assert.match(gateway.log, /request not mirrored/);
  assert.equal(providers.first.truths.length, 2, 'only the originals were sent');
});

test('nothing is copied that has an effect or belongs to the caller, nor where its rules forbid it', async () => {
  const [model, other, to] = [providers.takeShared(), providers.takeShared(), providers.takeAlone()];
  await mirror({ name: 'safe', model, to }, { name: 'far', model: other, to: `second/${other}` });
  providers.script(answer({ text: 'fine', chunks: 1 }));
  const [key] = (
    (await gateway.run('keys', 'list')) as { data: { id: string; label: string }[] }
  ).data.filter(({ label }) => !['mirrors', 'poor'].includes(label));
  const isDenied = async (): Promise<boolean> =>
    (await gateway.post(CHAT, { ...HELLO, model: `second/${model}` })).status === 403;
  await gateway.run('rules', 'add', '--key', key?.id ?? '', 'deny-providers', 'second');
  await until('the rule holds', isDenied);
  const harmful = [
    await ask({ model: `first/${model}` }),
    await ask({ model, input: 'hello', messages: undefined, max_tokens: undefined }, '/v1/responses'),
    await ask({ model: other }),
  ];
  const { data } = (await gateway.run('rules', 'list', '--key', key?.id ?? '')) as { data: { id: string }[] };
  for (const { id } of data) await gateway.run('rules', 'remove', id);
  await until('the rule no longer holds', async () => !(await isDenied()));
  const input = { input: 'hello', messages: undefined, max_tokens: undefined, store: false };
  const harmless = [await ask({ model, ...input }, '/v1/responses'), await ask({ model: other })];
  for (const original of harmless) await awaitCopy(original);
  for (const original of harmful) assert.deepEqual(await findCopies(original), []);
});

test('further copies than may be under way are not sent; at the end of the gateway open ones are settled', async () => {
  const [model, to] = [providers.takeShared(), providers.takeAlone()];
  await mirror({ name: 'narrow', model, to, concurrency: 1 });
  providers.script(answer({ text: 'fine', chunks: 1 }));
  providers.first.script({ match: { model: to }, reply: hang() });
  const first = await ask({ model });
  await until('the copy is sent', () => providers.first.truths.some((truth) => truth.rawBody.includes(to)));
  const second = await ask({ model });
  assert.equal(await scrape('{mirror="narrow",outcome="full"}'), 1);
  await books[Symbol.asyncDispose]();
  await gateway.stop();
  gateway = await startGateway({ config: providers.config, dataDir: `${folder.path}/data` });
  books = await openBooks(gateway.dataDir);
  assert.equal((await awaitCopy(first)).finishReason, 'canceled');
  assert.deepEqual(await findCopies(second), []);
  const { rows } = await books.database.query({ text: 'SELECT FROM hold' });
  assert.equal(rows.length, 0);
});
