import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { refusalOf } from '../../../test/support/catch-refusal.ts';
import type { Accounts, Byok, ByokTerms } from '#accounts';
import type { ResolveHost } from '#base';
import { GatewayError } from '#errors';
import { openFreshAccounts } from '../../../test/support/fresh-accounts.ts';
import { shareOpened } from '../../../test/support/share-opened.ts';
import { createByokTerms } from '../../../test/support/byok-calls.ts';
import { until } from '../../../test/support/until.ts';

const KEY = 'sk-canary-5f2e9c1b7a3d';
const OTHER_KEY = 'sk-canary-0a1b2c3d4e5f';
const PRICE = { input: '3', output: '15' };

const fresh = shareOpened(() => openFreshAccounts());
let terms: ByokTerms;
let directory: Accounts['directory'];

before(async () => {
  ({ directory } = fresh.accounts);
  terms = await createByokTerms();
});

const createOrganization = async (): Promise<string> => (await directory.createOrganization('Acme')).id;
const acme = (organizationId: string) => ({
  organizationId,
  name: 'acme',
  format: 'chat',
  baseUrl: 'https://llm.example.com/v1',
  apiKey: KEY,
});
const setKey = (organizationId: string, apiKey = KEY) =>
  directory.setProviderKey({ organizationId, providerId: 'openai', apiKey }, terms);
const large = { name: 'large', contextLength: 200_000, maxOutput: 32_000, price: PRICE };

async function assertRefused(
  work: Promise<unknown>,
  message: RegExp,
  code = 'invalid_request',
): Promise<void> {
  const error = await refusalOf(work);
  assert.equal(error.code, code);
  assert.match(error.message, message);
  assert.ok(!JSON.stringify([error.message, error.facts]).includes('canary'));
}

/** Every row of every table as text. */
async function dumpTables(): Promise<string> {
  const list = `SELECT format('SELECT string_agg(t::text, '' '') AS text FROM %I AS t', tablename) AS text
    FROM pg_tables WHERE schemaname = 'public'`;
  const query = (text: string) => fresh.database.query<{ text: string | null }>({ text });
  let dump = '';
  for (const { text } of (await query(list)).rows) dump += (await query(text ?? '')).rows[0]?.text ?? '';
  return dump;
}

test('a provider key is listed masked with its address, decrypts to its text, and is in no table in plain text', async () => {
  const organizationId = await createOrganization();
  const record = await directory.setProviderKey(
    { organizationId, providerId: 'openai', apiKey: ` ${KEY}\n` },
    terms,
  );
  assert.deepEqual(
    { ...record, id: '', createdAt: 0 },
    {
      id: '',
      organizationId,
      providerId: 'openai',
      origin: 'https://api.openai.com',
      masked: '…7a3d',
      readable: true,
      createdAt: 0,
    },
  );
  await directory.addCustomProvider({ ...acme(organizationId), apiKey: OTHER_KEY }, terms);
  const byok = await fresh.accounts.findByok(organizationId);
  assert.ok(byok?.keys[0] && byok.providers[0]);
  assert.equal(fresh.accounts.openCredential(byok, byok.keys[0]), KEY);
  assert.equal(fresh.accounts.openCredential(byok, byok.providers[0]), OTHER_KEY);
  const dump = await dumpTables();
  assert.ok(dump.includes(record.id) && !dump.includes('canary'));
  assert.deepEqual(await directory.listProviderKeys({ organizationId }), [record]);
  assert.deepEqual(await directory.listProviderKeys({ organizationId: await createOrganization() }), []);
});

test('setting a provider key again replaces the first one in a new row', async () => {
  const organizationId = await createOrganization();
  const first = await setKey(organizationId);
  const second = await setKey(organizationId, OTHER_KEY);
  assert.notEqual(second.id, first.id);
  assert.deepEqual(await directory.listProviderKeys({ organizationId }), [second]);
});

test('a key that is not a valid header value, or whose provider needs more than a key, is refused', async () => {
  const organizationId = await createOrganization();
  const set = (providerId: string, apiKey: string, id = organizationId) =>
    directory.setProviderKey({ organizationId: id, providerId, apiKey }, terms);
  for (const apiKey of [
    '',
    'short',
    'canary with space',
    'canary-zeile\nx: y',
    'canary-ü-12345',
    'canary'.repeat(1000),
  ])
    await assertRefused(set('openai', apiKey), /^apiKey: must be/);
  for (const providerId of ['nobody', 'bedrock', 'local', '__proto__'])
    await assertRefused(set(providerId, KEY), /^provider: must be/);
  await assertRefused(set('openai', KEY, 'org_nobody'), /no such organization/, 'not_found');
});

