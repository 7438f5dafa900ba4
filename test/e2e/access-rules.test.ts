import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { JsonObject } from '#base';
import type { FormatId } from '#canonical';
import type { TestAccount } from '../support/in-process.ts';
import { shareGateway } from '../support/share-gateway.ts';
import type { MockUpstream } from '../support/mock-upstream.ts';
import { assertRefused } from '../support/refusal.ts';
import { answer } from '../support/upstream-replies.ts';
import { until } from '../support/until.ts';

const HELLO = [{ role: 'user', content: 'hello' }];
const CHAT = '/v1/chat/completions';

let upstream: MockUpstream;
let other: { id: string; apiKey: string; authorization: string };

/** Two providers of one model, of which only the first is known not to train. */
function createConfig(baseUrl: string): string {
  const provider = (id: string, price: string, privacy: string) => [
    `  - id: ${id}`,
    '    format: chat',
    `    baseUrl: ${baseUrl}`,
    '    apiKey: mock-key',
    `    privacy: { trainsOnData: ${privacy} }`,
    '    models:',
    `      - { id: twin, maxOutput: 1000, contextLength: 100000, price: { input: "${price}", output: "${price}" } }`,
  ];
  return [
    'providers:',
    ...provider('careful', '4', 'false'),
    '      - { id: lone, maxOutput: 1000, contextLength: 100000, price: { input: "1", output: "1" } }',
    ...provider('careless', '2', 'true'),
    '',
  ].join('\n');
}

const gateway = shareGateway({ config: ({ baseUrl }) => createConfig(baseUrl) });
before(async () => {
  ({ upstream } = gateway);
  upstream.script({ reply: answer({ text: 'fine' }) });
  other = await gateway.createKey('--label', 'other');
});

const ask = (model: string, authorization = `Bearer ${gateway.apiKey}`) =>
  gateway.post(CHAT, { model, max_tokens: 10, messages: HELLO }, { authorization });

