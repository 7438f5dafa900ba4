import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { OutcomeRow } from '#accounts';
import { createUsage } from '#canonical';
import { createRow, openFreshAccounts } from '../../../../test/support/fresh-accounts.ts';
import { shareOpened } from '../../../../test/support/share-opened.ts';
import { encodeLogRow } from './encode-log-row.ts';
import { encodeRecords } from './encode-record.ts';
import type { Settlement } from '../ledger.ts';
import { encodeStorableJson } from './storable-json.ts';
import { createAnyText } from '../../../../test/support/any-text.ts';

const fresh = shareOpened(() => openFreshAccounts());

const anyText = fc.oneof(
  createAnyText({ maxLength: 700 }),
  fc.string({
    unit: fc.constantFrom('"', '\\', ',', '(', ')', '{', '}', 'a', ' ', '\n', '\u0000', '\ud800', '🦥'),
  }),
  fc.constantFrom('', 'NULL', 'null', 'now', '\\N'),
);
const anyJson = fc.array(fc.record({ unit: anyText, count: fc.integer() }), { maxLength: 3 });
const anyRow = fc.record(
  {
    startedAt: fc.integer({ min: 0, max: 4e12 }),
    status: fc.integer({ min: 100, max: 599 }),
    durationMs: fc.double({ min: 0, max: 1e9, noNaN: true }),
    firstEventMs: fc.double({ min: 0, max: 1e9, noNaN: true }),
    requestedModel: anyText,
    modelId: anyText,
    providerId: anyText,
    externalId: anyText,
    errorCode: anyText,
    errorMessage: anyText,
    priceVersion: anyText,
    clientRequestId: anyText,
    userAgent: anyText,
    sessionId: anyText,
    agentId: anyText,
    upstreamId: anyText,
    sessionTokenId: anyText,
    memberId: anyText,
    endUserId: anyText,
    parentAgentId: anyText,
    runId: anyText,
    turnId: anyText,
    clientName: anyText,
    clientVersion: anyText,
    tags: fc.dictionary(anyText, anyText, { maxKeys: 3 }),
    attempts: anyJson,
    units: anyJson,
    modifiers: anyJson,
    promptChain: fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes).toString('base64')),
    cacheMiss: fc.record({
      reasons: fc.array(fc.record({ code: anyText }), { maxLength: 2 }),
      tokens: fc.nat(),
    }),
    cacheSaved: fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }).map(String),
    credential: fc.constantFrom('own', 'gateway', 'none'),
    cached: fc.boolean(),
    usage: fc
      .record({ inputUncached: fc.maxSafeNat(), outputText: fc.nat() })
      .map((some) => createUsage(some)),
  },
  {
    requiredKeys: ['startedAt', 'status', 'durationMs', 'requestedModel', 'attempts', 'usage', 'cached'],
  },
);

const DECODE = `
  SELECT to_jsonb(t) - 'closed_at' - 'position' AS text, to_jsonb(j) - 'closed_at' - 'position' AS json, t.closed_at = now() AS is_now
  FROM unnest($1::request_log[]) AS t, request_log_decode($2) AS j`;

test('a log row is stored the same as PostgreSQL’s text and as JSON, whatever is in it', async () => {
  await fc.assert(
    fc.asyncProperty(anyRow, fc.bigInt({ min: 0n, max: 10n ** 30n }), async (more, customer) => {
      const row = { ...createRow(fresh.caller, 'req_1'), ...more } as OutcomeRow;
      const settlement: Settlement = {
        requestId: 'req_1',
        customer,
        provider: 7n,
        estimated: true,
        row,
      };
      const amounts = { customer: customer.toString(), provider: '7', estimated: true };
      const values = [
        encodeRecords([encodeLogRow(settlement)]),
        encodeStorableJson([{ ...row, ...amounts }]),
      ];
      const { rows } = await fresh.database.query({
        text: DECODE,
        values,
      });
      assert.deepEqual(rows[0]?.['text'], rows[0]?.['json']);
      assert.equal(rows[0]?.['is_now'], true);
    }),
    { numRuns: 300 },
  );
});

test('a text is stored up to the length of its column, counted in characters', () => {
  const texts: [name: string, column: number, longest: number][] = [
    ['endpoint', 5, 200],
    ['format', 6, 50],
    ['requestedModel', 8, 500],
    ['modelId', 9, 500],
    ['providerId', 10, 500],
    ['externalId', 11, 500],
    ['errorCode', 14, 200],
    ['errorMessage', 15, 4_000],
    ['priceVersion', 29, 200],
    ['clientRequestId', 33, 500],
    ['userAgent', 34, 500],
    ['sessionId', 35, 120],
    ['agentId', 36, 500],
    ['upstreamId', 37, 500],
    ['sessionTokenId', 39, 120],
    ['memberId', 40, 120],
    ['endUserId', 41, 200],
    ['parentAgentId', 47, 200],
    ['runId', 48, 200],
    ['turnId', 49, 200],
    ['clientName', 50, 200],
    ['clientVersion', 51, 200],
  ];
  const row = Object.fromEntries(texts.map(([name]) => [name, '🦥'.repeat(5_000)])) as unknown as OutcomeRow;
  const columns = encodeLogRow({ requestId: 'r', customer: 1n, provider: 1n, estimated: false, row });
  assert.deepEqual(
    texts.map(([name, column]) => [name, column, Array.from(String(columns[column])).length]),
    texts,
  );
});

test('a moment that no clock shows is left for the database to refuse', () => {
  const encodeStartOf = (startedAt: number) =>
    encodeLogRow({
      requestId: 'r',
      customer: 1n,
      provider: 1n,
      estimated: false,
      row: { startedAt } as unknown as OutcomeRow,
    })[4];
  assert.equal(encodeStartOf(1.4), '1970-01-01T00:00:00.001Z');
  assert.equal(encodeStartOf(99_999_999_999_999), '5138-11-16T09:46:39.999Z');
  assert.equal(encodeStartOf(100_000_000_000_000), 100_000_000_000_000);
});

test('usual settlements take the cheap way, one whose hold is gone takes its neighbours with it the other way', async () => {
  const { caller } = fresh;
  const names: (string | undefined)[] = [];
  const real = await fresh.fresh.connect();
  const query: typeof real.query = (statement) => {
    names.push(statement.name);
    return real.query(statement);
  };
  const { ledger } = await fresh.join({ database: { ...real, query } });
  const settle = (requestId: string) =>
    ledger.settle({
      requestId,
      customer: 5n,
      provider: 3n,
      estimated: false,
      row: createRow(caller, requestId),
    });
  for (const requestId of ['req_2', 'req_3'])
    await ledger.reserve({ requestId, caller, amount: 10n, row: createRow(caller, requestId) });
  names.length = 0;
  await settle('req_2');
  assert.deepEqual(names, ['ledger_ship']);
  await Promise.all([settle('req_3'), settle('req_without_hold')]);
  assert.deepEqual(names, ['ledger_ship', 'ledger_ship', 'ledger_step']);
  assert.deepEqual(await ledger.check(), []);
  const text = `SELECT request_id AS id, customer_cost::int AS cost FROM request_log ORDER BY 1`;
  const { rows } = await fresh.database.query({ text });
  assert.deepEqual(
    rows,
    ['req_2', 'req_3', 'req_without_hold'].map((id) => ({ id, cost: 5 })),
  );
});
