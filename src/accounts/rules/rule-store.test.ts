import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import type { Accounts, Caller } from '#accounts';
import { openFreshAccounts } from '../../../test/support/fresh-accounts.ts';
import { shareOpened } from '../../../test/support/share-opened.ts';
import { createFaultyDatabase } from '../../../test/support/faulty-database.ts';
import { until } from '../../../test/support/until.ts';
import { LAYERS, RULE_TYPES, type RuleType } from './rule.ts';

const fresh = shareOpened(() => openFreshAccounts());

interface Tenant {
  secret: string;
  organizationId: string;
  projectId: string;
  keyId: string;
}

async function createTenant(): Promise<Tenant> {
  const { directory } = fresh.accounts;
  const { id: organizationId } = await directory.createOrganization('Acme');
  const { id: projectId } = await directory.createProject({ organizationId, name: 'web' });
  const { secret, key } = await directory.createKey({ projectId, label: 'k' });
  return { secret, organizationId, projectId, keyId: key.id };
}

const rulesOf = ({ rules = [] }: Caller): string[] =>
  rules.map(({ layer, type }) => `${layer} ${type}`).sort();
const find = async ({ secret }: Tenant, accounts: Accounts = fresh.accounts) =>
  rulesOf(await accounts.identify(secret));
const subjectOf = (tenant: Tenant) => ({
  organization: tenant.organizationId,
  project: tenant.projectId,
  key: tenant.keyId,
});

test('a caller has the rules of its organization, project and key', async () => {
  const tenant = await createTenant();
  assert.equal((await fresh.accounts.identify(tenant.secret)).rules, undefined);
  for (const layer of LAYERS)
    await fresh.accounts.directory.addRule({
      layer,
      subjectId: subjectOf(tenant)[layer],
      type: 'deny-models',
      values: [layer],
    });
  assert.deepEqual(await find(tenant), [
    'key deny-models',
    'organization deny-models',
    'project deny-models',
  ]);
  const { rules } = await fresh.accounts.identify(tenant.secret);
  assert.deepEqual(
    rules?.find(({ layer }) => layer === 'project'),
    { layer: 'project', type: 'deny-models', values: ['project'] },
  );
});

test('a rule of one organization, project or key never touches another', async () => {
  const [one, other] = [await createTenant(), await createTenant()];
  const { directory } = fresh.accounts;
  const { secret } = await directory.createKey({ projectId: one.projectId, label: 'sibling' });
  for (const layer of LAYERS)
    await directory.addRule({ layer, subjectId: subjectOf(one)[layer], type: 'free-only', values: [] });
  assert.deepEqual(await find(other), []);
  assert.deepEqual(rulesOf(await fresh.accounts.identify(secret)), [
    'organization free-only',
    'project free-only',
  ]);
  assert.equal((await directory.listRules({ organizationId: one.organizationId })).length, 3);
  assert.deepEqual(await directory.listRules({ organizationId: other.organizationId }), []);
  assert.deepEqual(
    await directory.listRules({ organizationId: other.organizationId, subjectId: one.keyId }),
    [],
  );
  // A row that names a subject of another organization binds no one.
  await fresh.database.query({
    text: `INSERT INTO access_rule (id, organization_id, layer, subject_id, type, items) VALUES ('rule_x', $1, 'key', $2, 'free-only', '{}')`,
    values: [one.organizationId, other.keyId],
  });
  assert.deepEqual(await find(other), []);
});

test('adding and removing a rule reaches every process by notification', async () => {
  const tenant = await createTenant();
  const other = await fresh.join();
  const becomes = (expected: string[]): Promise<void> =>
    until(`rules: ${expected.join()}`, async () => isDeepStrictEqual(await find(tenant, other), expected));
  await becomes([]);
  for (const layer of LAYERS) {
    const { id } = await fresh.accounts.directory.addRule({
      layer,
      subjectId: subjectOf(tenant)[layer],
      type: 'paid-only',
      values: [],
    });
    assert.deepEqual(await find(tenant), [`${layer} paid-only`], 'here at once');
    await becomes([`${layer} paid-only`]);
    await fresh.accounts.directory.removeRule(id);
    assert.deepEqual(await find(tenant), []);
    await becomes([]);
  }
});

