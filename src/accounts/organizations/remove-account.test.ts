import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Accounts } from '#accounts';
import { createByokTerms } from '../../../test/support/byok-calls.ts';
import { createRow, openFreshAccounts } from '../../../test/support/fresh-accounts.ts';
import { shareOpened } from '../../../test/support/share-opened.ts';
import { until } from '../../../test/support/until.ts';

const fresh = shareOpened(() => openFreshAccounts());
let other: Accounts;
let directory: Accounts['directory'];

before(async () => {
  ({ directory } = fresh.accounts);
  other = await fresh.join();
});

async function createTree(name: string) {
  const { id: organizationId } = await directory.createOrganization(name);
  const { id: projectId } = await directory.createProject({ organizationId, name: `${name} project` });
  const { id: memberId } = await directory.addMember({ organizationId, name: 'Ada', role: 'owner' });
  const { secret, key } = await directory.createKey({ projectId, label: `${name} key`, memberId });
  const token = await directory.createSessionToken({ keyId: key.id, limit: 10n ** 12n });
  const caller = await other.identify(secret);
  await other.identify(token.secret, { sessions: true });
  return { organizationId, projectId, memberId, keyId: key.id, secret, token: token.secret, caller };
}

type Tree = Awaited<ReturnType<typeof createTree>>;

/** In both processes; a change reaches the other one by a message. */
async function assertRefused({ secret, token }: Tree, message: RegExp): Promise<void> {
  for (const credential of [secret, token]) {
    const refusal = { code: 'invalid_credential', message };
    await assert.rejects(async () => fresh.accounts.identify(credential, { sessions: true }), refusal);
    await until('the other process refuses it', async () => {
      const identify = async () => other.identify(credential, { sessions: true });
      return identify().then(
        () => false,
        (error: unknown) => error instanceof Error && message.test(error.message),
      );
    });
  }
}

const NOT_FOUND = { code: 'not_found' };

test('a removed project ends its keys and their session tokens in every process, and those of others go on', async () => {
  const tree = await createTree('Acme');
  const { organizationId, projectId, keyId } = tree;
  const { id: kept } = await directory.createProject({ organizationId, name: 'kept' });
  const { secret: keptSecret, key } = await directory.createKey({ projectId: kept, label: 'kept' });
  await directory.addRule({ layer: 'key', subjectId: keyId, type: 'deny-models', values: ['gpt-*'] });
  const { id: keptRule } = await directory.addRule({
    layer: 'organization',
    subjectId: organizationId,
    type: 'deny-models',
    values: ['o1'],
  });
  assert.deepEqual(await directory.removeProject(projectId), { disabledKeyIds: [keyId] });
  await assertRefused(tree, /^the project of the API key was removed$/);
  assert.equal((await other.identify(keptSecret)).keyId, key.id);
  const ids = async (list: Promise<{ id: string }[]>) => (await list).map(({ id }) => id);
  assert.deepEqual(await ids(directory.listProjects({ organizationId })), [kept]);
  assert.deepEqual(await ids(directory.listKeys({ organizationId })), [key.id]);
  assert.deepEqual(await ids(directory.listRules({ organizationId })), [keptRule]);
  assert.deepEqual(await directory.listSessionTokens({ organizationId }), []);
  assert.equal((await directory.listMembers({ organizationId })).length, 1);
});

test('the limits of a removed project end, so that its organization is admitted as without one', async () => {
  const { organizationId, projectId } = await createTree('Limited');
  const { id: kept } = await directory.createProject({ organizationId, name: 'kept' });
  const recurringLimit = { amount: 10n, period: 'day' } as const;
  const renews = async (): Promise<boolean | undefined> => {
    const text = `SELECT renews FROM meter WHERE kind = 'credits' AND subject_id = $1`;
    const { rows } = await fresh.database.query<{ renews: boolean }>({ text, values: [organizationId] });
    return rows[0]?.renews;
  };
  for (const id of [projectId, kept]) await directory.updateProject(id, { recurringLimit, limit: 100n });
  await directory.removeProject(projectId);
  assert.equal(await renews(), true, 'the other project has a limit');
  await directory.removeProject(kept);
  assert.equal(await renews(), false);
  const left = { text: 'SELECT FROM shared_limit WHERE organization_id = $1', values: [organizationId] };
  assert.equal((await fresh.database.query(left)).rows.length, 0);
});

