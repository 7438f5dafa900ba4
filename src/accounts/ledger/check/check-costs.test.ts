import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { USAGE_PARTS, createUsage } from '#canonical';
import { encodePrice, parsePrice, priceUnits, priceUsage } from '#catalogue';
import { type LogRow, USAGE_COLUMNS } from '#logs';
import { fillLedger } from '../../../../test/support/fill-ledger.ts';
import { createRow, openFreshAccounts } from '../../../../test/support/fresh-accounts.ts';
import { shareOpened } from '../../../../test/support/share-opened.ts';

const FILLED = 2_000;
const NOW = parsePrice({
  input: '3',
  output: '15',
  cacheRead: '0.3',
  perImage: { default: '0.04' },
  tiers: [{ aboveInputTokens: 200_000, input: '6', output: '22.5' }],
});
/** As older versions stored it: searches were part of the usage then. */
const PRICE = { ...NOW, version: 'a1b2c3d4e5f6', parts: { ...NOW.parts, webSearches: 10_000_000_000n } };
const USAGE = createUsage({
  inputUncached: 1_000,
  inputCacheRead: 500,
  outputText: 200,
  outputReasoning: 40,
});
const COST = priceUsage(PRICE, USAGE);

const fresh = shareOpened(() => openFreshAccounts());
before(async () => {
  const { accounts, database } = fresh;
  await fillLedger({ accounts, database }, { rows: FILLED });
  await database.query({
    text: 'INSERT INTO price_version (version, price) VALUES ($1, $2)',
    values: [PRICE.version, JSON.stringify(encodePrice(PRICE))],
  });
  await settle('req_a', COST);
  await settle('req_b', COST);
  await settle('req_long', 0n, { usage: createUsage({ inputUncached: 300_000, outputText: 10 }) });
  await settle('req_nothing', 0n, { usage: createUsage() });
  await settle('req_cached', 0n, { cached: true });
  const units = [{ unit: 'image', count: 2 }] as const;
  await settle('req_units', COST + priceUnits(PRICE.units, units), { units: [...units] });
});

async function settle(requestId: string, cost: bigint, more: Partial<LogRow> = {}): Promise<void> {
  const { ledger } = fresh.accounts;
  const usage = more.usage ?? USAGE;
  const provider = cost === 0n && !more.cached ? dueOf(usage) : cost;
  const row = createRow(fresh.caller, requestId, { priceVersion: PRICE.version, usage, ...more });
  await ledger.reserve({ requestId, caller: fresh.caller, amount: provider, row });
  await ledger.settle({ requestId, customer: provider, provider, estimated: false, row });
}

const dueOf = (usage: typeof USAGE): bigint => (usage.inputUncached === 0 ? 0n : priceUsage(PRICE, usage));

/** What the check finds after a change made past the ledger, by request; the change is undone. */
async function findAfter(change: string, undo: string): Promise<string[]> {
  await fresh.database.query({ text: change });
  const differences = await fresh.accounts.ledger.check();
  await fresh.database.query({ text: undo });
  return differences
    .map(({ what, subject, expected, actual }) => `${subject}: ${what}: ${expected} is not ${actual}`)
    .sort();
}

const setRow = (id: string, change: string): string =>
  `UPDATE request_log SET ${change} WHERE request_id = '${id}'`;

test('requests of every kind that were charged what they used are in order', async () => {
  assert.deepEqual(await fresh.accounts.ledger.check(), []);
});

test('a changed token count is found, and names its request and what it would have cost', async () => {
  for (const part of USAGE_PARTS) {
    const column = USAGE_COLUMNS[part];
    const price = PRICE.parts[part];
    const found = await findAfter(
      setRow('req_a', `${column} = ${column} + 1`),
      setRow('req_a', `${column} = ${column} - 1`),
    );
    assert.deepEqual(found, [`req_a: cost of its usage: ${COST + price} is not ${COST}`], column);
  }
});

test('counts that no sum holds are found, and do not end the check', async () => {
  const found = await findAfter(
    setRow('req_a', 'input_uncached = 9223372036854775807, output_text = 9223372036854775807'),
    setRow('req_a', 'input_uncached = 1000, output_text = 200'),
  );
  assert.equal(found.length, 1);
  assert.match(found[0] ?? '', /^req_a: cost of its usage: \d+ is not /);
});

