import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { type Caller, createAccounts } from '#accounts';
import { systemClock } from '#base';
import { migrate, openDatabase, readMigrations } from '#storage';
import { createRow } from '../../../test/support/fresh-accounts.ts';
import { openFreshDatabase } from '../../../test/support/fresh-database.ts';

const BEFORE = '0006';
const FILL = `
  INSERT INTO organization (id, name) VALUES ('org_1', 'Acme');
  INSERT INTO project (id, organization_id, name) VALUES ('prj_1', 'org_1', 'p');
  INSERT INTO api_key (id, project_id, label, digest, masked)
  VALUES ('key_1', 'prj_1', 'k', decode(repeat('ab', 32), 'hex'), 'slc_…abcd');
  INSERT INTO meter (kind, subject_id, lim) VALUES ('key', 'key_1', 1000), ('credits', 'org_1', NULL);
  INSERT INTO owner (note) VALUES ('old');
  SELECT ledger_grant('org_1/a', 'org_1', 500);`;

test('the books of an installation from before plans stay right: use, grants and a hold that is open meanwhile', async () => {
  await using fresh = await openFreshDatabase();
  const name = `sluice_old_${randomBytes(6).toString('hex')}`;
  await fresh.database.query({ text: `CREATE DATABASE ${name}` });
  const { connection } = fresh;
  const old =
    'url' in connection
      ? { url: new URL(`/${name}`, connection.url).href }
      : { ...connection, database: name };
  const database = openDatabase({ connection: old, applicationName: 'test' });
  const all = await readMigrations();
  await migrate(
    database,
    all.filter((migration) => migration.name < BEFORE),
  );
  for (const text of FILL.split(';').filter((part) => part.trim() !== '')) await database.query({ text });
  const caller: Caller = { keyId: 'key_1', keyLabel: 'k', organizationId: 'org_1', projectId: 'prj_1' };
  const step = async (settlements: object[] | null, requests: object[] | null): Promise<void> => {
    const values = [settlements && JSON.stringify(settlements), requests && JSON.stringify(requests)];
    await database.query({ text: 'SELECT ledger_step(1, $1, $2)', values });
  };
  const request = (id: string) => ({
    id,
    k: 'key_1',
    o: 'org_1',
    a: '100',
    row: JSON.stringify(createRow(caller, id)),
  });
  const settlement = (id: string) => ({
    ...{ id, k: 'key_1', o: 'org_1', c: '60', p: '50', e: false },
    row: createRow(caller, id),
  });
  await step(null, [request('req_1'), request('req_2')]);
  await step([settlement('req_1')], null);

  const applied = await migrate(database, all);
  assert.ok(applied.length > 0 && applied.every((migration) => migration >= BEFORE));
  await step([settlement('req_2')], [request('req_3')]); // as the version before asks
  const secret = randomBytes(32);
  const accounts = createAccounts({ database, clock: systemClock, secret, exclusive: true });
  await accounts.start();
  assert.deepEqual(await accounts.ledger.check(), []);
  const status = await accounts.findKeyStatus(caller);
  assert.deepEqual([status.usage, status.limit, status.devPlan], ['0.00000000012', '0.000000001', 'none']);
  const [organization] = await accounts.directory.listOrganizations();
  assert.equal(organization?.balance, 380n);
  await accounts.close();
  await database.close();
  await fresh.database.query({ text: `DROP DATABASE ${name} WITH (FORCE)` });
});
