import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTemporaryFolder } from '../../../../test/support/temporary.ts';
import { loadSettings } from '../load-settings.ts';
import { SettingsError } from '../settings-problem.ts';
import type { Environment, Settings } from '../settings.ts';

async function load(yaml: string, environment: Environment = {}): Promise<Settings> {
  using folder = createTemporaryFolder();
  folder.write('sluice.yaml', yaml);
  return await loadSettings({ environment, workingDirectory: folder.path });
}

async function findProblems(yaml: string): Promise<string> {
  const error = await load(yaml).catch((thrown: unknown) => thrown);
  assert.ok(error instanceof SettingsError, 'the configuration should be refused');
  return error.problems.map(({ place, message }) => `${place}: ${message}`).join('\n');
}

test('a provider has several credentials, and the first stands for it where only one is asked for', async () => {
  const settings = await load(
    [
      'providers:',
      '  - id: anthropic',
      '    headers: { x-team: a }',
      '    credentials:',
      '      - { name: main, apiKey: "${MAIN}", weight: 3 }',
      '      - { name: spare, apiKey: "${SPARE}", headers: { x-spare: "yes" }, baseUrl: "https://spare.example/v1/" }',
    ].join('\n'),
    { MAIN: 'sk-main', SPARE: 'sk-spare', ANTHROPIC_API_KEY: 'sk-unused' },
  );
  assert.deepEqual(settings.credentialPools.get('anthropic'), [
    { name: 'main', weight: 3, apiKey: 'sk-main', headers: { 'x-team': 'a' } },
    {
      name: 'spare',
      weight: 1,
      apiKey: 'sk-spare',
      headers: { 'x-team': 'a', 'x-spare': 'yes' },
      baseUrl: 'https://spare.example/v1',
    },
  ]);
  assert.equal(settings.credentials.get('anthropic'), 'sk-main');
  assert.equal(settings.credentialSources.get('anthropic'), 'sluice.yaml:2:9');
  assert.equal(
    'credentials' in (settings.providers[0] ?? {}),
    false,
    'no key is among the facts of providers',
  );
});

test('a credential whose variable is empty is left out; without any, the variable of the catalogue counts', async () => {
  const yaml =
    'providers: [{ id: openai, credentials: [{ name: a, apiKey: "${A:-}" }, { name: b, apiKey: "${B:-}" }] }]';
  const one = await load(yaml, { B: 'sk-b' });
  assert.deepEqual(
    one.credentialPools.get('openai')?.map(({ name }) => name),
    ['b'],
  );
  const none = await load(yaml, { OPENAI_API_KEY: 'sk-env' });
  assert.equal(none.credentialPools.size, 0);
  assert.equal(none.credentials.get('openai'), 'sk-env');
});

test('numbered variables add keys to the one of the catalogue, and are nothing without it', async () => {
  const environment = { OPENAI_API_KEY: 'sk-1', OPENAI_API_KEY_2: 'sk-2', OPENAI_API_KEY_4: ' sk-4 ' };
  const { credentialPools } = await load('', environment);
  assert.deepEqual(
    credentialPools.get('openai')?.map(({ name, apiKey }) => [name, apiKey]),
    [
      ['default', 'sk-1'],
      ['2', 'sk-2'],
      ['4', 'sk-4'],
    ],
  );
  assert.equal((await load('', { OPENAI_API_KEY: 'sk-1' })).credentialPools.size, 0);
  assert.equal((await load('', { OPENAI_API_KEY_2: 'sk-2' })).credentials.size, 0);
});

