import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createUsage, inputTokensOf } from '#canonical';
import type { Usage } from '#canonical';
import { type Catalogue, type Mapping, loadCatalogue, parsePrice, priceUsage } from '#catalogue';
import { type BillReader, createBillReader, createPromptReader } from '#logs';
import { createRow } from '../../test/support/fresh-accounts.ts';
import { shareOpened } from '../../test/support/share-opened.ts';
import { openFreshDatabase } from '../../test/support/fresh-database.ts';
import { createSeededRandom } from '../../test/support/seeded-random.ts';
import { findSavings } from './advise.ts';
import { askAdvice } from './ask-advice.ts';
import { type WhatIf, type WhatIfQuestion, askWhatIf } from './what-if.ts';

const CATALOGUE = fileURLToPath(new URL('../../catalogue', import.meta.url));
const NOW = Date.now();
const canUse = (): boolean => true;
const ACME = { organizationId: 'org_0' };
const TALL = parsePrice({
  input: '1.25',
  output: '10',
  cacheRead: '0.125',
  cacheWrite5m: '1.5',
  request: '0.001',
  tiers: [{ aboveInputTokens: 200_000, input: '2.5', output: '15', cacheRead: '0.25', cacheWrite5m: '3' }],
});
const CHEAP = parsePrice({ input: '0.9', output: '8', cacheRead: '0.1' });
const SMALL = parsePrice({ input: '0.3', output: '0.9', cacheRead: '0.03', cacheWrite5m: '0.4' });

let bills: BillReader;
let catalogue: Catalogue;
const usages: { usage: Usage; organizationId: string }[] = [];

const fresh = shareOpened(() => openFreshDatabase());
before(async () => {
  bills = createBillReader({ database: fresh.database });
  catalogue = await createCatalogue();
  const next = createSeededRandom(3);
  const pick = (most: number): number => Math.floor(next() * most);
  const rows = Array.from({ length: 300 }, (_, n) => {
    const usage = createUsage({
      inputUncached: pick(250_000),
      outputText: pick(9_000),
      outputReasoning: pick(500),
      ...(n % 3 > 0 && { inputCacheRead: n % 3 === 1 ? pick(900) : 1_024 + pick(90_000) }),
      ...(n % 4 > 0 && { inputCacheWrite5m: n % 3 === 2 ? pick(40_000) : 0 }),
    });
    const organizationId = n % 5 === 0 ? 'org_1' : 'org_0';
    usages.push({ usage, organizationId });
    return createBill(n, usage, organizationId);
  });
  const none = createBill(300, createUsage({}), 'org_0');
  const stored = [...rows, { ...none, customer: '0', provider: '0' }];
  await fresh.database.query({ text: 'SELECT request_log_store($1)', values: [JSON.stringify(stored)] });
});

function createBill(n: number, usage: Usage, organizationId: string): ReturnType<typeof createRow> {
  const cost = priceUsage(TALL, usage).toString();
  const caller = {
    organizationId,
    projectId: `prj_${n % 2}`,
    memberId: `mem_${n % 2}`,
    keyId: 'key_0',
    keyLabel: 'k',
  };
  return createRow(caller, `req_bill_${n}`, {
    usage,
    modelId: 'tall',
    providerId: 'acme',
    priceVersion: TALL.version,
    sessionId: `s-${n % 7}`,
    clientName: `client-${n % 3}`,
    agentId: `agent-${n % 4}`,
    endUserId: `user-${n % 5}`,
    customer: cost,
    provider: cost,
    startedAt: NOW - n * 60_000,
  });
}

/** Two models, of which the second takes short prompts alone. */
async function createCatalogue(): Promise<Catalogue> {
  const [template] = [...(await loadCatalogue(CATALOGUE)).models.values()];
  const [mapping] = template?.mappings ?? [];
  assert.ok(template && mapping);
  const { modifiers: _, price: __, contextLength: ___, minCacheableTokens: ____, ...bare } = mapping;
  const create = (modelId: string, more: Partial<Mapping>): [string, typeof template] => [
    modelId,
    { ...template, id: modelId, mappings: [{ ...bare, modelId, providerId: 'acme', ...more }] },
  ];
  const models = new Map([
    create('tall', { price: TALL, contextLength: 1_000_000, minCacheableTokens: 4_096 }),
    create('small', { price: SMALL, contextLength: 200_000, minCacheableTokens: 1_024 }),
    create('unpriced', {}),
  ]);
  const tall = models.get('tall');
  assert.ok(tall);
  const cheap = { ...bare, modelId: 'tall', providerId: 'budget', price: CHEAP };
  models.set('tall', { ...tall, mappings: [...tall.mappings, cheap] });
  return { providers: new Map(), models, names: new Map([...models.keys()].map((id) => [id, id])) };
}

