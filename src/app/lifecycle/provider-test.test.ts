import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type MockUpstream, findClosedPort, startMockUpstream } from '../../../test/support/mock-upstream.ts';
import { createTemporaryFolder } from '../../../test/support/temporary.ts';
import { answer, fail, raw, wrongContentType } from '../../../test/support/upstream-replies.ts';
import { loadSettings } from '../settings/load-settings.ts';
import type { ProviderTest } from '#http';
import { listTestableProviders, testProviders } from './provider-test.ts';
import type { Settings } from '../settings/settings.ts';

const testProvider = async (of: Settings, id: string, model?: string): Promise<ProviderTest> => {
  const [result] = await testProviders(of, [id], model);
  assert.ok(result);
  return result;
};

let upstream: MockUpstream;
let settings: Settings;

before(async () => {
  upstream = await startMockUpstream();
  using folder = createTemporaryFolder();
  const provider = (id: string, format: string, baseUrl: string): string =>
    `  - { id: ${id}, format: ${format}, baseUrl: "${baseUrl}", apiKey: sk-mock, models: [{ id: ${id}-model }] }`;
  const closed = `http://127.0.0.1:${await findClosedPort()}/v1`;
  const lines = [
    provider('talker', 'chat', upstream.baseUrl),
    provider('writer', 'messages', upstream.baseUrl),
    provider('absent', 'chat', closed),
  ];
  folder.write('sluice.yaml', `providers:\n${lines.join('\n')}\n`);
  settings = await loadSettings({ environment: {}, workingDirectory: folder.path });
});

after(() => upstream.close());

for (const [id, header, value] of [
  ['talker', 'authorization', 'Bearer sk-mock'],
  ['writer', 'x-api-key', 'sk-mock'],
] as const) {
  test(`${id}: a good answer is a success, asked with its key and for few tokens`, async () => {
    upstream.clear();
    upstream.script({ reply: answer({ text: 'ok' }) });
    const result = await testProvider(settings, id);
    assert.deepEqual([result.ok, result.model, result.status], [true, `${id}-model`, 200], result.message);
    const truth = upstream.truths[0];
    assert.equal(truth?.headers[header], value);
    assert.equal(truth.body['max_tokens'], 16);
    assert.notEqual(truth.body['stream'], true);
  });
}

test('an account without money is called so, not a refused credential', async () => {
  upstream.clear();
  upstream.script({ reply: fail(429, 'insufficient_quota', { message: 'You exceeded your quota' }) });
  for (const id of ['talker', 'writer']) {
    const { ok, message } = await testProvider(settings, id);
    assert.ok(!ok);
    assert.match(
      message ?? '',
      /^the account of this gateway at the provider is out of quota \(.*exceeded your quota/,
    );
  }
});

test('a catalogue provider is asked with a model that writes text, however cheap its others are', async () => {
  using folder = createTemporaryFolder();
  const entries = ['openai', 'groq'].map(
    (id) => `{ id: ${id}, baseUrl: "${upstream.baseUrl}", apiKey: sk-mock }`,
  );
  folder.write('sluice.yaml', `providers: [${entries.join(', ')}]\n`);
  const ofCatalogue = await loadSettings({ environment: {}, workingDirectory: folder.path });
  for (const id of ['openai', 'groq']) {
    upstream.clear();
    upstream.script({ reply: answer({ text: 'ok' }) });
    const { model } = await testProvider(ofCatalogue, id);
    assert.doesNotMatch(model ?? '', /moderation|whisper|embed|tts/);
    assert.equal(upstream.truths[0]?.body['model'], model);
  }
  upstream.clear();
  const named = await testProvider(ofCatalogue, 'openai', 'omni-moderation-latest');
  assert.deepEqual([named.ok, upstream.truths.length], [false, 0]);
  assert.match(named.message ?? '', /does not generate text/);
});

test('a refused key, a web page and garbage are reported as such, without the key', async () => {
  for (const [reply, message] of [
    [fail(401, 'authentication_error', { message: 'no such key: sk-mock' }), /no such key: \[hidden\]/],
    [wrongContentType(), /not JSON/],
    [raw('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}'), /./],
  ] as const) {
    upstream.clear();
    upstream.script({ reply });
    const result = await testProvider(settings, 'talker');
    assert.equal(result.ok, false);
    assert.match(result.message ?? '', message);
    assert.doesNotMatch(JSON.stringify(result), /sk-mock/);
  }
});

test('a provider that cannot be reached or is not set up is a failure, not a crash', async () => {
  assert.match((await testProvider(settings, 'absent')).message ?? '', /could not be reached/);
  assert.match((await testProvider(settings, 'openai')).message ?? '', /not configured/);
  assert.match((await testProvider(settings, 'talker', 'nope')).message ?? '', /^it has no model nope$/);
});

test('the built-in provider is not among those to test', async () => {
  assert.deepEqual((await listTestableProviders(settings)).toSorted(), ['absent', 'talker', 'writer']);
});

test('for a provider that cannot be called, the message says what to do', async () => {
  const message = async (id: string): Promise<string | undefined> =>
    (await testProvider(settings, id)).message;
  assert.equal(
    await message('anthropic'),
    'not configured: set ANTHROPIC_API_KEY, or give it an apiKey in sluice.yaml',
  );
  assert.equal(await message('antropic'), 'there is no such provider; did you mean anthropic?');
  assert.equal(
    await message('zzzzzzzz'),
    'there is no such provider; npx sluice providers list --all names them',
  );
});
