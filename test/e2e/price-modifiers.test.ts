import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type JsonObject, formatUsd } from '#base';
import { createUsage } from '#canonical';
import { type AppliedFactor, priceParts, restorePrice } from '#catalogue';
import type { LogRow } from '#logs';
import { keepPrices, openInProcess } from '../support/in-process.ts';
import { shareGateway } from '../support/share-gateway.ts';
import { report } from '../support/modifier-answers.ts';
import { MODIFIER_CASES, type ModifierCase } from '../support/modifier-table.ts';

const MOST_OUTPUT = 10_000;
const FIRST_SLICE = 1_024;

const gateway = shareGateway({
  config: ({ baseUrl }) => `providers:
  - { id: openai, baseUrl: ${baseUrl}, apiKey: k1 }
  - { id: anthropic, baseUrl: ${baseUrl}, apiKey: k2 }
  - { id: google, baseUrl: ${baseUrl}, apiKey: k3 }
  - { id: alibaba, baseUrl: ${baseUrl}, apiKey: k4 }
  - id: acme
    format: chat
    baseUrl: ${baseUrl}
    apiKey: k4
    modifiers: { service_tier: { values: { turbo: { factor: "3" }, slow: { refuse: true } } } }
    models:
      - { id: acme-1, price: { input: "1", output: "10" }, maxOutput: 10000 }
`,
});
before(() => keepPrices(gateway.database, gateway.catalogue));

interface Asked {
  path: string;
  body: JsonObject;
}

function write({ format, model, fields }: ModifierCase, stream: boolean): Asked {
  const prompt = 'word '.repeat(100); // short, so that it is held by its bytes
  if (format === 'gemini') {
    const method = stream ? 'streamGenerateContent?alt=sse' : 'generateContent';
    const contents = [{ role: 'user', parts: [{ text: prompt }] }];
    const body = { contents, generationConfig: { maxOutputTokens: MOST_OUTPUT }, ...fields };
    return { path: `/v1beta/models/${model}:${method}`, body };
  }
  if (format === 'responses') {
    const body = { model, input: prompt, max_output_tokens: MOST_OUTPUT, stream, store: false, ...fields };
    return { path: '/v1/responses', body };
  }
  const messages = [{ role: 'user', content: prompt }];
  const path = format === 'messages' ? '/v1/messages' : '/v1/chat/completions';
  return { path, body: { model, messages, max_tokens: MOST_OUTPUT, stream, ...fields } };
}

/** By hand: every byte a token, 64 for the provider's frame and 1,024 for tools; of a stream 1,024 tokens at first, unless the
 * provider bills it to its end, as Google and Alibaba do. */
function holdOf(
  { model, held, multiplied = 1, fields }: ModifierCase,
  body: JsonObject,
  stream: boolean,
): bigint {
  const most = stream && !/^(gemini|qwen)/.test(model) ? FIRST_SLICE : MOST_OUTPUT;
  const input = JSON.stringify(body).length + 64 + ('tools' in fields ? 1024 : 0);
  const micro = (perMillion: number): bigint => BigInt(Math.round(perMillion * 1_000_000));
  const amounts = held.map(
    ([inPrice, outPrice, runs = 1, output = most]) =>
      (BigInt(input) * micro(inPrice) + BigInt(output) * micro(outPrice)) * BigInt(runs),
  );
  return amounts.reduce((sum, amount) => sum + (amount * BigInt(Math.round(multiplied * 10)) + 9n) / 10n, 0n);
}

/** What the test sees of one request. */
interface Seen {
  row: LogRow;
  held: bigint;
  body: JsonObject;
  sent: JsonObject;
}

/** Sends the request; reads the hold while the provider is called, and the row once it has answered. */
async function ask(one: ModifierCase, stream: boolean): Promise<Seen> {
  let held = 0n;
  gateway.upstream.clear();
  gateway.upstream.script({
    reply: async (exchange) => {
      const { rows } = await gateway.database.query<{ amount: string }>({
        text: 'SELECT amount::text FROM hold',
      });
      held = BigInt(rows[0]?.amount ?? '0');
      await report(one.reported)(exchange);
    },
  });
  const { path, body } = write(one, stream);
  const response = await gateway.post(path, body, one.headers);
  const text = await response.text();
  assert.equal(response.status, 200, text.slice(0, 500));
  const [truth] = gateway.upstream.truths;
  assert.ok(truth);
  return { row: await settledRow(response), held, body, sent: truth.body };
}

async function settledRow(response: Response): Promise<LogRow> {
  return gateway.waitForRow(response);
}

/** The cost recomputed from the row and the prices of its versions, as a check of the books does. */
async function recompute(row: LogRow): Promise<bigint> {
  const parts = row.modifiers ?? [
    { model: row.modelId ?? '', priceVersion: row.priceVersion ?? '', usage: row.usage, factors: [] },
  ];
  const priced = parts.map(async ({ model, priceVersion, usage, factors }) => {
    const { rows } = await gateway.database.query<{ price: string }>({
      text: 'SELECT price::text FROM price_version WHERE version = $1',
      values: [priceVersion],
    });
    const price = restorePrice(priceVersion, rows[0]?.price ?? '');
    const applied = factors.map((factor) => factor as AppliedFactor);
    return { modelId: model, price, usage: createUsage(usage), factors: applied };
  });
  return priceParts(await Promise.all(priced));
}