const ask = (question: Partial<WhatIfQuestion> & { model: string }): Promise<WhatIf> =>
  askWhatIf({ bills, catalogue, now: NOW }, { filter: {}, tenants: 'all', ...question });

/** As the second model caches: its minimum is 1,024 tokens. */
function toShort(usage: Usage): Usage {
  const { inputCacheRead, inputCacheWrite5m, inputUncached } = usage;
  const cached = inputCacheRead + inputCacheWrite5m;
  return cached >= 1_024
    ? usage
    : { ...usage, inputCacheRead: 0, inputCacheWrite5m: 0, inputUncached: inputUncached + cached };
}

const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n);

test('whose usage is compared can be chosen by whatever it is summed up by', async () => {
  const count = async (filter: WhatIfQuestion['filter']): Promise<number> =>
    (await ask({ model: 'tall', filter })).sources.reduce((total, { requests }) => total + requests, 0);
  assert.equal(await count({}), 301);
  assert.equal(await count({ memberId: 'mem_1' }), 150);
  assert.equal(await count({ clientName: 'client-1' }), 100);
  assert.equal(await count({ sessionId: 's-3', agentId: 'agent-3' }), 11);
  assert.equal(await count({ endUserId: 'user-4' }), 60);
});

test('on the model that answered, the cost is the bill to the last digit, whatever was cached and however long', async () => {
  for (const filter of [{}, { sessionId: 's-3' }, { projectId: 'prj_1', since: NOW - 3_600_000 }]) {
    const { lines, sources } = await ask({ model: 'tall', filter });
    const line = lines.find(({ providerId }) => providerId === 'acme');
    assert.ok(line && line.actual > 0n);
    assert.equal(line.cost, line.actual);
    assert.deepEqual(line.leftOut, []);
    assert.deepEqual(sources, [
      { modelId: 'tall', providerId: 'acme', requests: line.requests, actual: line.actual },
    ]);
  }
  const lines = (await ask({ model: 'tall' })).lines.filter(({ providerId }) => providerId === 'acme');
  assert.equal(lines[0]?.requests, 301);
  assert.equal(lines[0].cost, sum(usages.map(({ usage }) => priceUsage(TALL, usage))));
});

test('on another, each request costs its price there; short cached parts count as input, and too long prompts not at all', async () => {
  const [line] = (await ask({ model: 'small' })).lines;
  const fits = usages.filter(({ usage }) => inputTokensOf(usage) <= 200_000);
  assert.ok(fits.length > 0 && fits.length < usages.length);
  const expected = fits.map(({ usage }) => priceUsage(SMALL, toShort(usage)));
  assert.equal(line?.cost, sum(expected));
  assert.equal(line.actual, sum(fits.map(({ usage }) => priceUsage(TALL, usage))));
  assert.deepEqual(
    line.leftOut.map(({ reason, requests }) => [reason, requests]),
    [['longer than the context of the model', usages.length - fits.length]],
  );
});

test('requests that no model answered are left out, and counted', async () => {
  const { modelId: _, providerId: __, ...refused } = createBill(2_000, createUsage({}), 'org_0');
  const stored = { ...refused, customer: '0', provider: '0', sessionId: 's-refused' };
  await fresh.database.query({ text: 'SELECT request_log_store($1)', values: [JSON.stringify([stored])] });
  const { lines } = await ask({ model: 'small', filter: { sessionId: 's-refused' } });
  await fresh.database.query({ text: `DELETE FROM request_log WHERE request_id = 'req_bill_2000'` });
  assert.deepEqual(
    lines.map(({ requests, leftOut }) => [requests, leftOut]),
    [[0, [{ reason: 'no model answered', requests: 1, actual: 0n }]]],
  );
});