async function providerOf(response: Response): Promise<string> {
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return /"used_provider":"([^"]+)"|"provider":"([^"]+)"/.exec(text)?.slice(1).find(Boolean) ?? text;
}

async function codeOf(response: Response): Promise<string> {
  const { error } = (await response.json()) as { error?: { code: string } };
  return error?.code ?? 'answered';
}

/** Retries until the gateway has received a command's change. */
const becomes = (expected: string, model: string, authorization?: string): Promise<void> =>
  until(expected, async () => (await codeOf(await ask(model, authorization))) === expected);

async function addRule(...args: string[]): Promise<JsonObject & { id: string }> {
  const { code, json, stderr } = await gateway.cli('rules', 'add', ...args);
  assert.equal(code, 0, stderr);
  return json as JsonObject & { id: string };
}

test('a rule that the command line adds binds the running gateway within a second, and so does its removal', async () => {
  const key = await gateway.createKey('--label', 'bound');
  const { projectId, organizationId } = gateway.account;
  const subjects = [
    ['--key', key.id, 'key'],
    ['--project', projectId, 'project'],
    ['--org', organizationId, 'organization'],
  ] as const;
  await becomes('answered', 'lone', key.authorization);
  for (const [option, id, layer] of subjects) {
    const rule = await addRule(option, id, 'deny-models', 'lone');
    assert.deepEqual(
      [rule['layer'], rule['subject_id'], rule['organization_id'], rule['type'], rule['values']],
      [layer, id, organizationId, 'deny-models', ['lone']],
    );
    await becomes('model_not_allowed', 'lone', key.authorization);
    await becomes(layer === 'key' ? 'answered' : 'model_not_allowed', 'lone', other.authorization);
    const listed = await gateway.cli('rules', 'list', ...(option === '--key' ? [option, id] : []));
    assert.deepEqual(
      (listed.json?.['data'] as JsonObject[]).map((one) => one['id']),
      [rule.id],
    );
    const removed = await gateway.cli('rules', 'remove', rule.id);
    assert.equal(removed.json?.['deleted'], true);
    await becomes('answered', 'lone', key.authorization);
  }
});

test('a rule with a name that matches nothing is stored, with a note', async () => {
  const { code, json, stderr } = await gateway.cli(
    'rules',
    'add',
    '--key',
    other.id,
    'deny-models',
    'gpt-5.4',
    'gtp-*',
    '--config',
    gateway.configFile,
  );
  assert.equal(code, 0);
  assert.match(stderr, /^note: nothing in this configuration is named gtp-\*$/m);
  assert.doesNotMatch(stderr, /gpt-5\.4/);
  await gateway.cli('rules', 'remove', json?.['id'] as string);
});

test('a rule with a region in which nothing is processed is stored, with a note that lists those known', async () => {
  const { code, json, stderr } = await gateway.cli(
    'rules',
    'add',
    '--org',
    gateway.account.organizationId,
    'regions',
    'eu',
    'mars',
    '--config',
    gateway.configFile,
  );
  assert.equal(code, 0);
  const [note, ...others] = stderr.trim().split('\n');
  assert.match(
    note ?? '',
    /^note: nothing .* processed within mars; known are (?:[a-z-]+, )*eu(?:, [a-z-]+)*$/,
  );
  assert.deepEqual(others, []);
  await gateway.cli('rules', 'remove', json?.['id'] as string);
});

test('the command line reports what is wrong with a rule', async () => {
  const key = ['--key', other.id];
  const wrong: [string[], number, RegExp][] = [
    [[...key, 'allow-models'], 1, /values: must be 1 to 100 values/],
    [[...key, 'max-input-price', '1', '2'], 1, /values: must be one price/],
    [[...key, 'no-training'], 1, /compliance policy, which only organizations have/],
    [['--key', 'key_x', 'free-only'], 1, /"key_x" is neither the id nor the name of a key/],
    [['free-only'], 2, /name one of --org, --project and --key/],
    [[...key, '--org', 'org_x', 'free-only'], 2, /name one of/],
    [[...key, 'allow-all'], 2, /Allowed choices are .*allow-models/],
  ];
  for (const [args, exit, message] of wrong) {
    const { code, stderr } = await gateway.cli('rules', 'add', ...args);
    assert.equal(code, exit, args.join(' '));
    assert.match(stderr, message);
  }
  const { json } = await gateway.cli('rules', 'list');
  assert.deepEqual(json?.['data'], []);
});

test('a mapping that a rule forbids is skipped, and the request goes to the next one', async () => {
  const key = await gateway.createKey('--label', 'picky');
  const rule = await addRule('--key', key.id, 'deny-providers', 'careless');
  await becomes('model_not_allowed', 'careless/twin', key.authorization);
  assert.equal(await providerOf(await ask('twin', key.authorization)), 'careful');
  assert.equal(await providerOf(await ask('twin', other.authorization)), 'careless', 'the cheaper one');
  await gateway.cli('rules', 'remove', rule.id);
  await addRule('--key', key.id, 'max-output-price', '3');
  await becomes('model_not_allowed', 'careful/twin', key.authorization);
  assert.equal(await providerOf(await ask('twin', key.authorization)), 'careless');
});

type Layer = 'organization' | 'project' | 'key';

async function bind(
  account: TestAccount,
  layer: Layer,
  [type, ...values]: [string, ...string[]],
): Promise<void> {
  const { organizationId, projectId, keyId } = account;
  const subjectId = { organization: organizationId, project: projectId, key: keyId }[layer];
  await gateway.accounts.directory.addRule({ layer, subjectId, type, values });
}

const BODIES: [FormatId, string, JsonObject][] = [
  ['chat', CHAT, { model: 'lone', messages: HELLO }],
  ['messages', '/v1/messages', { model: 'lone', max_tokens: 10, messages: HELLO }],
  ['messages', '/v1/messages/count_tokens', { model: 'lone', messages: HELLO }],
  ['responses', '/v1/responses', { model: 'lone', input: 'hello' }],
  [
    'gemini',
    '/v1beta/models/lone:generateContent',
    { contents: [{ role: 'user', parts: [{ text: 'hello' }] }] },
  ],
];
for (const [format, path, body] of BODIES) {
  test(`403 on ${path}: in the caller’s format, naming the layer, at no cost, with nothing sent`, async () => {
    for (const layer of ['organization', 'project', 'key'] as const) {
      const account = await gateway.createAccount();
      await bind(account, layer, ['deny-models', 'lone']);
      const sent = upstream.truths.length;
      const response = await gateway.post(path, body, { authorization: `Bearer ${account.apiKey}` });
      const message = await assertRefused(gateway, response, {
        format,
        status: 403,
        code: 'model_not_allowed',
      });
      assert.match(
        message,
        new RegExp(
          `a rule of the ${layer} \\(deny-models\\) does not allow model "lone".*Ask an administrator`,
        ),
      );
      assert.equal(upstream.truths.length, sent);
    }
  });

  test(`403 on ${path}: from an address that is not allowed, whatever the headers claim`, async () => {
    const account = await gateway.createAccount();
    await bind(account, 'organization', ['allow-networks', '203.0.113.0/24']);
    const response = await gateway.post(path, body, {
      authorization: `Bearer ${account.apiKey}`,
      'x-forwarded-for': '203.0.113.9',
      'x-real-ip': '203.0.113.9',
    });
    const message = await assertRefused(gateway, response, {
      format,
      status: 403,
      code: 'network_not_allowed',
    });
    assert.match(message, /a rule of the organization \(allow-networks\)/);
  });
}

test('403 from an address that is not allowed on what needs no model too', async () => {
  const account = await gateway.createAccount();
  await bind(account, 'key', ['deny-networks', '127.0.0.0/8', '::1']);
  const headers = { authorization: `Bearer ${account.apiKey}` };
  for (const path of ['/v1/key', '/v1/responses/resp_x']) {
    const response = await gateway.request(path, { headers });
    await assertRefused(gateway, response, {
      format: path.includes('responses') ? 'responses' : 'chat',
      status: 403,
      code: 'network_not_allowed',
      row: 'none',
    });
  }
});

test('compliance is over the rules of every layer, and fails closed', async () => {
  const account = await gateway.createAccount();
  const authorization = `Bearer ${account.apiKey}`;
  await bind(account, 'organization', ['no-training']);
  await bind(account, 'organization', ['allow-models', '*']);
  await bind(account, 'key', ['allow-providers', 'careless', 'careful']);
  assert.equal(await providerOf(await ask('twin', authorization)), 'careful');
  assert.match(
    await assertRefused(gateway, await ask('careless/twin', authorization), {
      format: 'chat',
      status: 403,
      code: 'model_not_allowed',
    }),
    /the compliance policy of the organization \(no-training\)/,
  );
  await bind(account, 'organization', ['zero-retention']);
  assert.equal(await codeOf(await ask('twin', authorization)), 'model_not_allowed', 'nothing is known');
});

test('a cached answer is not returned to a key with different rules', async () => {
  const account = await gateway.createAccount({ cacheTtlSeconds: 60 });
  const { directory } = gateway.accounts;
  const { secret, key } = await directory.createKey({ projectId: account.projectId, label: 'narrow' });
  const [wide, narrow] = [`Bearer ${account.apiKey}`, `Bearer ${secret}`];
  assert.equal(await providerOf(await ask('twin', wide)), 'careless');
  await directory.addRule({ layer: 'key', subjectId: key.id, type: 'deny-providers', values: ['careless'] });
  const first = await ask('twin', narrow);
  assert.equal(first.headers.get('x-gateway-cache'), null);
  assert.equal(await providerOf(first), 'careful');
  for (const authorization of [wide, narrow])
    assert.equal((await ask('twin', authorization)).headers.get('x-gateway-cache'), 'HIT');
  await directory.addRule({ layer: 'key', subjectId: key.id, type: 'deny-models', values: ['twin'] });
  assert.equal(await codeOf(await ask('twin', narrow)), 'model_not_allowed');
});

test('rules of one organization do not affect others', async () => {
  const [one, two] = [await gateway.createAccount(), await gateway.createAccount()];
  await bind(one, 'organization', ['deny-models', '*']);
  await bind(one, 'organization', ['allow-networks', '203.0.113.0/24']);
  assert.equal(await codeOf(await ask('lone', `Bearer ${one.apiKey}`)), 'network_not_allowed');
  assert.equal(await codeOf(await ask('lone', `Bearer ${two.apiKey}`)), 'answered');
});
