import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { diagnose, loadSettings, openStores } from '#app';
import { FeedRefused, renderFeed } from '#catalogue';
import { type Log, silentLog } from '#telemetry';
import { comparePrices } from '../../src/app/feed/compare-prices.ts';
import { compareFeed, updateFeed } from '../../src/app/feed/operate-feed.ts';
import { type RunningGateway, startGateway } from '../../src/app/lifecycle/gateway.ts';
import type { Environment, SettingsOrigin } from '../../src/app/settings/settings.ts';
import type { Stores } from '../../src/app/lifecycle/stores/stores.ts';
import { type BilledRow, readBilledPrices, readBilledRows } from '../support/billed-prices.ts';
import { FeedPublisher, offer } from '../support/feed-publisher.ts';
import { type MockUpstream, startMockUpstream } from '../support/mock-upstream.ts';
import { PREDICTABLE } from '../support/process-environment.ts';
import { type SharedDatabase, createSharedDatabase } from '../support/shared-server.ts';
import { createTemporaryFolder } from '../support/temporary.ts';
import { until } from '../support/until.ts';
import { answer, haltedAnswer } from '../support/upstream-replies.ts';

const folder = createTemporaryFolder('sluice-feed-');
const logLines: string[] = [];
let upstream: MockUpstream;
let publisher: FeedPublisher;
let database: SharedDatabase;
let stores: Stores;
let gateways: RunningGateway[] = [];
let apiKey = '';
let adminKey = '';

const write = (facts: object, message: string): void =>
  void logLines.push(JSON.stringify({ ...facts, message }));
const log: Log = { debug: write, info: write, warn: write, error: write };

const CONSTANT = offer('constant', '1', '1');

/** What the gateways and the doctor read. */
function createOrigin(): SettingsOrigin & { environment: Environment } {
  const { host, port, user, password, database: name } = database.connection;
  const address = `postgres://${user}:${encodeURIComponent(password)}@${encodeURIComponent(host)}:${port}/${name}`;
  return {
    flags: { dataDir: folder.path, config: join(folder.path, 'sluice.yaml') },
    environment: {
      ...PREDICTABLE,
      DATABASE_URL: address,
      SLUICE_SECRET: 'a secret of all replicas, long enough',
    },
    workingDirectory: folder.path,
  };
}

before(async () => {
  upstream = await startMockUpstream();
  upstream.script({ reply: answer() });
  publisher = await FeedPublisher.start();
  publisher.publish([offer('feedling', '1', '2'), CONSTANT], { sequence: 1 });
  database = await createSharedDatabase();
  folder.write(
    'sluice.yaml',
    `server: { port: 0 }
metrics: { adminKey: true }
providers: [{ id: groq, baseUrl: "${upstream.baseUrl}", apiKey: mock-key }]
customProviders: { trustedHosts: ["127.0.0.1"] }
catalogue: { url: "${publisher.url}", publicKey: "${publisher.publicKey}", refreshHours: 700, noticeHours: 0 }
`,
  );
  const settings = await loadSettings(createOrigin());
  gateways = [await startGateway(settings, log), await startGateway(settings, log)];
  const { firstRun } = gateways[0] ?? {};
  apiKey = firstRun?.apiKey ?? '';
  adminKey = firstRun?.adminKey ?? '';
  stores = await openStores(settings, { role: 'command', log: silentLog });
});
after(async () => {
  for (const gateway of gateways) await gateway.stop();
  await stores[Symbol.asyncDispose]();
  await publisher.stop();
  await upstream.close();
  await database[Symbol.asyncDispose]();
  folder.remove();
});

interface Answered {
  id: string;
  status: number;
  text: string;
}