test('prompts beyond a price step and a cheaper provider are found, with the money and the longest requests', async () => {
  const findings = await findSavings({ bills, catalogue, now: NOW, canUse }, { filter: {}, tenants: 'all' });
  const longest = usages
    .map(({ usage }, n) => ({ id: `req_bill_${n}`, input: inputTokensOf(usage), usage }))
    .toSorted((a, b) => b.input - a.input);
  const long = longest.filter(({ input }) => input > 200_000);
  const flat = { ...TALL, tiers: [] };
  const step = long.map(({ usage }) => priceUsage(TALL, usage) - priceUsage(flat, usage));
  const cheap = usages.map(({ usage }) => priceUsage(TALL, usage) - priceUsage(CHEAP, usage));
  const requestIds = longest.slice(0, 3).map(({ id }) => id);
  const about = { modelId: 'tall', providerId: 'acme', requestIds };
  assert.deepEqual(
    findings.toSorted((a, b) => a.kind.localeCompare(b.kind)),
    [
      { ...about, kind: 'cheaper_provider', detail: 'budget', requests: 301, saved: sum(cheap) },
      { ...about, kind: 'price_step', detail: '200000', requests: long.length, saved: sum(step) },
    ],
  );
  assert.deepEqual(
    await findSavings(
      { bills, catalogue, now: NOW, canUse },
      { filter: { projectId: 'prj_none' }, tenants: 'all' },
    ),
    [],
  );
});

test('a provider that cannot be called is not recommended, however cheap', async () => {
  const canUseAcme = ({ providerId }: Mapping): boolean => providerId === 'acme';
  const findings = await findSavings(
    { bills, catalogue, now: NOW, canUse: canUseAcme },
    { filter: {}, tenants: 'all' },
  );
  assert.deepEqual(
    findings.map(({ kind }) => kind),
    ['price_step'],
  );
});

test('only requests that a finding counts are shown for it, however long or special the others are', async () => {
  const tall = catalogue.models.get('tall');
  assert.ok(tall);
  const mappings = tall.mappings.map((one) =>
    one.providerId === 'budget' ? { ...one, contextLength: 100_000 } : one,
  );
  const models = new Map([...catalogue.models, ['tall', { ...tall, mappings }] as const]);
  const usage = createUsage({ inputUncached: 400_000 });
  const amount = priceUsage(TALL, usage).toString();
  const parts = [{ model: 'tall', priceVersion: TALL.version, usage: {}, factors: [], amount }];
  const special = { ...createBill(1_000, usage, 'org_0'), modifiers: parts };
  await fresh.database.query({ text: 'SELECT request_log_store($1)', values: [JSON.stringify([special])] });
  const findings = await findSavings(
    { bills, catalogue: { ...catalogue, models }, now: NOW, canUse },
    { filter: {}, tenants: 'all' },
  );
  const idsOf = (kind: string): readonly string[] | undefined =>
    findings.find((finding) => finding.kind === kind)?.requestIds;
  const sorted = usages
    .map((one, n) => ({ id: `req_bill_${n}`, input: inputTokensOf(one.usage) }))
    .toSorted((a, b) => b.input - a.input);
  const firstIds = (some: typeof sorted): string[] => some.slice(0, 3).map(({ id }) => id);
  await fresh.database.query({ text: `DELETE FROM request_log WHERE request_id = 'req_bill_1000'` });
  assert.deepEqual(idsOf('cheaper_provider'), firstIds(sorted.filter(({ input }) => input <= 100_000)));
  assert.deepEqual(idsOf('price_step'), firstIds(sorted));
});

test('a tenant sees its own requests alone', async () => {
  const own = usages.filter(({ organizationId }) => organizationId === 'org_0');
  const [line] = (await ask({ model: 'tall', tenants: ACME })).lines;
  assert.equal(line?.actual, sum(own.map(({ usage }) => priceUsage(TALL, usage))));
  const foreign = await ask({ model: 'tall', tenants: ACME, filter: { organizationId: 'org_1' } });
  assert.equal(foreign.lines[0]?.actual, line.actual, 'its own, whatever it names');
});

test('advice to a tenant is of its own requests, at what it was charged', async () => {
  const ports = { bills, prompts: createPromptReader(fresh), catalogue, now: NOW, canUse };
  const kinds = ['cheaper_provider'] as const;
  const [finding, ...others] = await askAdvice(ports, { filter: {}, tenants: ACME, kinds });
  assert.deepEqual(others, []);
  const own = usages.flatMap((one, n) =>
    one.organizationId === 'org_0' ? [{ ...one, id: `req_bill_${n}` }] : [],
  );
  const longest = own.toSorted((a, b) => inputTokensOf(b.usage) - inputTokensOf(a.usage));
  assert.deepEqual(
    finding?.requestIds,
    longest.slice(0, 3).map(({ id }) => id),
  );
  const cheap = own.map(({ usage }) => priceUsage(TALL, usage) - priceUsage(CHEAP, usage));
  assert.equal(finding.saved, sum(cheap));
});

test('a model without a price, or none of that name, is refused by name', async () => {
  for (const model of ['unpriced', 'tal']) {
    await assert.rejects(ask({ model }), { code: 'invalid_request', message: new RegExp(`"${model}"`) });
  }
});
