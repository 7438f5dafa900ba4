import assert from 'node:assert/strict';
import { test } from 'node:test';
import { projectResource } from './project-resource.ts';
import { createRow, openFreshAccounts } from '../../../test/support/fresh-accounts.ts';
import { shareOpened } from '../../../test/support/share-opened.ts';

const fresh = shareOpened(() => openFreshAccounts());

async function createOrganization(): Promise<{ organizationId: string; projectId: string }> {
  const { directory } = fresh.accounts;
  const { id: organizationId } = await directory.createOrganization('Acme');
  const { id: projectId } = await directory.createProject({ organizationId, name: 'web' });
  return { organizationId, projectId };
}

test('the first organization and project are the default', async () => {
  const { organizationId, projectId } = fresh.caller;
  await createOrganization();
  assert.deepEqual(await fresh.accounts.directory.findDefault(), { organizationId, projectId });
});

test('organizations and projects are listed in the order of their creation', async () => {
  const { organizationId, projectId } = await createOrganization();
  const { directory } = fresh.accounts;
  const organization = (await directory.listOrganizations()).find(({ id }) => id === organizationId);
  assert.equal(organization?.name, 'Acme');
  assert.equal(organization.balance, undefined, 'not metered yet');
  assert.deepEqual(
    (await directory.listProjects({ organizationId })).map(({ id, name }) => [id, name]),
    [[projectId, 'web']],
  );
});

test('projects of all organizations are searched by name', async () => {
  const { organizationId, projectId } = await createOrganization();
  const { directory } = fresh.accounts;
  await directory.createProject({ organizationId, name: 'batch' });
  const list = projectResource.operations['list'];
  const ports = {
    directory,
    id: '',
    deletePayloads: () => Promise.resolve(0),
    byokTerms: () => assert.fail('no list needs them'),
  };
  const find = async (search: string) =>
    (await list?.run({ ...ports, input: { search }, page: {} })) as { id: string; name: string }[];
  assert.deepEqual(
    (await find('ATC')).map(({ name }) => name),
    ['batch'],
  );
  const found = await find('we');
  assert.ok(found.some(({ id }) => id === projectId));
  assert.ok(found.every(({ name }) => name === 'web'));
});

test('a key is listed masked, with its use, its limit and when it was last used', async () => {
  const { directory, ledger } = fresh.accounts;
  const { organizationId, projectId } = await createOrganization();
  const { secret, key } = await directory.createKey({ projectId, label: 'ci', limit: 500n });
  assert.deepEqual(await directory.listKeys({ organizationId }), [key]);
  assert.equal(key.masked, `slc_…${secret.slice(-4)}`);
  const caller = await fresh.accounts.identify(secret);
  const row = createRow(caller, 'req_listed', { startedAt: 1_780_000_000_123 });
  await ledger.reserve({ requestId: 'req_listed', caller, amount: 100n, row });
  await ledger.settle({ requestId: 'req_listed', customer: 70n, provider: 0n, estimated: false, row });
  await directory.updateKey(key.id, { disabled: true });
  const [used] = await directory.listKeys({ projectId });
  assert.deepEqual(used, { ...key, usage: 70n, limit: 500n, disabled: true, lastUsedAt: 1_780_000_000_123 });
  assert.deepEqual(await directory.listKeys({ projectId: fresh.caller.projectId, organizationId }), []);
});

test('the first grant meters an organization, with exactly that amount left; later ones add', async () => {
  const { directory, ledger } = fresh.accounts;
  const { organizationId, projectId } = await createOrganization();
  const caller = await fresh.accounts.identify((await directory.createKey({ projectId, label: 'k' })).secret);
  const row = createRow(caller, 'req_before');
  await ledger.reserve({ requestId: 'req_before', caller, amount: 900n, row });
  await ledger.settle({ requestId: 'req_before', customer: 900n, provider: 0n, estimated: false, row });
  assert.deepEqual(await directory.addCredits({ organizationId, amount: 100n }), { balance: 100n });
  assert.deepEqual(await directory.addCredits({ organizationId, amount: 50n }), { balance: 150n });
  assert.deepEqual(await ledger.check(), []);
});

test('a grant repeated with the same idempotency key is applied once per organization, and a different amount is refused', async () => {
  const { directory, ledger } = fresh.accounts;
  const [one, two] = [await createOrganization(), await createOrganization()];
  const grant = { organizationId: one.organizationId, amount: 100n, idempotencyKey: 'evt_1' };
  const balances = await Promise.all(Array.from({ length: 20 }, () => directory.addCredits(grant)));
  assert.ok(balances.every(({ balance }) => balance === 100n));
  assert.deepEqual(await directory.addCredits({ ...grant, organizationId: two.organizationId }), {
    balance: 100n,
  });
  await assert.rejects(directory.addCredits({ ...grant, amount: 7n }), { code: 'invalid_request' });
  assert.deepEqual(await ledger.check(), []);
});

test('unknown ids are not found, and invalid input is refused', async () => {
  const { directory } = fresh.accounts;
  const { organizationId, projectId } = await createOrganization();
  const { key } = await directory.createKey({ projectId, label: 'k' });
  const missing = [
    () => directory.createProject({ organizationId: 'org_x', name: 'p' }),
    () => directory.createKey({ projectId: 'prj_x', label: 'k' }),
    () => directory.updateKey('key_x', { disabled: true }),
    () => directory.updateKey('key_x', { limit: 1n }),
    () => directory.updateProject('prj_x', { cacheTtlSeconds: 60 }),
    () => directory.updateOrganization('org_x', { rateLimits: { concurrency: 1 } }),
    () => directory.updateKey('key_x', { rateLimits: { concurrency: 1 }, recurringLimit: null }),
    () => directory.addCredits({ organizationId: 'org_x', amount: 1n }),
  ];
  for (const run of missing) await assert.rejects(run, { code: 'not_found' });
  const senseless = [
    () => directory.createOrganization('  '),
    () => directory.createOrganization('a\u0000b'),
    () => directory.createKey({ projectId, label: 'x'.repeat(201) }),
    () => directory.createKey({ projectId, label: 'k', limit: -1n }),
    () => directory.updateKey(key.id, { limit: -1n }),
    () => directory.addCredits({ organizationId, amount: 0n }),
    () => directory.addCredits({ organizationId, amount: 10n ** 30n }),
  ];
  for (const run of senseless) await assert.rejects(run, { code: 'invalid_request' });
});

test('no key is found in the database in plain, whole or in part', async () => {
  const { directory } = fresh.accounts;
  const { projectId } = await createOrganization();
  const secrets = [
    (await directory.createKey({ projectId, label: 'k' })).secret,
    (await directory.createAdminKey({ label: 'a' })).secret,
  ];
  const { rows: tables } = await fresh.database.query<{ name: string }>({
    text: `SELECT quote_ident(table_name) AS name FROM information_schema.tables WHERE table_schema = 'public'`,
  });
  assert.ok(tables.length >= 8);
  let dump = '';
  for (const { name } of tables) {
    const { rows } = await fresh.database.query<{ line: string }>({
      text: `SELECT t::text AS line FROM ${name} t`,
    });
    dump += rows.map(({ line }) => line).join('\n');
  }
  for (const secret of secrets) {
    const afterPublicId = secret.replace(/^slc(adm)?_.{12}/, '');
    const hex = Buffer.from(afterPublicId.slice(0, 8)).toString('hex');
    assert.ok(dump.includes(secret.slice(-4)), 'the dump holds the mask');
    assert.ok(!dump.includes(afterPublicId.slice(0, 8)) && !dump.includes(hex), 'the dump holds no secret');
  }
});
