import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Accounts, AdminCaller, Directory } from '#accounts';
import { RESOURCES, hasScope } from '#accounts';
import type { GatewayError } from '#errors';
import { openFreshAccounts } from '../../../test/support/fresh-accounts.ts';
import { shareOpened } from '../../../test/support/share-opened.ts';
import { UNUSED_INSTALLATION } from '../../../test/support/unused-installation.ts';
import { until } from '../../../test/support/until.ts';
import { useDirectory } from '../../../test/support/use-directory.ts';
import { createKeyText } from '../keys/key-text.ts';

const fresh = shareOpened(() => openFreshAccounts());
let caller: AdminCaller;

before(async () => {
  caller = await admit({ label: 'operator' });
});

async function admit(input: Parameters<Directory['createAdminKey']>[0]): Promise<AdminCaller> {
  const { secret } = await fresh.accounts.directory.createAdminKey(input);
  return fresh.accounts.administration.identify(secret);
}

async function codeOf(accounts: Accounts, secret: string): Promise<string> {
  return accounts.administration.identify(secret).then(
    () => 'accepted',
    (error: unknown) => (error as GatewayError).code,
  );
}

const createOrganization = (key?: string, by = caller, name = 'Acme') =>
  fresh.accounts.administration.change(
    {
      caller: by,
      requestId: 'req_test',
      ...(key !== undefined && { repeatable: { key, request: ['/organizations', name] } }),
    },
    async (perform) => {
      const { id } = await useDirectory(perform, (directory) => directory.createOrganization(name));
      return JSON.stringify({ id });
    },
  );

const countOrganizations = async () => (await fresh.accounts.directory.listOrganizations()).length;

test('an admin key opens until it is disabled, at once here and by the notification elsewhere; no other credential does', async () => {
  const { accounts } = fresh;
  const other = await fresh.join();
  const { secret, key } = await accounts.directory.createAdminKey({ label: 'ops' });
  assert.deepEqual([await codeOf(accounts, secret), await codeOf(other, secret)], ['accepted', 'accepted']);
  await accounts.directory.setAdminKeyDisabled(key.id, true);
  assert.equal(await codeOf(accounts, secret), 'invalid_credential');
  await until('refused elsewhere too', async () => (await codeOf(other, secret)) !== 'accepted');
  await accounts.directory.setAdminKeyDisabled(key.id, false);
  assert.equal(await codeOf(accounts, secret), 'accepted');
  assert.equal(await codeOf(accounts, fresh.secret), 'wrong_credential');
  assert.equal(await codeOf(accounts, createKeyText('session')), 'wrong_credential');
  assert.equal(await codeOf(accounts, createKeyText('admin')), 'invalid_credential');
  assert.equal(await codeOf(accounts, 'sk-something'), 'invalid_credential');
});

test('a repetition gets the answer of the first, whatever became of it since; another request is refused', async () => {
  const first = await createOrganization('once');
  const organizations = await countOrganizations();
  assert.deepEqual(await createOrganization('once'), { text: first.text, isReplay: true });
  await assert.rejects(createOrganization('once', caller, 'Other'), { code: 'idempotency_key_reused' });
  assert.equal(await countOrganizations(), organizations);
  const another = await createOrganization('once', await admit({ label: 'another' }));
  assert.equal(another.isReplay, false, 'a key is its admin key’s own');
});

test('an idempotency key expires after 24 hours, and its response is deleted with the next request', async () => {
  await createOrganization('old');
  await fresh.database.query({
    text: `UPDATE idempotent_answer SET created_at = now() - interval '24 hours' WHERE key = 'old'`,
  });
  await createOrganization('next');
  const { rows } = await fresh.database.query({ text: `SELECT FROM idempotent_answer WHERE key = 'old'` });
  assert.equal(rows.length, 0);
  assert.equal((await createOrganization('old')).isReplay, false);
});

test('what fails leaves nothing: no change, no audit row, no used key; it may be sent again', async () => {
  const before = await countOrganizations();
  const { listAudit } = fresh.accounts.directory;
  const [latest] = await listAudit({ limit: 1 });
  await assert.rejects(
    fresh.accounts.administration.change(
      { caller, requestId: 'req_fails', repeatable: { key: 'fails', request: ['/organizations', 'Acme'] } },
      async (perform) => {
        await useDirectory(perform, (directory) => directory.createOrganization('Acme'));
        throw new Error('the process dies');
      },
    ),
    /the process dies/,
  );
  assert.equal(await countOrganizations(), before);
  assert.deepEqual(await listAudit({ limit: 1 }), [latest]);
  assert.equal((await createOrganization('fails')).isReplay, false);
});

test('[C9] of 100 requests with one key at once one has an effect; the others get its response or a refusal to retry', async () => {
  const before = await countOrganizations();
  const answers = await Promise.allSettled(Array.from({ length: 100 }, () => createOrganization('storm')));
  const texts = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value.text] : []));
  const codes = answers.flatMap((answer) =>
    answer.status === 'rejected' ? [(answer.reason as GatewayError).code] : [],
  );
  assert.equal(await countOrganizations(), before + 1);
  assert.equal(new Set(texts).size, 1);
  assert.deepEqual(
    codes.filter((code) => code !== 'request_in_progress' && code !== 'store_unavailable'), // an overloaded database
    [],
  );
  assert.equal((await createOrganization('storm')).text, texts[0]);
});