test('changing the address requires the key again, so that no stored key is sent to a new address', async () => {
  const organizationId = await createOrganization();
  const created = await directory.addCustomProvider(acme(organizationId), terms);
  await directory.addCustomModel({ organizationId, provider: 'acme', model: large }, terms);
  const change = (more: { baseUrl?: string; apiKey?: string }) =>
    directory.changeCustomProvider({ organizationId, id: created.id, ...more }, terms);
  for (const baseUrl of [
    'https://evil.example.com/v1',
    'https://llm.example.com/v2',
    'https://llm.example.com',
  ])
    await assertRefused(change({ baseUrl }), /^apiKey: must be entered again with another baseUrl/);
  assert.deepEqual(await directory.listCustomProviders({ organizationId }), [{ ...created, models: 1 }]);
  const changed = await change({ baseUrl: 'https://eu.example.com/v1/', apiKey: OTHER_KEY });
  assert.equal(changed.baseUrl, 'https://eu.example.com/v1');
  assert.equal(changed.models, 1, 'its models stay');
  const byok = await fresh.accounts.findByok(organizationId);
  assert.ok(byok?.providers[0]);
  assert.equal(fresh.accounts.openCredential(byok, byok.providers[0]), OTHER_KEY);
});

test('an address is refused on save for its host and for the addresses DNS resolves it to', async () => {
  const organizationId = await createOrganization();
  const add = (baseUrl: string, resolveHost: ResolveHost) =>
    directory.addCustomProvider(
      { ...acme(organizationId), baseUrl },
      { ...terms, addresses: { ...terms.addresses, resolveHost } },
    );
  const outside: ResolveHost = async () => ['8.8.8.8'];
  for (const baseUrl of [
    'http://llm.example.com',
    'https://127.0.0.1',
    'https://localhost',
    'https://a@llm.example.com',
  ])
    await assertRefused(add(baseUrl, outside), /^baseUrl: must be/);
  for (const addresses of [['10.0.0.1'], ['8.8.8.8', '::1'], []])
    await assertRefused(
      add('https://llm.example.com', async () => addresses),
      /public addresses only/,
    );
  await assertRefused(
    add('https://llm.example.com', () => Promise.reject(new Error('ENOTFOUND'))),
    /^baseUrl/,
  );
  assert.deepEqual(await directory.listCustomProviders({ organizationId }), []);
});

test('names of the catalogue are taken, and a name is used once', async () => {
  const organizationId = await createOrganization();
  for (const name of ['openai', 'local', 'Acme', '', 'a/b', 'x'.repeat(101)])
    await assertRefused(
      directory.addCustomProvider({ ...acme(organizationId), name }, terms),
      /^name: must be/,
    );
  await assertRefused(
    directory.addCustomProvider({ ...acme(organizationId), format: 'converse' }, terms),
    /^format/,
  );
  await directory.addCustomProvider(acme(organizationId), terms);
  await assertRefused(directory.addCustomProvider(acme(organizationId), terms), /^name: must be/);
  const add = (model: Partial<typeof large>) =>
    directory.addCustomModel({ organizationId, provider: 'acme', model: { ...large, ...model } }, terms);
  await add({});
  await assertRefused(add({ name: 'LARGE' }), /^model: must be/);
  for (const name of ['', '../x', 'a?key=', 'a b', 'x'.repeat(201)])
    await assertRefused(add({ name }), /^model/);
  for (const contextLength of [0, -1, 1.5, NaN])
    await assertRefused(add({ name: 'x', contextLength }), /^contextLength/);
  await assertRefused(add({ name: 'x', price: { input: '-1', output: '2' } }), /^price\.input/);
});

test('a model needs a price, unless the operator allows models without', async () => {
  const organizationId = await createOrganization();
  await directory.addCustomProvider(acme(organizationId), terms);
  const { price, ...unpriced } = large;
  const input = { organizationId, provider: 'acme', model: unpriced };
  await assertRefused(directory.addCustomModel(input, terms), /^price: must be/);
  assert.equal((await directory.addCustomModel(input, { ...terms, allowUnpriced: true })).price, undefined);
  const priced = { ...input, model: { ...large, name: 'priced' } };
  assert.deepEqual((await directory.addCustomModel(priced, terms)).price, price);
  const { rows } = await fresh.database.query<{ count: number }>({
    text: `SELECT count(*)::int AS count FROM price_version`,
  });
  assert.ok(rows[0] && rows[0].count >= 1, 'its price can be explained later');
});

test('providers and keys of one organization cannot be listed, changed or removed by another', async () => {
  const [one, other] = [await createOrganization(), await createOrganization()];
  const key = await setKey(one);
  const provider = await directory.addCustomProvider(acme(one), terms);
  const model = await directory.addCustomModel(
    { organizationId: one, provider: 'acme', model: large },
    terms,
  );
  const before = await fresh.accounts.findByok(one);
  const foreign = { organizationId: other, id: provider.id };
  for (const work of [
    () => directory.removeProviderKey({ organizationId: other, id: key.id }),
    () => directory.removeCustomProvider(foreign),
    () => directory.changeCustomProvider({ ...foreign, apiKey: OTHER_KEY }, terms),
    () =>
      directory.addCustomModel(
        { organizationId: other, provider: 'acme', model: { ...large, name: 'x' } },
        terms,
      ),
    () => directory.removeCustomModel({ organizationId: other, id: model.id }),
  ])
    await assertRefused(work(), /there is no such/, 'not_found');
  assert.deepEqual(await directory.listCustomModels({ organizationId: other }), []);
  assert.deepEqual(await fresh.accounts.findByok(one), before);
  assert.equal(await fresh.accounts.findByok(other), undefined);
});