test('limits belong to a provider or a credential; its queue has a default length and wait', async () => {
  const { credentialPools, providerCapacities } = await load(
    [
      'providers:',
      '  - { id: openai, apiKey: k, limits: { concurrency: 9 }, queue: { waitMs: 200 } }',
      '  - { id: groq, credentials: [{ name: a, apiKey: k, limits: { requestsPerMinute: 5, tokensPerMinute: 7 } }] }',
      '  - { id: mistral, apiKey: k, queue: { length: 5 } }',
    ].join('\n'),
  );
  assert.deepEqual(
    [...providerCapacities],
    [
      ['openai', { limits: { concurrency: 9 }, queue: { length: 100, waitMs: 200 } }],
      ['groq', { limits: {}, queue: { length: 100, waitMs: 1_000 } }],
    ],
  );
  assert.deepEqual(credentialPools.get('groq'), [
    { name: 'a', weight: 1, apiKey: 'k', limits: { requestsPerMinute: 5, tokensPerMinute: 7 } },
  ]);
});

test('a credential of a cloud has its own account, region and address', async () => {
  const { credentialPools } = await load(
    [
      'providers:',
      '  - id: amazon-bedrock',
      '    aws: { region: eu-central-1 }',
      '    credentials:',
      '      - { name: eu, aws: { accessKeyId: AKIA1, secretAccessKey: secret1 } }',
      '      - { name: us, aws: { region: us-east-1, accessKeyId: AKIA2, secretAccessKey: secret2 } }',
    ].join('\n'),
  );
  assert.deepEqual(
    credentialPools
      .get('amazon-bedrock')
      ?.map(({ name, baseUrl, cloudAccess }) => [name, baseUrl, cloudAccess?.aws?.keys?.accessKeyId]),
    [
      ['eu', 'https://bedrock-runtime.eu-central-1.amazonaws.com', 'AKIA1'],
      ['us', 'https://bedrock-runtime.us-east-1.amazonaws.com', 'AKIA2'],
    ],
  );
});

test('a key that no header can carry is refused where it is configured, not at each request', async () => {
  for (const key of ['sk-a\nsk-b', 'sk-a\r', 'sk-“a”', '\ufeffsk-a']) {
    const message = 'a key of "openai" has a line break, a control character or one outside ASCII';
    for (const member of [
      'apiKey: "${KEY}"',
      'credentials: [{ name: a, apiKey: k }, { name: b, apiKey: "${KEY}" }]',
    ]) {
      const error = await load(`providers: [{ id: openai, ${member} }]`, { KEY: key }).catch(
        (thrown: unknown) => thrown,
      );
      assert.match(String(error), new RegExp(`sluice\\.yaml.*${message}`));
      assert.equal(String(error).includes('sk-'), false);
    }
  }
  await assert.rejects(load('', { OPENAI_API_KEY: 'sk-“a”' }), /OPENAI_API_KEY: a key of "openai" has/);
});

test('a byte order mark and the line break at the end of a file are no part of the secret', async () => {
  using folder = createTemporaryFolder();
  const path = folder.write('key', '\ufeffsk-a\r\n');
  const { credentials } = await load(`providers: [{ id: openai, apiKey: "\${file:${path}}" }]`);
  assert.equal(credentials.get('openai'), 'sk-a');
});

for (const [fault, members, problem] of [
  ['a name twice', 'credentials: [{ name: a, apiKey: x }, { name: a, apiKey: y }]', /"a" .*configured twice/],
  ['a key beside', 'apiKey: z, credentials: [{ name: a, apiKey: x }]', /"apiKey" of "openai" belongs into/],
  ['no key', 'credentials: [{ name: a }]', /"a" of "openai" needs an "apiKey"/],
  ['a block of another cloud', 'credentials: [{ name: a, apiKey: x, aws: {} }]', /"aws" does not apply/],
  ['the name of own keys', 'credentials: [{ name: own, apiKey: x }]', /1:\d+: .*name/],
  ['no credential at all', 'credentials: []', /credentials/],
] as const)
  test(`${fault} is refused at its place, and no key is repeated`, async () => {
    const problems = await findProblems(`providers: [{ id: openai, ${members} }]`);
    assert.match(problems, problem);
    assert.match(problems, /^sluice\.yaml:1:/);
    assert.doesNotMatch(problems, /\b[xyz]\b/);
  });