test('limits, plans and rules are not set on what was removed', async () => {
  const { organizationId, projectId } = await createTree('Gone');
  await directory.removeOrganization(organizationId);
  const recurringLimit = { amount: 1n, period: 'day' } as const;
  const rule = { type: 'deny-models', values: ['gpt-*'] } as const;
  const work: (() => Promise<unknown>)[] = [
    () => directory.updateOrganization(organizationId, { recurringLimit }),
    () => directory.updateProject(projectId, { recurringLimit }),
    () => directory.addRule({ layer: 'organization', subjectId: organizationId, ...rule }),
    () => directory.addRule({ layer: 'project', subjectId: projectId, ...rule }),
    () => directory.endPlan(organizationId),
  ];
  for (const run of work) await assert.rejects(run, NOT_FOUND, String(run));
  const shared = { text: 'SELECT FROM shared_limit WHERE organization_id = $1', values: [organizationId] };
  assert.equal((await fresh.database.query(shared)).rows.length, 0);
});

test('a removed organization ends all that gives access to it, and loses its providers', async () => {
  const terms = await createByokTerms();
  const tree = await createTree('Ended');
  const { organizationId, projectId, memberId, keyId } = tree;
  const apiKey = 'sk-0a1b2c3d4e5f';
  await directory.setProviderKey({ organizationId, providerId: 'openai', apiKey }, terms);
  const provider = { name: 'acme', format: 'chat', baseUrl: 'https://llm.example.com/v1', apiKey };
  await directory.addCustomProvider({ organizationId, ...provider }, terms);
  const admin = await directory.createAdminKey({ label: 'bound', organizationId });
  const free = await directory.createAdminKey({ label: 'free' });
  await other.administration.identify(admin.secret);
  const byKey = { adminKey: admin.secret, isSecure: true, requestId: 'req_sign_in' };
  const { secret: link } = await directory.createDashboardSession({ label: 'link', organizationId });
  const cookies = [
    (await other.dashboard.signIn(byKey)).secret,
    (await other.dashboard.signIn({ link, isSecure: true, requestId: 'req_link' })).secret,
  ];
  for (const cookie of cookies) await other.dashboard.identify(cookie, true);
  assert.deepEqual(await directory.removeOrganization(organizationId), {
    removedProjectIds: [projectId],
    disabledKeyIds: [keyId],
    removedMemberIds: [memberId],
    disabledAdminKeyIds: [admin.key.id],
  });
  await assertRefused(tree, /^the organization of the API key was removed$/);
  const refusal = { code: 'invalid_credential' };
  await assert.rejects(fresh.accounts.administration.identify(admin.secret), refusal);
  await until('the other process refuses the admin key', () =>
    other.administration.identify(admin.secret).then(
      () => false,
      () => true,
    ),
  );
  for (const cookie of cookies) await assert.rejects(other.dashboard.identify(cookie, true), refusal);
  await assert.rejects(directory.setAdminKeyDisabled(admin.key.id, false), { code: 'invalid_request' });
  await other.administration.identify(free.secret);
  assert.equal(await other.findByok(organizationId), undefined);
  assert.deepEqual(await directory.listProviderKeys({ organizationId }), []);
  assert.deepEqual(await directory.listCustomProviders({ organizationId }), []);
  assert.deepEqual(await directory.listMembers({ organizationId }), []);
  assert.ok((await directory.listOrganizations({ search: 'Ended' })).length === 0);
});

test('a request in flight is charged when its project is removed, and its figures stay with their names', async () => {
  const tree = await createTree('Billed');
  const { caller, organizationId, projectId, keyId } = tree;
  const requestId = 'req_in_flight';
  const row = createRow(caller, requestId);
  await fresh.accounts.ledger.reserve({ requestId, caller, amount: 100n, row });
  await directory.removeOrganization(organizationId);
  await fresh.accounts.ledger.settle({ requestId, customer: 70n, provider: 0n, estimated: false, row });
  const used = `SELECT used FROM meter WHERE kind = 'key' AND subject_id = $1`;
  const { rows } = await fresh.database.query<{ used: unknown }>({ text: used, values: [keyId] });
  assert.equal(BigInt(String(rows[0]?.used)), 70n);
  assert.deepEqual(await fresh.accounts.ledger.check(), []);
  await directory.requireKnown({ organizationId, projectId, keyId });
  const ids = [organizationId, projectId, keyId, fresh.caller.keyId];
  const names = (await directory.listNames({ ids })).map(({ name, removed }) => `${name}: ${removed}`);
  const expected = ['Billed key: true', 'Billed project: true', 'Billed: true', 'test key: false'];
  assert.deepEqual(names.sort(), expected);
});