test('a record that was moved or edited cannot be decrypted, and the message names the remedy', async () => {
  const [one, other] = [await createOrganization(), await createOrganization()];
  await setKey(one);
  await setKey(other, OTHER_KEY);
  await directory.addCustomProvider(acme(one), terms);
  const damages = [
    `UPDATE provider_key SET sealed = (SELECT sealed FROM provider_key WHERE organization_id = '${other}') WHERE organization_id = '${one}'`,
    `UPDATE provider_key SET origin = 'https://evil.example.com' WHERE organization_id = '${one}'`,
    `UPDATE provider_key SET sealed = overlay(sealed placing 'AAAA' FROM 30) WHERE organization_id = '${one}'`,
  ];
  for (const text of damages) {
    await setKey(one);
    await fresh.database.query({ text });
    const [record] = await directory.listProviderKeys({ organizationId: one });
    assert.equal(record?.readable, false, text);
    const byok = (await fresh.accounts.findByok(one)) as Byok;
    assert.throws(
      () => fresh.accounts.openCredential(byok, byok.keys[0]!),
      (error) => {
        assert.ok(error instanceof GatewayError && error.code === 'credential_unreadable');
        assert.match(error.message, /enter it again/);
        return error.facts.detail?.includes(record.id) === true;
      },
    );
  }
  await fresh.database.query({
    text: `UPDATE custom_provider SET base_url = 'https://evil.example.com/v1' WHERE organization_id = '${one}'`,
  });
  const [provider] = await directory.listCustomProviders({ organizationId: one });
  assert.equal(provider?.readable, false);
});

test('a rotation re-encrypts every credential; those that cannot be decrypted are reported and left unchanged', async () => {
  const organizationId = await createOrganization();
  await setKey(organizationId);
  await directory.setProviderKey({ organizationId, providerId: 'mistral', apiKey: OTHER_KEY }, terms);
  await directory.addCustomProvider(acme(organizationId), terms);
  const broken = (await directory.listProviderKeys({ organizationId })).find(
    ({ providerId }) => providerId === 'mistral',
  );
  await fresh.database.query({
    text: 'UPDATE provider_key SET origin = $2 WHERE id = $1',
    values: [broken?.id, 'https://evil.example.com'],
  });
  const before = await fresh.accounts.findByok(organizationId);
  const rotations = await Promise.all([
    fresh.accounts.rotateCredentials(),
    fresh.accounts.rotateCredentials(),
  ]);
  for (const rotation of rotations) {
    assert.ok(broken && rotation.unreadable.includes(broken.id));
    assert.ok(rotation.sealed >= 2);
  }
  const byok = await fresh.accounts.findByok(organizationId);
  assert.ok(before && byok);
  const good = byok.keys.find(({ providerId }) => providerId === 'openai')!;
  assert.equal(fresh.accounts.openCredential(byok, good), KEY);
  assert.equal(fresh.accounts.openCredential(byok, byok.providers[0]!), KEY);
  // Requests that still hold the earlier record can continue with it.
  assert.equal(fresh.accounts.openCredential(before, before.providers[0]!), KEY);
  const ids = new Set([good, ...byok.providers].map(({ sealed }) => sealed.split('.')[1]));
  assert.equal(ids.size, 1);
  assert.ok(rotations.some(({ keyId }) => ids.has(keyId)));
  await directory.setProviderKey({ organizationId, providerId: 'groq', apiKey: KEY }, terms);
  const later = (await fresh.accounts.findByok(organizationId))?.keys.find(
    ({ providerId }) => providerId === 'groq',
  );
  assert.ok(ids.has(later?.sealed.split('.')[1]), 'new ones are sealed with the new key');
});

test('a change reaches callers in every process, and callers of other organizations are unaffected', async () => {
  const other = await fresh.join();
  const { organizationId } = fresh.caller;
  const identify = async (accounts: Accounts) => (await accounts.identify(fresh.secret)).byok;
  assert.deepEqual([await identify(fresh.accounts), await identify(other)], [undefined, undefined]);
  assert.ok(!('byok' in (await fresh.accounts.identify(fresh.secret))));
  const { id } = await setKey(organizationId);
  assert.equal(
    (await identify(fresh.accounts))?.keys.length,
    1,
    'immediately in the process that made the change',
  );
  await until('the key is known elsewhere', async () => (await identify(other)) !== undefined);
  const [here, there] = [await identify(fresh.accounts), await identify(other)];
  assert.deepEqual(here, there);
  await directory.removeProviderKey({ organizationId, id });
  await until('it is gone elsewhere', async () => (await identify(other)) === undefined);
});