test('rules cost no query once the key is known, and hold while the store is down', async () => {
  const tenant = await createTenant();
  await fresh.accounts.directory.addRule({
    layer: 'key',
    subjectId: tenant.keyId,
    type: 'free-only',
    values: [],
  });
  const faulty = createFaultyDatabase(await fresh.fresh.connect());
  const accounts = await fresh.join({ database: faulty.database });
  const first = await accounts.identify(tenant.secret);
  faulty.state = 'down';
  const again = await accounts.identify(tenant.secret);
  assert.deepEqual(rulesOf(again), ['key free-only']);
  assert.equal(again.rules, first.rules);
});

test('every rule type accepts its example, stores it in lower case without duplicates, and lists it', async () => {
  const { organizationId } = await createTenant();
  const { directory } = fresh.accounts;
  const types = Object.keys(RULE_TYPES) as RuleType[];
  for (const type of types)
    await directory.addRule({
      layer: 'organization',
      subjectId: organizationId,
      type,
      values: [...RULE_TYPES[type].example],
    });
  await directory.addRule({
    layer: 'organization',
    subjectId: organizationId,
    type: 'deny-models',
    values: [' GPT-5 ', 'gpt-5'],
  });
  const listed = await directory.listRules({ organizationId });
  assert.deepEqual(
    listed.map(({ type }) => type),
    [...types, 'deny-models'],
  );
  const last = listed.at(-1);
  assert.deepEqual(last?.values, ['gpt-5']);
  assert.equal(last.subjectId, organizationId);
  assert.ok(Math.abs(last.createdAt - Date.now()) < 60_000);
});

test('invalid input is refused, and unknown ids are not found', async () => {
  const tenant = await createTenant();
  const { directory } = fresh.accounts;
  const add = (type: string, ...values: string[]) =>
    directory.addRule({ layer: 'key', subjectId: tenant.keyId, type, values });
  await assert.rejects(add('max-input-price', '3', '4'), /one price/);
  await assert.rejects(add('allow-models'), /1 to 100 values/);
  const senseless = [
    () => add('allow-everything', 'x'),
    () => add('toString'),
    () => add('allow-models'),
    () => add('allow-models', 'two words'),
    () => add('allow-models', 'a\u0000b'),
    () => add('allow-models', 'x'.repeat(201)),
    () => add('allow-models', ''),
    () => add('free-only', 'yes'),
    () => add('max-input-price', '3', '4'),
    () => add('max-input-price', '-1'),
    () => add('max-input-price', '1e3'),
    () => add('allow-networks', '10.0.0.0/33'),
    () => add('no-training'),
    () =>
      directory.addRule({ layer: 'project', subjectId: tenant.projectId, type: 'regions', values: ['eu'] }),
    () =>
      directory.addRule({
        layer: 'organization',
        subjectId: tenant.organizationId,
        type: 'regions',
        values: ['E U'],
      }),
  ];
  for (const run of senseless) await assert.rejects(run, { code: 'invalid_request' }, run.toString());
  const missing = [
    () => directory.addRule({ layer: 'key', subjectId: 'key_x', type: 'free-only', values: [] }),
    () => directory.addRule({ layer: 'project', subjectId: tenant.keyId, type: 'free-only', values: [] }),
    () => directory.removeRule('rule_none'),
  ];
  for (const run of missing) await assert.rejects(run, { code: 'not_found' });
  assert.deepEqual(await find(tenant), []);
});

test('one subject has a bounded number of rules', async () => {
  const { keyId } = await createTenant();
  const add = () =>
    fresh.accounts.directory.addRule({ layer: 'key', subjectId: keyId, type: 'deny-models', values: ['x'] });
  for (let count = 0; count < 100; count += 1) await add();
  await assert.rejects(add, /at most 100/);
});
