import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Caller } from '#accounts';
import { NO_BILL } from '../../request/trip.ts';
import { toOpenRow, toRow } from './row.ts';
import { CALLER, createTrip } from '../../../../test/support/create-trip.ts';

/** The caller's columns in the row of an open request and of the same request once closed. */
function createRows(caller: Caller): Record<string, unknown>[] {
  const trip = createTrip({ caller });
  const open = toOpenRow(trip, undefined);
  return [{ ...open }, { ...toRow(trip, trip.close('answered', { bill: NO_BILL }), 1) }];
}

test('a row names the member, the session token and the end user, from the first byte to the last', () => {
  const caller = { ...CALLER, memberId: 'mem_1', sessionTokenId: 'ses_1', endUserId: 'u-17' };
  for (const row of createRows(caller)) {
    assert.deepEqual(
      [row['keyId'], row['memberId'], row['sessionTokenId'], row['endUserId']],
      ['k', 'mem_1', 'ses_1', 'u-17'],
    );
  }
});

test('the row of a key without a member has no member columns at all', () => {
  for (const row of createRows(CALLER))
    assert.deepEqual(
      Object.keys(row).filter((name) => /member|sessionToken|endUser/.test(name)),
      [],
    );
});