test('the default organization is the first that is not removed, and its first project the default one, if it has any', async () => {
  const own = await openFreshAccounts();
  const { directory: other } = own.accounts;
  const { organizationId, projectId } = own.caller;
  const { id: second } = await other.createProject({ organizationId, name: 'second' });
  await other.removeProject(projectId);
  assert.deepEqual(await other.findDefault(), { organizationId, projectId: second });
  await other.removeProject(second);
  const { id: next } = await other.createOrganization('Next');
  const { id: last } = await other.createProject({ organizationId: next, name: 'last' });
  assert.deepEqual(await other.findDefault(), { organizationId }, 'never a project of another organization');
  await other.createProject({ organizationId, name: 'third' });
  await other.removeOrganization(organizationId);
  assert.deepEqual(await other.findDefault(), { organizationId: next, projectId: last });
  await own[Symbol.asyncDispose]();
});

test('budgets of a removed organization and its projects are not listed', async () => {
  const { organizationId, projectId, keyId, memberId } = await createTree('Budgets');
  const recurringLimit = { amount: 10n ** 12n, period: 'day' } as const;
  await directory.updateOrganization(organizationId, { recurringLimit });
  await directory.updateProject(projectId, { recurringLimit });
  await directory.updateKey(keyId, { recurringLimit });
  await directory.updateMember(memberId, { recurringLimit });
  await directory.addCredits({ organizationId, amount: 10n ** 12n });
  const terms = { price: 1n, credits: 10n ** 12n, premiumWeekly: 10n ** 12n };
  await directory.setPlan({ organizationId, plan: 'pro', terms });
  assert.equal((await directory.listBudgets({ organizationId })).length, 7);
  await directory.removeOrganization(organizationId);
  assert.deepEqual(await directory.listBudgets({ organizationId }), []);
});

test('what ends with a project or an organization is one message to other processes', async () => {
  const { organizationId, projectId, keyId } = await createTree('Many');
  const { id: other } = await directory.createProject({ organizationId, name: 'other' });
  const { key } = await directory.createKey({ projectId: other, label: 'b' });
  for (const label of ['c', 'd']) {
    await directory.createKey({ projectId, label });
    await directory.createKey({ projectId: other, label });
    await directory.addMember({ organizationId, name: label, role: 'member' });
  }
  const deny = { type: 'deny-models', values: ['gpt-*'] } as const;
  for (const subjectId of [keyId, key.id]) await directory.addRule({ layer: 'key', subjectId, ...deny });
  for (const subjectId of [projectId, other])
    await directory.addRule({ layer: 'project', subjectId, ...deny });
  const heard: string[] = [];
  const subscription = await fresh.database.listen(
    'sluice_accounts',
    (message) => void heard.push(message),
    () => undefined,
  );
  await directory.removeProject(projectId);
  await directory.removeOrganization(organizationId);
  const { id: mark } = await directory.createOrganization('mark');
  await until('the next change is heard', () => heard.includes(`organization:${mark}`));
  const wanted = [`project:${projectId}`, `organization:${organizationId}`, `organization:${mark}`];
  assert.deepEqual(heard, wanted);
  await subscription.close();
});

test('what is created while an organization is removed waits, and is refused', async () => {
  const { organizationId, projectId } = await createTree('Raced');
  const creations = [
    () => directory.createKey({ projectId, label: 'late' }),
    () => directory.createProject({ organizationId, name: 'late' }),
    () => directory.addMember({ organizationId, name: 'late', role: 'member' }),
    () => directory.createAdminKey({ label: 'late', organizationId }),
  ];
  const waiting = `SELECT count(*)::int AS count FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  let created: Promise<unknown>[] = [];
  await fresh.accounts.changeTogether([], async (changes) => {
    await changes.removeOrganization(organizationId);
    created = creations.map((create) => create());
    for (const each of created) each.catch(() => undefined);
    await until('all wait', async () => {
      const { rows } = await fresh.database.query<{ count: number }>({ text: waiting });
      return rows[0]?.count === creations.length;
    });
  });
  for (const each of created) await assert.rejects(each, NOT_FOUND);
});