async function ask(gateway: RunningGateway | undefined, model: string, more: object = {}): Promise<Answered> {
  const response = await fetch(`${gateway?.url ?? ''}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, max_tokens: 50, messages: [{ role: 'user', content: 'hello' }], ...more }),
  });
  const text = await response.text();
  return { id: response.headers.get('x-request-id') ?? '', status: response.status, text };
}

const readRows = (model: string): Promise<BilledRow[]> => readBilledRows(stores.database, model);

async function priceNow(gateway: RunningGateway | undefined, model = 'feedling'): Promise<number> {
  const { id, status, text } = await ask(gateway, model);
  assert.equal(status, 200, text);
  const row = (await readRows(model)).find((one) => one.id === id);
  assert.ok(row, 'the row is there before the last byte');
  return (await readBilledPrices(stores.database))(row);
}

/** Waits until both gateways bill at a price. */
async function awaitPrice(wanted: number): Promise<void> {
  for (const gateway of gateways)
    await until(`a price of ${wanted}`, async () => (await priceNow(gateway)) === wanted);
}

/** Spares the machine: what matters is that requests are on their way all the time. */
const PAUSE_MS = 20;

/** Calls both gateways until it is stopped; returns every answer. */
function startLoad(models: readonly string[]): () => Promise<Answered[]> {
  let isOver = false;
  const answers: Answered[] = [];
  const run = async (gateway: RunningGateway, model: string): Promise<void> => {
    while (!isOver) {
      answers.push(await ask(gateway, model));
      await sleep(PAUSE_MS);
    }
  };
  const runs = gateways.flatMap((gateway) => models.map((model) => run(gateway, model)));
  return async () => {
    isOver = true;
    await Promise.all(runs);
    return answers;
  };
}

const update = async (isAccepted = false) =>
  updateFeed(await loadSettings(createOrigin()), stores, { file: undefined, isAccepted });

const refusedFor = (fault: string) => (error: unknown) =>
  error instanceof FeedRefused && error.fault === fault;

async function scrape(gateway: RunningGateway | undefined): Promise<string> {
  const headers = { authorization: `Bearer ${adminKey}` };
  return (await fetch(`${gateway?.url ?? ''}/metrics`, { headers })).text();
}

test('a gateway fetches the feed at its start, one for all replicas', async () => {
  for (const gateway of gateways)
    await until('the model of the feed', async () => (await ask(gateway, 'feedling')).status === 200);
  await awaitPrice(1);
  assert.equal(publisher.fetched, 1);
  assert.ok(logLines.some((line) => line.includes('a new catalogue feed was stored')));
});

test('under load, every request costs the price that counted when it began, to the digit, also while prices change', async () => {
  const stop = startLoad(['feedling', 'constant']);
  const released = Promise.withResolvers<undefined>();
  upstream.script({ match: { marker: 'slowly' }, reply: haltedAnswer(released.promise) });
  const slow = ask(gateways[0], 'feedling', {
    messages: [{ role: 'user', content: 'slowly' }],
    stream: true,
  });
  await until('the slow one', () => upstream.find('slowly').length === 1);
  publisher.publish([offer('feedling', '1.25', '2.5'), CONSTANT], { sequence: 2 });
  assert.equal((await update()).result, 'stored');
  await awaitPrice(1.25);
  released.resolve(undefined);
  const { id: slowId } = await slow;
  publisher.publish([offer('feedling', '1.5', '4'), CONSTANT], { sequence: 3 });
  assert.equal((await update()).result, 'stored');
  await awaitPrice(1.5);
  const answers = await stop();
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
  const priceOf = await readBilledPrices(stores.database);
  const [rows, constant] = [await readRows('feedling'), await readRows('constant')];
  assert.deepEqual(new Set(rows.map(priceOf)), new Set([1, 1.25, 1.5]));
  assert.deepEqual(new Set(constant.map(priceOf)), new Set([1]));
  const slowRow = rows.find(({ id }) => id === slowId);
  assert.ok(slowRow);
  assert.equal(priceOf(slowRow), 1);
  const ids = new Set([...rows, ...constant].map(({ id }) => id));
  for (const { id } of answers) assert.ok(ids.has(id), id);
  assert.deepEqual(await stores.accounts.ledger.check(), []);
});

test('a bad signature, an older feed and a newer schema are refused with a reason, and the last good feed stays in force', async () => {
  const stop = startLoad(['feedling']);
  publisher.publish([offer('feedling', '1.6', '5'), CONSTANT], { sequence: 4 });
  publisher.tamper((text) => text.replace('"input":"1.6"', '"input":"1.1"'));
  await assert.rejects(update(), refusedFor('signature'));
  await until('the metric', async () =>
    (await scrape(gateways[1])).includes('sluice_catalogue_feed_refused{fault="signature"} 1'),
  );
  const findings = await diagnose(createOrigin());
  const finding = findings.find(({ name }) => name === 'catalogue feed');
  assert.equal(finding?.state, 'warning');
  assert.match(
    finding.message,
    /refused: its signature does not fit its content .*; the feed 3 of .* is in force/,
  );
  publisher.publish([offer('feedling', '1', '2'), CONSTANT], { sequence: 2 });
  await assert.rejects(update(), refusedFor('rollback'));
  publisher.publishText(JSON.stringify({ schema: 99, sequence: 9, everything: 'new' }));
  await assert.rejects(update(), refusedFor('schema'));
  publisher.redirect = 'https://elsewhere.example/feed.json';
  await assert.rejects(update(), /redirects to elsewhere.example/);
  publisher.redirect = undefined;
  for (const gateway of gateways) assert.equal(await priceNow(gateway), 1.5);
  const before = (await readRows('feedling')).length;
  await until('more load', async () => (await readRows('feedling')).length > before);
  assert.ok((await stop()).every(({ status }) => status === 200));
  assert.equal(await priceNow(gateways[0]), 1.5);
});

test('a price that jumps waits for the operator, and counts once it is accepted', async () => {
  publisher.publish([offer('feedling', '150', '400'), CONSTANT], { sequence: 10 });
  const { result, reason = '' } = await update();
  assert.equal(result, 'held');
  assert.equal(reason, 'input of groq/feedling changes from 1.5 to 150');
  await until('the metric', async () => (await scrape(gateways[0])).includes('sluice_catalogue_feed_held 1'));
  for (const gateway of gateways) assert.equal(await priceNow(gateway), 1.5);
  publisher.publish([offer('feedling', '15.1', '20'), CONSTANT], { sequence: 11 });
  assert.equal((await update()).result, 'held');
  assert.equal((await update(true)).result, 'stored');
  await awaitPrice(15.1);
  assert.equal((await update()).result, 'current');
});

test('a change that the feed dates later is announced, and does not count yet', async () => {
  publisher.publish([offer('feedling', '16', '20'), CONSTANT], {
    sequence: 12,
    from: Date.now() + 86_400_000,
  });
  const { result, changes } = await update();
  assert.equal(result, 'stored');
  assert.deepEqual(changes[0]?.amounts, [{ name: 'input', before: '15.1', after: '16', isJump: false }]);
  for (const gateway of gateways) {
    await until('the announcement', async () =>
      (await scrape(gateway)).includes('sluice_catalogue_announced_changes 1'),
    );
    assert.equal(await priceNow(gateway), 15.1);
  }
});

test('the difference of a feed and of a public list shows what the past requests would have cost', async () => {
  const settings = await loadSettings(createOrigin());
  let rows = await readRows('feedling');
  await until('the last rows are written', async () => {
    const count = rows.length;
    await sleep(500); // rows of requests on leases are reported within 100 ms
    rows = await readRows('feedling');
    return rows.length === count;
  });
  const costAt = (input: bigint, output: bigint): bigint =>
    rows.reduce((sum, row) => sum + BigInt(row.input) * input + BigInt(row.output) * output, 0n);
  const models = [offer('feedling', '17', '21')];
  const text = renderFeed({ providers: [], models }, { sequence: 99, publishedAt: Date.now() });
  const file = folder.write('next.json', text);
  const { differences } = await compareFeed(settings, stores, { file, since: 0 });
  const [priced] = differences;
  assert.equal(priced?.requests, rows.length);
  assert.equal(priced.cost, costAt(17_000_000n, 21_000_000n));
  assert.equal(
    priced.actual,
    rows.reduce((sum, { cost }) => sum + BigInt(cost), 0n),
  );
  const listed = { litellm_provider: 'groq', input_cost_per_token: 3e-6, output_cost_per_token: 4.5e-6 };
  const list = folder.write('list.json', JSON.stringify({ 'groq/feedling': listed }));
  const found = await comparePrices(settings, stores, { file: list, since: 0 });
  assert.equal(found.compared, 1);
  assert.equal(found.differences[0]?.cost, costAt(3_000_000n, 4_500_000n));
  assert.equal(found.differences[0].requests, rows.length);
});

test('a removed model is served until its moment and then refused by name', async () => {
  const models = [offer('feedling', '15.1', '20')];
  publisher.publish(models, { sequence: 13, from: Date.now() + 86_400_000 });
  assert.equal((await update()).changes.at(-1)?.kind, 'removed');
  for (const gateway of gateways) assert.equal(await priceNow(gateway, 'constant'), 1);
  publisher.publish([...models, CONSTANT], { sequence: 14 });
  await update();
  publisher.publish(models, { sequence: 15 });
  await update();
  for (const gateway of gateways) {
    await until('the shutdown', async () => (await ask(gateway, 'constant')).status !== 200);
    const { status, text } = await ask(gateway, 'constant');
    assert.equal(status, 404);
    assert.match(text, /model_deactivated/);
    assert.match(text, /constant/);
  }
  assert.deepEqual(await stores.accounts.ledger.check(), []);
});

test('after a restart without a network the last good feed is in force, and no past row was priced anew', async () => {
  const before = await readRows('feedling');
  for (const gateway of gateways) await gateway.stop();
  gateways = [];
  await publisher.stop();
  await stores.database.query({ text: `UPDATE catalogue_feed SET due_at = '-infinity'` });
  gateways = [await startGateway(await loadSettings(createOrigin()), log)];
  assert.equal(await priceNow(gateways[0]), 15.1);
  await until('the refusal', () => logLines.some((line) => line.includes('"fault":"unreachable"')));
  assert.equal(await priceNow(gateways[0]), 15.1);
  const rows = await readRows('feedling');
  assert.deepEqual(rows.slice(0, before.length), before);
  assert.deepEqual(await stores.accounts.ledger.check(), []);
});
