import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Caller, createAccounts } from '#accounts';
import { systemClock } from '#base';
import { migrate, openDatabase, readMigrations } from '#storage';
import { readEarlierMigrations } from '../../../test/support/earlier-schema.ts';
import { createServerYard } from '../../../test/support/embedded-server.ts';
import { createRow } from '../../../test/support/fresh-accounts.ts';

/** Statements as version 0.1 issued them: an organization with a plan, whose key has a recurring limit. */
const FILL = `
  INSERT INTO organization (id, name) VALUES ('org_1', 'Acme');
  INSERT INTO project (id, organization_id, name) VALUES ('prj_1', 'org_1', 'p');
  INSERT INTO api_key (id, project_id, label, digest, masked)
  VALUES ('key_1', 'prj_1', 'k', decode(repeat('ab', 32), 'hex'), 'slc_…abcd');
  INSERT INTO meter (kind, subject_id, lim) VALUES ('key', 'key_1', 1000), ('credits', 'org_1', NULL);
  INSERT INTO owner (note) VALUES ('old');
  SELECT ledger_grant('org_1/a', 'org_1', 500);
  SELECT plan_set('org_1', 'pro', 100, 200, 100, false);
  SELECT recurring_limit_set('key_1', 900, 'month');`;

const CALLER: Caller = { keyId: 'key_1', keyLabel: 'k', organizationId: 'org_1', projectId: 'prj_1' };
const IDS = { k: 'key_1', o: 'org_1', q: true };

const request = (id: string): object => ({
  ...{ id, ...IDS, a: '40' },
  row: JSON.stringify(createRow(CALLER, id)),
});

const settlement = (id: string): object => ({
  ...{ id, ...IDS, c: '30', p: '20', e: false },
  row: createRow(CALLER, id),
});

test('the books of version 0.1 stay right: use, a plan, and a hold that is open while the version changes', async () => {
  await using yard = createServerYard();
  const { connection } = await yard.start(join(yard.folder, 'data'));
  const database = openDatabase({ connection, applicationName: 'sluice test' });
  await migrate(database, readEarlierMigrations());
  for (const text of FILL.split(';').filter((part) => part.trim() !== '')) await database.query({ text });
  const step = async (settlements: object[] | null, requests: object[] | null): Promise<unknown> => {
    const values = [settlements && JSON.stringify(settlements), requests && JSON.stringify(requests)];
    const { rows } = await database.query<{ outcomes: unknown }>({
      text: 'SELECT ledger_step(1, $1, $2) AS outcomes',
      values,
    });
    return rows[0]?.outcomes;
  };
  const held = { s: 'ok', a: '40' };
  assert.deepEqual(await step(null, [request('req_1'), request('req_2')]), [held, held]);
  await step([settlement('req_1')], null);

  await migrate(database, await readMigrations());
  assert.deepEqual(await step([settlement('req_2')], [request('req_3')]), [held]);
  const secret = randomBytes(32);
  const accounts = createAccounts({ database, clock: systemClock, secret, exclusive: true });
  await accounts.start();
  assert.deepEqual(await accounts.ledger.check(), []);
  const status = await accounts.findKeyStatus(CALLER);
  assert.deepEqual([status.usage, status.limit, status.devPlan], ['0.00000000006', '0.000000001', 'pro']);
  const [organization] = await accounts.directory.listOrganizations();
  assert.equal(organization?.balance, 500n);
  await accounts.close();
  await database.close();
});
