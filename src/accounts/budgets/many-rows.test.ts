import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Session } from '#storage';
import { countReads } from '../../../test/support/count-reads.ts';
import { fillLedger } from '../../../test/support/fill-ledger.ts';
import { openFreshAccounts } from '../../../test/support/fresh-accounts.ts';
import { shareOpened } from '../../../test/support/share-opened.ts';
import { createBudgetStore } from './budget-store.ts';

const ROWS = 20_000;
const KEYS = 1_000;
const HOLDS = 500;

const fresh = shareOpened(() => openFreshAccounts());

const openStore = ({ query }: Session): ReturnType<typeof createBudgetStore> =>
  createBudgetStore({ database: { query }, windowClock: undefined });

const execute = (text: string, values: unknown[] = []): Promise<unknown> =>
  fresh.database.query({ text, values });

test('the holds of a project with many keys are looked up one by one', async () => {
  const { projectId, organizationId } = fresh.caller;
  await execute(
    `WITH key AS (
      INSERT INTO api_key (id, project_id, label, digest, masked)
      SELECT 'key_' || n, $1, 'key', sha256(n::text::bytea), '' FROM generate_series(1, ${KEYS}) AS n RETURNING id
    ) INSERT INTO meter (kind, subject_id) SELECT 'key', id FROM key`,
    [projectId],
  );
  await execute(
    `INSERT INTO hold (request_id, owner_epoch, meter_ids, amount, row)
    SELECT 'req_' || k.id, 1, ARRAY[k.id, c.id], 1, '' FROM meter c, (
      SELECT id FROM meter WHERE kind = 'key' AND subject_id LIKE 'key\\_%' LIMIT ${HOLDS}) AS k
    WHERE c.kind = 'credits' AND c.subject_id = $1`,
    [organizationId],
  );
  const { reads, value } = await countReads(fresh.database, (session) =>
    openStore(session).sumHolds({ projectId }),
  );
  assert.deepEqual(value, { amount: BigInt(HOLDS), requests: HOLDS, leased: 0n });
  assert.ok(reads < 20 * HOLDS, `${reads} reads`);
  await execute('DELETE FROM hold');
});

test('budgets of an organization read the log of a day, not all of it', async () => {
  await fillLedger(fresh, { rows: ROWS, days: 40, organizations: 2 });
  const [of] = await fresh.accounts.directory.listOrganizations({ search: 'organization 0' });
  assert.ok(of);
  await fresh.accounts.directory.addCredits({ organizationId: of.id, amount: 10n ** 15n });
  const { reads } = await countReads(fresh.database, (session) =>
    openStore(session).listBudgets({ organizationId: of.id }),
  );
  assert.ok(reads < ROWS / 4, `${reads} reads`);
});
