import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import { type JsonObject, isJsonObject, parseJsonObject } from '#base';
import type { Reply } from '../support/upstream-replies.ts';
import { shareGateway } from '../support/share-gateway.ts';

/** A 4K image; as one event it is 8 MB of base64. */
const IMAGE = randomBytes(6 * 1024 * 1024).toString('base64');
const DATA_URL = `data:image/png;base64,${IMAGE}`;
const EXPECTED_COST = 5n * 3_000_000n + 8n * 15_000_000n + 900n * 60_000_000n;

const gateway = shareGateway();

/** Text, an image and text again, as Google's image models return it. */
function drawing({ isCut = false } = {}): Reply {
  const parts = [
    { text: 'Here: ' },
    { inlineData: { mimeType: 'image/png', data: IMAGE }, thoughtSignature: 'U0lH' },
    { text: 'a cat.' },
  ];
  const usageMetadata = {
    promptTokenCount: 5,
    candidatesTokenCount: 908,
    totalTokenCount: 913,
    candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 900 }],
  };
  const answer = (said: JsonObject[], isLast: boolean): string =>
    JSON.stringify({
      candidates: [{ content: { role: 'model', parts: said }, ...(isLast && { finishReason: 'STOP' }) }],
      ...(isLast && { usageMetadata }),
    });
  return async (exchange) => {
    if (!exchange.truth.stream) {
      await exchange.sendHead(200, { 'content-type': 'application/json' });
      await exchange.end(answer(parts, true));
      return;
    }
    await exchange.sendHead(200, { 'content-type': 'text/event-stream' });
    const reported = isCut ? parts.slice(1, 2) : parts;
    for (const [at, part] of reported.entries())
      await exchange.sendBody(`data: ${answer([part], !isCut && at === 2)}\n\n`);
    if (isCut) exchange.cut();
    else await exchange.end('');
  };
}

async function assertBilled(requestId: string | null | undefined): Promise<void> {
  const row = await gateway.waitForRow(requestId ?? '');
  assert.deepEqual([row.usage.outputText, row.usage.outputImage, row.estimated], [8, 900, false]);
  assert.equal(BigInt(row.customer), EXPECTED_COST);
}

const model = 'drawing-model';
const said = 'Draw a cat.';

test('[Chat] a generated image is returned as `images`, whole and streamed, and charged as an image', async () => {
  gateway.upstream.script({ reply: drawing() });
  const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.account.apiKey, maxRetries: 0 });
  const messages = [{ role: 'user' as const, content: said }];
  const { data, response } = await client.chat.completions.create({ model, messages }).withResponse();
  const message = data.choices[0]?.message as { content: string; images?: { image_url: { url: string } }[] };
  assert.deepEqual(
    [message.content, message.images?.[0]?.image_url.url === DATA_URL],
    ['Here: a cat.', true],
  );
  await assertBilled(response.headers.get('x-request-id'));

  const asked = client.chat.completions.create({ model, messages, stream: true });
  const { data: stream, response: head } = await asked.withResponse();
  const urls: string[] = [];
  for await (const { choices } of stream) {
    const { images = [] } = (choices[0]?.delta ?? {}) as { images?: { image_url: { url: string } }[] };
    urls.push(...images.map((image) => image.image_url.url));
  }
  assert.deepEqual([urls.length, urls[0] === DATA_URL], [1, true]);
  await assertBilled(head.headers.get('x-request-id'));
});

test('[Messages] a generated image is returned as an image block', async () => {
  gateway.upstream.script({ reply: drawing() });
  const client = new Anthropic({ baseURL: gateway.url, apiKey: gateway.account.apiKey, maxRetries: 0 });
  const ask = { model, max_tokens: 1000, messages: [{ role: 'user' as const, content: said }] };
  const { data, response } = await client.messages.create(ask).withResponse();
  const source = { type: 'base64', media_type: 'image/png', data: IMAGE };
  const expected = [
    { type: 'text', text: 'Here: ' },
    { type: 'image', source },
    { type: 'text', text: 'a cat.' },
  ];
  assert.ok(JSON.stringify(data.content) === JSON.stringify(expected));
  await assertBilled(response.headers.get('x-request-id'));

  const stream = client.messages.stream(ask);
  const { content } = await stream.finalMessage();
  assert.ok(JSON.stringify(content) === JSON.stringify(expected));
  await assertBilled(stream.response?.headers.get('x-request-id'));
});