test('a kept response is encrypted in the database, and cannot be decrypted under another name', async () => {
  await createOrganization('sealed', caller, 'A name that must not be found');
  await createOrganization('moved');
  const { rows } = await fresh.database.query<{ line: string }>({
    text: `SELECT encode(sealed, 'escape') AS line FROM idempotent_answer`,
  });
  assert.ok(rows.every(({ line }) => !line.includes('must not') && !line.includes('org_')));
  await fresh.database.query({
    text: `UPDATE idempotent_answer SET sealed = (SELECT sealed FROM idempotent_answer WHERE key = 'sealed') WHERE key = 'moved'`,
  });
  await assert.rejects(createOrganization('moved'));
});

test('a key that no header may carry is refused', async () => {
  for (const key of ['', ' ', 'a b', 'ä', 'x'.repeat(256)])
    await assert.rejects(createOrganization(key), { code: 'invalid_request' });
});

test('an admin key cannot create a key with more rights, nor one of another organization', async () => {
  const { organizationId } = fresh.caller;
  const { administration } = fresh.accounts;
  const resource = RESOURCES.find(({ name }) => name === 'admin_key');
  assert.ok(resource);
  const create = (by: AdminCaller, input: Parameters<Directory['createAdminKey']>[0]) =>
    administration.change({ caller: by, requestId: 'req_test' }, async (perform) => {
      const call = { ...UNUSED_INSTALLATION, id: '', input, page: {} };
      return JSON.stringify((await perform(resource, 'create', call)).json);
    });
  const reader = await admit({ label: 'reader', scopes: ['read', 'admin_keys:write'] });
  for (const scopes of [undefined, ['all'], ['accounts:write'], ['read', 'money:write']])
    await assert.rejects(create(reader, { label: 'x', ...(scopes && { scopes }) }), {
      code: 'missing_scope',
    });
  await create(reader, { label: 'x', scopes: ['accounts:read', 'admin_keys:write'] });
  await assert.rejects(create(caller, { label: 'x', scopes: ['everything'] }), { code: 'invalid_request' });
  const bound = await admit({ label: 'bound', organizationId });
  const { id: other } = await fresh.accounts.directory.createOrganization('Other');
  await assert.rejects(create(bound, { label: 'x', organizationId: other }), { code: 'not_found' });
  const { text } = await create(bound, { label: 'x' });
  assert.equal((JSON.parse(text) as { organization_id: string }).organization_id, organizationId);
});

test('an admin key cannot enable one with more rights again', async () => {
  const { organizationId } = fresh.caller;
  const { directory, administration } = fresh.accounts;
  const resource = RESOURCES.find(({ name }) => name === 'admin_key');
  assert.ok(resource);
  const { key } = await directory.createAdminKey({ label: 'former', organizationId });
  await directory.setAdminKeyDisabled(key.id, true);
  const enable = (by: AdminCaller) =>
    administration.change({ caller: by, requestId: 'req_test' }, async (perform) => {
      const call = { ...UNUSED_INSTALLATION, id: key.id, input: { disabled: false }, page: {} };
      return JSON.stringify((await perform(resource, 'update', call)).json);
    });
  const lesser = await admit({ label: 'lesser', scopes: ['read', 'admin_keys:write'], organizationId });
  await assert.rejects(enable(lesser), { code: 'missing_scope' });
  assert.equal((await directory.getAdminKey(key.id)).disabled, true);
  await enable(await admit({ label: 'equal', organizationId }));
  assert.equal((await directory.getAdminKey(key.id)).disabled, false);
});

test('write includes read in the same area, and nothing else', () => {
  const allowed = (scopes: string[]) =>
    ['accounts:read', 'accounts:write', 'money:read', 'logs:read'].map((task) => hasScope(scopes, task));
  assert.deepEqual(allowed(['accounts:write']), [true, true, false, false]);
  assert.deepEqual(allowed(['accounts:read']), [true, false, false, false]);
  assert.deepEqual(allowed(['read']), [true, false, true, true]);
  assert.deepEqual(allowed(['all']), [true, true, true, true]);
});

test('lists come in pages that follow each other without a gap or a repetition', async () => {
  const { directory } = fresh.accounts;
  const { id: organizationId } = await directory.createOrganization('Pages');
  const { id: projectId } = await directory.createProject({ organizationId, name: 'p0' });
  for (let made = 1; made < 5; made += 1) {
    await directory.createProject({ organizationId, name: `p${made}` });
    await directory.createAdminKey({ label: `a${made}`, organizationId });
    await directory.addRule({ layer: 'project', subjectId: projectId, type: 'free-only', values: [] });
  }
  await Promise.all(Array.from({ length: 5 }, () => directory.createKey({ projectId, label: 'k' })));
  type List = (page: { after?: string; limit?: number }) => Promise<{ id: string }[]>;
  const lists: List[] = [
    (page) => directory.listOrganizations(page),
    (page) => directory.listProjects({ organizationId, ...page }),
    (page) => directory.listKeys({ projectId, ...page }),
    (page) => directory.listRules({ organizationId, ...page }),
    (page) => directory.listAdminKeys({ organizationId, ...page }),
    (page) => directory.listAudit({ organizationId, ...page }),
  ];
  for (const list of lists) {
    const all = (await list({})).map(({ id }) => id);
    assert.ok(all.length >= 4);
    const seen: string[] = [];
    for (let page = await list({ limit: 2 }); page.length > 0;) {
      seen.push(...page.map(({ id }) => id));
      page = await list({ limit: 2, after: seen.at(-1) ?? '' });
    }
    assert.deepEqual(seen, all);
  }
});
