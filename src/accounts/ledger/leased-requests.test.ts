import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { Caller } from '#accounts';
import { type Database, Journal } from '#storage';
import { silentLog } from '#telemetry';
import { createRow } from '../../../test/support/fresh-accounts.ts';
import { type TemporaryFolder, createTemporaryFolder } from '../../../test/support/temporary.ts';
import { TestClock } from '../../../test/support/test-clock.ts';
import { until } from '../../../test/support/until.ts';
import type { Report } from './encode-report.ts';
import type { Hold } from './ledger.ts';
import { LeasedRequests } from './leased-requests.ts';
import { LedgerStore } from './ledger-store.ts';
import { toSubject } from './subject.ts';

const CALLER = { keyId: 'key', organizationId: 'org', projectId: 'project' } as Caller;
const MOST_UNWRITTEN = 2_000;

let temporary: TemporaryFolder;
let journal: Journal;
let leased: LeasedRequests;
let serial = 0;
/** Reports that have begun, and what each waits for. */
let begun: Report[];
let gates: PromiseWithResolvers<undefined>[];
let isGated: boolean;

beforeEach(async () => {
  temporary = createTemporaryFolder();
  journal = new Journal({ folder: temporary.path, installation: 'test', log: silentLog });
  await journal.open();
  [begun, gates, isGated] = [[], [], false];
  const store = new LedgerStore({} as Database);
  store.report = async (report) => {
    begun.push(report);
    const gate = Promise.withResolvers<undefined>();
    gates.push(gate);
    if (isGated) await gate.promise;
    return new Map(report.leases.map(({ lease, keep, want }) => [lease.id, { amount: keep + want }]));
  };
  leased = new LeasedRequests({
    store,
    journal,
    durability: 'written',
    clock: new TestClock(),
    isTrusted: () => true,
    onWritten: () => undefined,
    onFault: (error) => assert.fail(String(error)),
  });
  leased.start('1');
});
afterEach(async () => {
  isGated = false;
  for (const gate of gates) gate.resolve(undefined);
  await leased.close();
  await journal.close();
  temporary.remove();
});

async function reserve(amount = 1n): Promise<Hold | undefined> {
  const requestId = `req_${(serial += 1)}`;
  return leased.reserve({ requestId, caller: CALLER, amount, row: createRow(CALLER, requestId) });
}

async function settle({ requestId }: Hold): Promise<void> {
  const row = createRow(CALLER, requestId);
  const settlement = { requestId, customer: 1n, provider: 1n, estimated: false, row };
  await leased.settle({ settlement, subject: toSubject(CALLER) });
}

test('with many settlements to write the next request waits, but only until some of them are written', async () => {
  await until('there is a lease', async () => (await reserve(1_000_000n)) !== undefined);
  isGated = true;
  const already = begun.length;
  for (let count = 0; count <= MOST_UNWRITTEN; count += 1) {
    const hold = await reserve();
    assert.ok(hold);
    await settle(hold);
  }
  let isAdmitted = false;
  const waiting = reserve().then((hold) => {
    isAdmitted = hold !== undefined;
  });
  for (let turns = 0; turns < 100; turns += 1) await turn();
  assert.equal(isAdmitted, false);
  await until('one report is under way', () => begun.length === already + 1);
  gates[already]?.resolve(undefined);
  await waiting;
  assert.equal(isAdmitted, true);
});
