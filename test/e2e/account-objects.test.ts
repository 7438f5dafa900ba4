import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import type { JsonObject } from '#base';
import type { ClientFormatId } from '#canonical';
import { type AccountGateway, RESPONSE, json, openAccountGateway, user } from '../support/account-gateway.ts';
import { LEAST } from '../support/format-providers.ts';
import { assertRefused } from '../support/refusal.ts';

let opened: AccountGateway;
before(async () => (opened = await openAccountGateway()));
after(() => opened[Symbol.asyncDispose]());
afterEach(() => opened.clear());

const parts = (...list: JsonObject[]): JsonObject => ({ contents: [{ role: 'user', parts: list }] });

/** How each format names an object of the account. */
const WAYS: [format: ClientFormatId, place: string, id: string, fields: JsonObject][] = [
  ['messages', 'container', 'container_x', { container: 'container_x' }],
  [
    'messages',
    'container.skills.0.skill_id',
    'skill_x',
    { container: { skills: [{ type: 'custom', skill_id: 'skill_x' }] } },
  ],
  [
    'messages',
    'messages.0.content.0.source.file_id',
    'file_x',
    { messages: user({ type: 'document', source: { type: 'file', file_id: 'file_x' } }) },
  ],
  [
    'messages',
    'messages.0.content.0.file_id',
    'file_x',
    { messages: user({ type: 'container_upload', file_id: 'file_x' }) },
  ],
  [
    'chat',
    'messages[0].content[0].file.file_id',
    'file_x',
    { messages: user({ type: 'file', file: { file_id: 'file_x' } }) },
  ],
  [
    'responses',
    'input[0].content[0].file_id',
    'file_x',
    { input: user({ type: 'input_image', file_id: 'file_x' }) },
  ],
  [
    'responses',
    'tools[0].vector_store_ids[0]',
    'vs_x',
    { tools: [{ type: 'file_search', vector_store_ids: ['vs_x'] }] },
  ],
  [
    'responses',
    'tools[0].container',
    'cntr_x',
    { tools: [{ type: 'code_interpreter', container: 'cntr_x' }] },
  ],
  ['gemini', 'cachedContent', 'cachedContents/x', { cachedContent: 'cachedContents/x' }],
  [
    'gemini',
    'contents[0].parts[0].fileData.fileUri',
    'gs://bucket/x',
    parts({ fileData: { fileUri: 'gs://bucket/x', mimeType: 'image/png' } }),
  ],
  [
    'gemini',
    'contents[0].parts[0].fileData.fileUri',
    'https://generativelanguage.googleapis.com/v1beta/files/x',
    parts({
      fileData: {
        fileUri: 'https://generativelanguage.googleapis.com/v1beta/files/x',
        mimeType: 'image/png',
      },
    }),
  ],
];

for (const [format, place, id, fields] of WAYS) {
  test(`403: a ${format} request refers by ${place} to an unknown object, at cost 0`, async () => {
    await opened.assertNotAllowed(
      format,
      await opened.ask(format, fields, opened.gateway.account),
      place,
      id,
    );
    assert.equal(opened.upstream.truths.length, 0);
  });

  test(`200: a ${format} request names by ${place} what lies in the account of the organization’s own key`, async () => {
    const owner = await opened.gateway.createAccount();
    await opened.bring(owner, `mock-${format}`);
    if (format === 'responses') opened.upstream.script({ reply: json(RESPONSE) });
    const response = await opened.ask(format, fields, owner);
    assert.equal(response.status, 200, await response.clone().text());
    assert.ok(opened.upstream.truths[0]?.rawBody.includes(id));
    assert.ok(JSON.stringify(opened.upstream.truths[0]?.headers).includes('sk-of-its-own'));
  });
}

test('403: an address that is not of the web, which the provider would read with its account', async () => {
  for (const url of ['gs://bucket/x.png', 'file:///etc/passwd', 'javascript:alert(1)']) {
    const image = { type: 'image', source: { type: 'url', url } };
    const response = await opened.ask(
      'messages',
      { model: 'gemini-small', messages: user(image) },
      opened.gateway.account,
    );
    const words = ['messages.0.content.0.source.url', url, 'not a public http or https address'];
    await opened.assertNotAllowed('messages', response, ...words);
  }
});

test('403: a malformed id and an oversized one, with a short message', async () => {
  for (const container of ['a\u0000b', 'ü', 'x'.repeat(100_000)]) {
    const response = await opened.ask('messages', { container });
    assert.ok(Number(response.headers.get('content-length') ?? 0) < 2_000);
    await opened.assertNotAllowed('messages', response, 'container');
  }
});

test('403: counting the tokens of an unknown file', async () => {
  const messages = user({ type: 'document', source: { type: 'file', file_id: 'file_x' } });
  const body = { ...LEAST.messages.body, messages };
  assert.equal((await opened.gateway.post('/v1/messages/count_tokens', body)).status, 403);
});

test('200: public skills, addresses and connectors need no making', async () => {
  const skills = [{ type: 'anthropic', skill_id: 'pptx', version: 'latest' }];
  assert.equal((await opened.ask('messages', { container: { skills } }, opened.gateway.account)).status, 200);
  const video = parts({ fileData: { fileUri: 'https://www.youtube.com/watch?v=abc' } });
  assert.equal((await opened.ask('gemini', video, opened.gateway.account)).status, 200);
});

test('403: images and voices of another organization in requests of other media', async () => {
  const edit = { model: 'chat-small', prompt: 'Red.', images: [{ file_id: 'file_x' }] };
  const refused = await opened.gateway.post('/v1/images/edits', edit);
  await opened.assertNotAllowed('chat', refused, 'images[0].file_id', 'file_x');
  const speech = { model: 'chat-small', input: 'Hello.', voice: { id: 'voice_x' } };
  await opened.assertNotAllowed('chat', await opened.gateway.post('/v1/audio/speech', speech), 'voice.id');
});

const UNKNOWN_TOOLS: [format: ClientFormatId, place: string, tools: JsonObject[]][] = [
  ['messages', 'tools.0', [{ type: 'oracle_20290101', name: 'oracle' }]],
  ['responses', 'tools[0]', [{ type: 'oracle' }]],
  ['gemini', 'tools[0].oracle', [{ oracle: {} }]],
];

for (const [format, place, tools] of UNKNOWN_TOOLS)
  test(`an unknown tool of ${format} is sent only with an organization’s own key`, async () => {
    if (format === 'responses') opened.upstream.script({ reply: json(RESPONSE) });
    const refused = await opened.ask(format, { tools });
    const message = await assertRefused(opened.gateway, refused, {
      format,
      status: 400,
      code: 'unsupported_feature',
    });
    for (const word of [place, 'oracle', 'bring your own provider key'])
      assert.ok(message.includes(word), message);
    assert.equal(opened.upstream.truths.length, 0);
    const owner = await opened.gateway.createAccount();
    await opened.bring(owner, `mock-${format}`);
    assert.equal((await opened.ask(format, { tools }, owner)).status, 200);
    assert.ok(opened.upstream.truths[0]?.rawBody.includes('oracle'));
  });

test('a Gemini body is sent to Google without unknown members', async () => {
  const response = await opened.ask('gemini', {
    superSearch: { depth: 9 },
    generationConfig: { maxOutputTokens: 50, priorityLane: 'express' },
  });
  assert.equal(response.status, 200);
  const sent = JSON.parse(opened.upstream.truths[0]?.rawBody ?? '') as JsonObject;
  assert.deepEqual(sent, { ...LEAST.gemini.body, generationConfig: { maxOutputTokens: 50 } });
});