test('[Responses] a generated image is returned as an image_generation_call', async () => {
  gateway.upstream.script({ reply: drawing() });
  const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.account.apiKey, maxRetries: 0 });
  const { data, response } = await client.responses.create({ model, input: said }).withResponse();
  const find = (output: OpenAI.Responses.ResponseOutputItem[]) =>
    output.find((item) => item.type === 'image_generation_call')?.result;
  assert.deepEqual([data.output_text, find(data.output) === IMAGE], ['Here: a cat.', true]);
  await assertBilled(response.headers.get('x-request-id'));

  const final = await client.responses.stream({ model, input: said }).finalResponse();
  assert.ok(find(final.output) === IMAGE);
});

test('[Gemini] a generated image is returned unchanged, with its signature', async () => {
  gateway.upstream.script({ reply: drawing() });
  const httpOptions = { baseUrl: gateway.url };
  const client = new GoogleGenAI({ apiKey: gateway.account.apiKey, httpOptions });
  const whole = await client.models.generateContent({ model, contents: said });
  assert.ok(whole.data === IMAGE);
  assert.equal(whole.candidates?.[0]?.content?.parts?.[1]?.thoughtSignature, 'U0lH');
  const datas: (string | undefined)[] = [];
  for await (const chunk of await client.models.generateContentStream({ model, contents: said }))
    if (chunk.data !== undefined) datas.push(chunk.data);
  assert.deepEqual([datas.length, datas[0] === IMAGE], [1, true]);
});

test('an image received before the provider broke off is charged, marked as an estimate', async () => {
  gateway.upstream.script({ reply: drawing({ isCut: true }) });
  const messages = [{ role: 'user', content: said }];
  const response = await gateway.post('/v1/chat/completions', { model, messages, stream: true });
  assert.match(await response.text(), /"error"/);
  const row = await gateway.getRow(response);
  assert.deepEqual([row.usage.outputImage, row.estimated], [1290, true]);
  assert.ok(BigInt(row.customer) > 0n);
});

test('an image in the history is sent to Google as the model’s, to others as the user’s', async () => {
  gateway.upstream.script({ reply: drawing() });
  const url = 'data:image/png;base64,iVBORw0KGgo=';
  const messages = [
    { role: 'user', content: said },
    { role: 'assistant', content: 'Here.', images: [{ type: 'image_url', image_url: { url } }] },
    { role: 'user', content: 'Make it blue.' },
  ];
  await gateway.post('/v1/chat/completions', { model, messages });
  const contents = gateway.upstream.truths[0]?.body['contents'] as { parts: JsonObject[] }[];
  assert.deepEqual(contents[1]?.parts, [
    { text: 'Here.' },
    {
      inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' },
      thoughtSignature: 'skip_thought_signature_validator',
    },
  ]);
  for (const other of ['chat-model', 'messages-model']) {
    gateway.upstream.clear();
    const response = await gateway.post('/v1/chat/completions', { model: other, messages });
    assert.equal(response.status, 200);
    const { body } = gateway.upstream.truths[0] ?? {};
    const sent = (body?.['messages'] as JsonObject[]).slice(1);
    assert.ok(!JSON.stringify(sent[0]).includes('iVBORw0KGgo='), other);
    assert.ok(JSON.stringify(sent[1]).includes('iVBORw0KGgo='), other);
    assert.equal(sent[1]?.['role'], 'user');
  }
});

test('a drawing model of a compatible provider is passed on, and read for other formats', async () => {
  const message = {
    role: 'assistant',
    content: '',
    images: [{ type: 'image_url', image_url: { url: DATA_URL } }],
  };
  const usage = {
    prompt_tokens: 5,
    completion_tokens: 900,
    total_tokens: 905,
    completion_tokens_details: { image_tokens: 900 },
  };
  const body = {
    id: 'x',
    object: 'chat.completion',
    model: 'm',
    choices: [{ index: 0, message, finish_reason: 'stop' }],
    usage,
  };
  gateway.upstream.script({
    reply: async (exchange) => {
      await exchange.sendHead(200, { 'content-type': 'application/json' });
      await exchange.end(JSON.stringify(body));
    },
  });
  const ask = { model: 'chat-model', max_tokens: 1000, messages: [{ role: 'user', content: said }] };
  const same = await gateway.post('/v1/chat/completions', ask);
  const reported = parseJsonObject(await same.text());
  assert.ok(JSON.stringify(reported).includes(DATA_URL));
  const row = await gateway.getRow(same);
  assert.equal(row.usage.outputImage, 900);
  const other = await gateway.post('/v1/messages', ask);
  const { content } = parseJsonObject(await other.text()) ?? {};
  assert.ok(Array.isArray(content) && isJsonObject(content[0]) && content[0]['type'] === 'image');
});
