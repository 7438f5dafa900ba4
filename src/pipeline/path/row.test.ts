import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Caller } from '#accounts';
import type { Arrival } from '../request/arrival.ts';
import { getInboundFormat } from '#wire';
import { NO_BILL } from './refuse.ts';
import { toOpenRow, toRow } from './row.ts';
import { Trip } from '../request/trip.ts';

const KEY: Caller = { keyId: 'key_1', keyLabel: 'k', organizationId: 'org_1', projectId: 'prj_1' };

/** The caller's columns in the row of an open request and of the same request once closed. */
function createRows(caller: Caller): Record<string, unknown>[] {
  const arrival = {
    requestId: 'req_1',
    endpoint: '/v1/messages',
    format: getInboundFormat('messages'),
    headers: {},
    startedAt: 0,
    startedMs: 0,
  } as unknown as Arrival;
  const trip = new Trip(arrival);
  trip.set({ caller });
  const open = toOpenRow(trip, undefined);
  return [{ ...open }, { ...toRow(trip, trip.close('answered', { bill: NO_BILL }), 1) }];
}

test('a row names the member, the session token and the end user, from the first byte to the last', () => {
  const caller = { ...KEY, memberId: 'mem_1', sessionTokenId: 'ses_1', endUserId: 'u-17' };
  for (const row of createRows(caller)) {
    assert.deepEqual(
      [row['keyId'], row['memberId'], row['sessionTokenId'], row['endUserId']],
      ['key_1', 'mem_1', 'ses_1', 'u-17'],
    );
  }
});

test('the row of a key without a member has no member columns at all', () => {
  for (const row of createRows(KEY))
    assert.deepEqual(
      Object.keys(row).filter((name) => /member|sessionToken|endUser/.test(name)),
      [],
    );
});