for (const one of MODIFIER_CASES) {
  for (const stream of [false, true]) {
    test(`${one.name} (${stream ? 'stream' : 'JSON'})`, async () => {
      const { row, held, body, sent } = await ask(one, stream);
      for (const [name, value] of Object.entries(one.sent ?? one.fields))
        assert.deepEqual(sent[name], value, name);
      assert.equal(formatUsd(held), formatUsd(holdOf(one, body, stream)), 'the hold');
      assert.equal(formatUsd(BigInt(row.customer)), one.bill, 'the bill');
      assert.equal(row.provider, row.customer);
      assert.equal((await recompute(row)).toString(), row.provider, 'the row explains its cost');
      const [first] = row.modifiers ?? [];
      const applied = first?.factors.map(({ name, value, factor }) => [name, value, factor]);
      assert.deepEqual(applied ?? [], one.factors ?? []);
      if (one.models)
        assert.deepEqual(
          row.modifiers?.map(({ model }) => model),
          one.models,
        );
      const { rows } = await gateway.database.query({ text: 'SELECT FROM hold' });
      assert.equal(rows.length, 0, 'nothing stays held');
    });
  }
}

function find(name: string): ModifierCase {
  const found = MODIFIER_CASES.find((one) => one.name.includes(name));
  assert.ok(found, name);
  return found;
}

test('the log of the administration names each modifier with its factor and amount', async () => {
  const { row } = await ask(find('fast in the US'), false);
  const { secret } = await gateway.accounts.directory.createAdminKey({ label: 'reader' });
  const response = await gateway.request(`/admin/v1/logs/${row.requestId}`, {
    headers: { authorization: `Bearer ${secret}` },
  });
  const shown = (await response.json()) as { cost: string; modifiers: { factors: JsonObject[] }[] };
  assert.equal(shown.cost, '4.95');
  assert.deepEqual(shown.modifiers[0]?.factors, [
    { name: 'speed', value: 'fast', requested: 'fast', factor: '6', unpriced: false, amount: '3.75' },
    { name: 'inference_geo', value: 'us', requested: 'us', factor: '1.1', unpriced: false, amount: '0.45' },
  ]);
});

interface ReadBill {
  lines: Record<
    'part' | 'detail' | 'provider_id' | 'model' | 'units' | 'price' | 'per' | 'factor' | 'amount',
    unknown
  >[];
  total: string;
  cost: string;
  provider_cost?: string;
}

async function readBill(requestId: string, organizationId?: string): Promise<ReadBill> {
  const bound = organizationId === undefined ? {} : { organizationId };
  const { secret } = await gateway.accounts.directory.createAdminKey({ label: 'reader', ...bound });
  const response = await gateway.request(`/admin/v1/logs/${requestId}/bill`, {
    headers: { authorization: `Bearer ${secret}` },
  });
  return (await response.json()) as ReadBill;
}

test('the bill has the price per million tokens and the factors, and adds up to the cost', async () => {
  const { row } = await ask(find('fast in the US'), false);
  const bill = await readBill(row.requestId);
  assert.deepEqual(
    bill.lines.map(({ part, detail, units, price, per, factor, amount }) => [
      part,
      detail,
      units,
      price,
      per,
      factor,
      amount,
    ]),
    [
      ['input_uncached', null, 100_000, '5', 1_000_000, null, '0.5'],
      ['output_text', null, 10_000, '25', 1_000_000, null, '0.25'],
      ['speed', 'fast', null, null, 1, '6', '3.75'],
      ['inference_geo', 'us', null, null, 1, '1.1', '0.45'],
    ],
  );
  assert.deepEqual([...new Set(bill.lines.map(({ provider_id: id }) => id))], [row.providerId]);
  assert.deepEqual([bill.total, bill.cost, bill.provider_cost], ['4.95', '4.95', '4.95']);
  assert.deepEqual(await gateway.run('ledger', 'explain', row.requestId), bill);
  const own = await readBill(row.requestId, row.organizationId);
  assert.ok(!('provider_cost' in own), 'what the provider charges is for the operator');
  assert.deepEqual(own.lines, bill.lines);
});

test('`ledger explain` lists the usage of each model', async () => {
  const { row } = await ask(find('an advisor'), true);
  const { lines, total } = await gateway.run('ledger', 'explain', row.requestId);
  const parts = (lines as JsonObject[]).map(({ model, part, amount }) => [model, part, amount]);
  assert.deepEqual(parts, [
    ['claude-haiku-4-5', 'input_uncached', '0.1'],
    ['claude-haiku-4-5', 'output_text', '0.05'],
    ['claude-opus-4-8', 'input_uncached', '0.5'],
    ['claude-opus-4-8', 'output_text', '0.125'],
  ]);
  assert.equal(total, '0.775');
});