test('a count that changes the tier, units that were changed, and a cost of a replay are found', async () => {
  const cases: [id: string, change: string, undo: string][] = [
    ['req_long', 'input_uncached = 200000', 'input_uncached = 300000'],
    ['req_units', `units = '[{"unit": "image", "count": 3}]'`, `units = '[{"unit": "image", "count": 2}]'`],
    ['req_units', `units = '[{"unit": "image", "count": 0}]'`, `units = '[{"unit": "image", "count": 2}]'`],
    ['req_nothing', 'output_text = 1', 'output_text = 0'],
  ];
  for (const [id, change, undo] of cases) {
    const found = await findAfter(setRow(id, change), setRow(id, undo));
    assert.equal(found.length, 1, change);
    assert.match(found[0] ?? '', new RegExp(`^${id}: cost of its usage`));
  }
});

test('cost moved between two requests is found at both, in rows, in entries, and in both at once', async () => {
  const move = (by: number) => [
    setRow('req_a', `customer_cost = customer_cost - ${by}, provider_cost = provider_cost - ${by}`),
    setRow('req_b', `customer_cost = customer_cost + ${by}, provider_cost = provider_cost + ${by}`),
  ];
  const book = (by: number) =>
    ['req_a', 'req_b'].map(
      (id, at) =>
        `UPDATE ledger_entry SET customer = customer + ${at === 0 ? -by : by}, provider = provider + ${at === 0 ? -by : by}
         WHERE request_id = '${id}'`,
    );
  await fresh.database.query({ text: 'ALTER TABLE ledger_entry DISABLE TRIGGER USER' });
  const all = (statements: string[]): string => `DO $$ BEGIN ${statements.join('; ')}; END $$`;
  const name = (found: string[]) => found.map((line) => line.split(': ').slice(0, 2).join(': '));
  const inRows = await findAfter(all(move(7)), all(move(-7)));
  assert.deepEqual(name(inRows), [
    'req_a: cost of its usage',
    'req_a: row',
    'req_b: cost of its usage',
    'req_b: row',
  ]);
  const inEntries = await findAfter(all(book(7)), all(book(-7)));
  assert.deepEqual(name(inEntries), ['req_a: row', 'req_b: row']);
  const inBoth = await findAfter(all([...move(7), ...book(7)]), all([...move(-7), ...book(-7)]));
  assert.deepEqual(inBoth, [
    `req_a: cost of its usage: ${COST} is not ${COST - 7n}`,
    `req_b: cost of its usage: ${COST} is not ${COST + 7n}`,
  ]);
});

test('a customer charged more than the cost is found', async () => {
  const found = await findAfter(
    setRow('req_a', 'customer_cost = customer_cost + 1'),
    setRow('req_a', 'customer_cost = customer_cost - 1'),
  );
  assert.deepEqual(found, [
    `req_a: customer above cost: at most ${COST} is not ${COST + 1n}`,
    `req_a: row: ${COST} / ${COST} is not ${COST + 1n} / ${COST}`,
  ]);
});

test('one changed row among many is found', async () => {
  const { rows } = await fresh.database.query<{ id: string }>({
    text: `SELECT request_id AS id FROM request_log WHERE price_version = 'version-2' ORDER BY request_id LIMIT 1`,
  });
  const id = rows[0]?.id ?? '';
  const found = await findAfter(
    setRow(id, 'output_text = output_text + 1'),
    setRow(id, 'output_text = output_text - 1'),
  );
  assert.equal(found.length, 1);
  assert.ok(found[0]?.startsWith(`${id}: cost of its usage`));
});

test('of differences in every request the first are listed, and the number of the others', async () => {
  const found = await findAfter(
    'UPDATE request_log SET customer_cost = customer_cost + 1, provider_cost = provider_cost + 1',
    'UPDATE request_log SET customer_cost = customer_cost - 1, provider_cost = provider_cost - 1',
  );
  assert.ok(found.length > 250 && found.length <= 1_001, String(found.length));
  const [rest = ''] = found.filter((line) => line.startsWith('not listed: further differences: 0 is not '));
  const count = Number(rest.split(' ').at(-1));
  assert.ok(found.length - 1 + count >= 2 * FILLED, `${found.length} and ${count}`);
});

test('nothing is found once all of it is undone', async () => {
  assert.deepEqual(await fresh.accounts.ledger.check(), []);
});
