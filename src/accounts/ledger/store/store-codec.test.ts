import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HoldRequest, Settlement } from '../ledger.ts';
import {
  decodeReply,
  encodeOpened,
  encodeSettlement,
  encodeTry,
  isSettlementRecord,
  kindOf,
} from './store-codec.ts';

test('replies of the database become outcomes, with the reset of a meter that has one', () => {
  assert.deepEqual(decodeReply({ s: 'closed' }), { status: 'closed' });
  assert.deepEqual(decodeReply({ s: 'ok', a: '5' }), { status: 'ok', amount: 5n });
  assert.deepEqual(decodeReply({ s: 'ok' }), { status: 'ok', amount: 0n });
  const figures = { kind: 'credits', limit: 9n, used: 3n, held: 2n };
  const reply = { m: 'credits', lim: '9', used: '3', held: '2' } as const;
  assert.deepEqual(decodeReply({ s: 'refused', ...reply, z: 0 }), {
    status: 'refused',
    ...figures,
    resetsAt: 0,
  });
  assert.deepEqual(decodeReply({ s: 'blocked', ...reply, z: null }), { status: 'blocked', ...figures });
});

const CALLER = { keyId: 'k', organizationId: 'o' };
const REQUEST = { requestId: 'r', caller: CALLER, amount: 7n, row: { a: 1 } } as unknown as HoldRequest;
const write = (value: object): unknown => JSON.parse(JSON.stringify(value));

test('an attempt to reserve takes what there is if it is the last or the hold grows, and says if it is premium', () => {
  const plain = { id: 'r', k: 'k', o: 'o', a: '7', row: '{"a":1}' };
  assert.deepEqual(write(encodeTry({ request: REQUEST, final: false })), plain);
  assert.deepEqual(write(encodeTry({ request: REQUEST, final: true })), { ...plain, f: true });
  const growing = { ...REQUEST, grows: true, premium: true, leastAmount: 2n };
  assert.deepEqual(write(encodeTry({ request: growing, final: false })), {
    ...plain,
    l: '2',
    f: true,
    q: true,
  });
});

test('settlements and opened requests keep what they are billed by', () => {
  const subject = { ...CALLER, projectId: 'p', premium: false };
  const settlement = {
    requestId: 'r',
    customer: 3n,
    provider: 2n,
    estimated: false,
    row: {},
  } as unknown as Settlement;
  const plain = { id: 'r', k: 'k', o: 'o', c: '3', p: '2', e: false, row: {} };
  assert.deepEqual(write(encodeSettlement({ settlement, subject })), plain);
  const special = {
    settlement: { ...settlement, unreached: true, standard: true, beyondHold: 9n },
    subject: { ...subject, premium: true },
    lease: 'l',
  };
  assert.deepEqual(write(encodeSettlement(special)), {
    ...plain,
    q: true,
    n: true,
    s: true,
    d: '9',
    l: 'l',
  });
  const opened = { id: 'r', w: 'e', k: 'k', o: 'o', c: '0', p: '0', e: true, l: 'l', row: { a: 1 } };
  const lease = { id: 'l', meters: undefined };
  const record = encodeOpened(REQUEST, { epoch: 'e', lease });
  assert.deepEqual(JSON.parse(record), { opened });
  const premium = encodeOpened({ ...REQUEST, premium: true }, { epoch: 'e', lease });
  assert.deepEqual(JSON.parse(premium), { opened: { ...opened, q: true } });
  const meters = [1, 2, 3];
  const periodic = encodeOpened(REQUEST, { epoch: 'e', lease: { id: 'l', meters } });
  assert.deepEqual(JSON.parse(periodic), { opened: { ...opened, m: meters } });
  assert.deepEqual(write(encodeSettlement({ settlement, subject, meters })), { ...plain, m: meters });
  assert.deepEqual(
    [record, '{"progress":{}}', '{"owner":"e"}', '{"id":"r"}'].map((text) => [
      kindOf(text),
      isSettlementRecord(text),
    ]),
    [
      ['opened', false],
      ['progress', false],
      ['owner', false],
      ['settlement', true],
    ],
  );
});