test('each of several choices is billed separately, at its own long-context tier', async () => {
  const one: ModifierCase = {
    ...find('chat, priority: 0.315 × 2'),
    fields: { service_tier: 'priority', n: 2 },
  };
  const { row } = await ask(one, false);
  assert.equal(formatUsd(BigInt(row.customer)), '1.26');
  assert.deepEqual(
    row.modifiers?.map(({ amount }) => formatUsd(BigInt(amount))),
    ['0.63', '0.63'],
  );
  assert.equal((await recompute(row)).toString(), row.provider);
});

/** Requests without a known price: the request, and the field at fault. */
const REFUSED: readonly (readonly [ModifierCase['format'], string, JsonObject, string, RegExp])[] = [
  ['chat', 'gpt-5-nano', { service_tier: 'priority' }, 'service_tier', /"priority" has no known price/],
  ['chat', 'gpt-5.2', { service_tier: 'ultrafast' }, 'service_tier', /"ultrafast"/],
  ['chat', 'acme-1', { service_tier: 'slow' }, 'service_tier', /"slow"/],
  ['chat', 'acme-1', { service_tier: 'flex' }, 'service_tier', /acme/],
  ['responses', 'gpt-5.3-codex', { service_tier: 'ultrafast' }, 'service_tier', /"ultrafast"/],
  ['gemini', 'gemini-3-flash-preview', { serviceTier: 'turbo' }, 'serviceTier', /"turbo"/],
  ['messages', 'claude-haiku-4-5', { speed: 'fast' }, 'speed', /"fast"/],
  ['messages', 'claude-opus-4-6', { inference_geo: 'eu' }, 'inference_geo', /"eu"/],
  ['messages', 'claude-opus-4-6', { fallbacks: [{ model: 'claude-9' }] }, 'fallbacks.0.model', /"claude-9"/],
];

for (const [format, model, fields, param, message] of REFUSED) {
  test(`${format}: ${JSON.stringify(fields)} of ${model} is refused by name, at no cost`, async () => {
    gateway.upstream.clear();
    const one = { ...find('no tier'), format, model, fields };
    const { path, body } = write(one, false);
    const response = await gateway.post(path, body);
    const text = await response.text();
    assert.equal(response.status, 400, text);
    assert.match(text.replaceAll('\\', ''), message);
    assert.ok(text.includes(param), text);
    assert.equal(gateway.upstream.truths.length, 0, 'no provider is called');
    const row = await settledRow(response);
    assert.deepEqual([row.errorCode, row.customer, row.provider], ['unpriced_option', '0', '0']);
  });
}

test('neutral values are accepted everywhere, and a custom provider has its own factors', async () => {
  for (const value of ['auto', 'default', 'turbo']) {
    const one: ModifierCase = { ...find('no tier'), model: 'acme-1', fields: { service_tier: value } };
    const { row, sent } = await ask({ ...one, reported: { usage: one.reported.usage } }, false);
    assert.equal(sent['service_tier'], value);
    // 100,000 × 1 + 10,000 × 10, threefold for turbo
    assert.equal(formatUsd(BigInt(row.customer)), value === 'turbo' ? '0.6' : '0.2');
  }
});

test('where the operator allows unpriced values, they cost what the standard does and are marked', async () => {
  await using free = await openInProcess({
    config: `allowUnpriced: true
providers:
  - { id: openai, baseUrl: ${gateway.upstream.baseUrl}, apiKey: k1 }
`,
  });
  gateway.upstream.clear();
  const one: ModifierCase = { ...find('no tier'), model: 'gpt-5-nano', fields: { service_tier: 'priority' } };
  gateway.upstream.script({ reply: report(one.reported) });
  const { path, body } = write(one, false);
  const response = await free.post(path, body);
  assert.equal(response.status, 200, await response.text());
  const row = await free.waitForRow(response);
  // 100,000 × 0.05 + 10,000 × 0.4; the answer names the tier `default`
  assert.equal(formatUsd(BigInt(row.customer)), '0.009');
});

test('what-if on the models that answered is their bill to the last digit, with every option that changes a price', async () => {
  const { rows } = await gateway.database.query<{ model: string; provider: string; cost: string }>({
    text: `SELECT model_id AS model, min(provider_id) AS provider, sum(provider_cost)::text AS cost FROM request_log
      WHERE provider_cost > 0 GROUP BY 1 HAVING count(DISTINCT provider_id) = 1`,
  });
  assert.ok(rows.length > 5);
  const { secret } = await gateway.accounts.directory.createAdminKey({ label: 'reader' });
  for (const { model, provider, cost } of rows) {
    const query = new URLSearchParams({ model: `${provider}/${model}`, from_model: model });
    const response = await gateway.request(`/admin/v1/what_if?${query.toString()}`, {
      headers: { authorization: `Bearer ${secret}` },
    });
    const { data } = (await response.json()) as { data: Record<string, unknown>[] };
    assert.deepEqual(
      data.map((line) => [line['cost'], line['actual_cost'], line['left_out']]),
      [[formatUsd(BigInt(cost)), formatUsd(BigInt(cost)), []]],
      model,
    );
  }
});
