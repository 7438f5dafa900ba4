import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Statement } from '#storage';
import { openFreshDatabase } from '../../../test/support/fresh-database.ts';
import { shareOpened } from '../../../test/support/share-opened.ts';
import { selectSums, selectTop } from './select-usage.ts';

const DAY_MS = 86_400_000;
const COUNTED = {
  retentionCutoff: -Infinity,
  countedThrough: 30 * DAY_MS,
  detailedFrom: -Infinity,
  timedFrom: -Infinity,
  lateHours: [],
  openDays: [],
};
const SESSIONS = Array.from({ length: 101 }, (_, at) => `session-${at}`);

const fresh = shareOpened(() => openFreshDatabase());
before(async () => {
  // Of an empty table every index seems as good.
  await fresh.database.query({ text: 'DROP INDEX usage_detail_hour, usage_detail_organization' });
});

/** The plan where reading a whole table is the last resort. */
async function explain(statement: Statement): Promise<string> {
  return fresh.database.transaction(async (client) => {
    await client.query({ text: "SELECT set_config('enable_seqscan', 'off', true)" });
    const lines = await client.query<Record<string, string>>({
      ...statement,
      text: `EXPLAIN ${statement.text}`,
    });
    return lines.rows.flatMap((line) => Object.values(line)).join('\n');
  });
}

test('lines of more than a hundred sessions are found by an index, unless one is of none', async () => {
  const ofSessions = (values: readonly string[]) =>
    selectTop({
      filter: { by: ['tag:team', 'session'] },
      state: COUNTED,
      only: { group: 'session', values },
    });
  const byIndex = /usage_detail_session/u;
  assert.match(await explain(ofSessions(SESSIONS)), byIndex);
  assert.doesNotMatch(await explain(ofSessions([...SESSIONS, ''])), byIndex);
  const top = SESSIONS.map((session) => ({ by_0: 'a', by_1: session }));
  const sums = selectSums({ filter: { by: ['tag:team', 'session'] }, state: COUNTED, top });
  assert.match(await explain(sums), byIndex);
});
