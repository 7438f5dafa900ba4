import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { JsonObject } from '#base';
import { AWS_TEST_KEYS, signByHand } from '../support/aws-signature.ts';
import {
  type CloudReply,
  type CloudRequest,
  type CloudServer,
  cutInto,
  startCloudServer,
} from '../support/cloud-server.ts';
import { encodeChunkFrame, encodeEventFrame, encodeExceptionFrame } from '../support/event-frames.ts';
import { type InProcessGateway, openInProcess } from '../support/in-process.ts';

const EVENTS = 'application/vnd.amazon.eventstream';
const USAGE = { inputTokens: 11, outputTokens: 5, totalTokens: 16 };

const CONVERSE_STREAM = Buffer.concat([
  encodeEventFrame('messageStart', { role: 'assistant' }),
  encodeEventFrame('contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'Grüße ' } }),
  encodeEventFrame('contentBlockDelta', { contentBlockIndex: 0, delta: { text: '🙂' } }),
  encodeEventFrame('contentBlockStop', { contentBlockIndex: 0 }),
  encodeEventFrame('contentBlockStart', {
    contentBlockIndex: 1,
    start: { toolUse: { toolUseId: 't1', name: 'weather' } },
  }),
  encodeEventFrame('contentBlockDelta', {
    contentBlockIndex: 1,
    delta: { toolUse: { input: '{"city":"Ulm"}' } },
  }),
  encodeEventFrame('contentBlockStop', { contentBlockIndex: 1 }),
  encodeEventFrame('messageStop', { stopReason: 'tool_use' }),
  encodeEventFrame('metadata', { usage: USAGE, metrics: { latencyMs: 3 } }),
]);

const MESSAGE = {
  id: 'msg_bdrk_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-opus-4-8',
  content: [],
  stop_reason: null,
  stop_sequence: null,
  usage: { input_tokens: 11, output_tokens: 1 },
};
const CLAUDE_STREAM = Buffer.concat(
  [
    { type: 'message_start', message: MESSAGE },
    {
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'thinking', thinking: '', signature: '' },
    },
    { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Hm' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'sig-1' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'Hallo' } },
    { type: 'content_block_stop', index: 1 },
    {
      type: 'message_delta',
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: { output_tokens: 5 },
    },
    { type: 'message_stop', 'amazon-bedrock-invocationMetrics': { inputTokenCount: 11 } },
  ].map((event) => encodeChunkFrame(event as JsonObject)),
);

function reply({ path, rawBody }: CloudRequest): CloudReply {
  if (rawBody.includes('please throttle'))
    return { contentType: EVENTS, pieces: [encodeExceptionFrame('throttlingException', 'slow down')] };
  if (rawBody.includes('please break'))
    return {
      contentType: EVENTS,
      pieces: [CLAUDE_STREAM.subarray(0, 900), encodeExceptionFrame('modelStreamErrorException', 'it broke')],
    };
  if (rawBody.includes('please refuse'))
    return {
      status: 400,
      headers: { 'x-amzn-errortype': 'ValidationException:http://aws' },
      json: { message: 'maxTokens is too large' },
    };
  if (path.endsWith('/converse-stream')) return { contentType: EVENTS, pieces: cutInto(CONVERSE_STREAM, 7) };
  if (path.endsWith('/invoke-with-response-stream'))
    return { contentType: EVENTS, pieces: cutInto(CLAUDE_STREAM, 11) };
  if (path.endsWith('/invoke'))
    return { json: { ...MESSAGE, content: [{ type: 'text', text: 'Hallo' }], stop_reason: 'end_turn' } };
  const message = { role: 'assistant', content: [{ text: 'Grüße 🙂' }] };
  return { json: { output: { message }, stopReason: 'end_turn', usage: USAGE } };
}

let cloud: CloudServer;
let gateway: InProcessGateway;

before(async () => {
  cloud = await startCloudServer(reply);
  const model =
    '{ id: nova-x, externalId: "amazon.nova-x-v1:0", price: { input: "1", output: "2" }, maxOutput: 4096 }';
  gateway = await openInProcess({
    config: [
      'providers:',
      `  - { id: amazon-bedrock, baseUrl: "${cloud.url}", apiKey: bedrock-api-key-1 }`,
      '  - id: signed',
      '    cloud: bedrock',
      '    format: converse',
      `    baseUrl: ${cloud.url}`,
      `    aws: { region: eu-central-1, accessKeyId: ${AWS_TEST_KEYS.accessKeyId}, secretAccessKey: ${AWS_TEST_KEYS.secretAccessKey} }`,
      `    models: [${model}]`,
      '  - id: proxied',
      '    format: converse',
      `    baseUrl: ${cloud.url}`,
      '    apiKey: proxy-key-1',
      `    models: [${model}]`,
      '',
    ].join('\n'),
  });
});
after(async () => {
  await gateway[Symbol.asyncDispose]();
  await cloud[Symbol.asyncDispose]();
});

const TOOLS = [
  { type: 'function', function: { name: 'weather', parameters: { type: 'object', properties: {} } } },
];
const chat = (changes: JsonObject): JsonObject => ({
  model: 'amazon-bedrock/nova-pro',
  messages: [{ role: 'user', content: 'Hello' }],
  ...changes,
});
const messages = (changes: JsonObject): JsonObject => ({
  model: 'amazon-bedrock/claude-opus-4-8',
  max_tokens: 100,
  messages: [{ role: 'user', content: 'Hello' }],
  ...changes,
});

test('a Chat client gets a JSON answer of Converse, with a key of Bedrock', async () => {
  const response = await gateway.post('/v1/chat/completions', chat({}));
  assert.equal(response.status, 200);
  const body = (await response.json()) as { choices: [{ message: { content: string } }]; usage: JsonObject };
  assert.equal(body.choices[0].message.content, 'Grüße 🙂');
  assert.equal(body.usage['prompt_tokens'], 11);
  assert.equal(cloud.last.path, '/model/amazon.nova-pro-v1%3A0/converse');
  assert.equal(cloud.last.headers['authorization'], 'Bearer bedrock-api-key-1');
  assert.deepEqual(cloud.last.body['messages'], [{ role: 'user', content: [{ text: 'Hello' }] }]);
});

test('[D-83] a Chat client gets a stream of Converse, whatever pieces its frames come in', async () => {
  const response = await gateway.post('/v1/chat/completions', chat({ stream: true, tools: TOOLS }));
  const text = await response.text();
  assert.equal(cloud.last.path, '/model/amazon.nova-pro-v1%3A0/converse-stream');
  assert.match(text, /"content":"Grüße "/);
  assert.match(text, /"content":"🙂"/);
  assert.match(text, /"name":"weather"/);
  assert.match(text, /"finish_reason":"tool_calls"/);
  assert.match(text, /data: \[DONE\]/);
});

test('a request that AWS keys sign carries the signature AWS would compute', async () => {
  const response = await gateway.post('/v1/messages', messages({ model: 'signed/nova-x', stream: true }));
  assert.match(await response.text(), /event: message_stop/);
  const { headers, path, rawBody } = cloud.last;
  assert.equal(path, '/model/amazon.nova-x-v1%3A0/converse-stream');
  const names = ['content-type', 'host', 'x-amz-content-sha256', 'x-amz-date'];
  const expected = signByHand({ path, body: rawBody, headers }, 'eu-central-1', names);
  assert.equal(headers['authorization'], expected);
});

test('a Converse provider of one’s own needs no cloud for its streams', async () => {
  const response = await gateway.post('/v1/messages', messages({ model: 'proxied/nova-x', stream: true }));
  assert.match(await response.text(), /event: message_stop/);
  assert.equal(cloud.last.headers['authorization'], 'Bearer proxy-key-1');
});

test('Claude is called through InvokeModel: no model in the body, its version and beta values in it', async () => {
  const response = await gateway.post(
    '/v1/messages',
    messages({ metadata: { user_id: 'u' }, service_tier: 'auto' }),
    {
      'anthropic-beta': 'claude-code-20250219,context-management-2025-06-27',
      'anthropic-version': '2023-06-01',
    },
  );
  const body = (await response.json()) as { content: JsonObject[] };
  assert.deepEqual(body.content, [{ type: 'text', text: 'Hallo' }]);
  assert.equal(cloud.last.path, '/model/global.anthropic.claude-opus-4-8/invoke');
  assert.equal('anthropic-beta' in cloud.last.headers || 'anthropic-version' in cloud.last.headers, false);
  assert.deepEqual(cloud.last.body, {
    anthropic_version: 'bedrock-2023-05-31',
    anthropic_beta: ['context-management-2025-06-27'],
    max_tokens: 100,
    messages: [{ role: 'user', content: 'Hello' }],
    metadata: { user_id: 'u' },
  });
});

test('[D-41] Claude streams through InvokeModel with its thinking signed as Anthropic signs it', async () => {
  const response = await gateway.post('/v1/messages', messages({ stream: true }));
  const text = await response.text();
  assert.equal(cloud.last.path, '/model/global.anthropic.claude-opus-4-8/invoke-with-response-stream');
  assert.match(text, /"signature":"sig-1"/);
  assert.match(text, /"text":"Hallo"/);
  assert.match(text, /event: message_stop/);
});

test('an exception in place of an answer is a failure before it has begun, and one in its middle ends it', async () => {
  for (const model of ['amazon-bedrock/claude-opus-4-8', 'amazon-bedrock/nova-pro']) {
    const throttled = await gateway.post(
      '/v1/messages',
      messages({ model, stream: true, messages: [{ role: 'user', content: 'please throttle' }] }),
    );
    assert.equal(throttled.status, 429, model);
    assert.match(await throttled.text(), /slow down/);
  }
  const broken = await gateway.post(
    '/v1/messages',
    messages({ stream: true, messages: [{ role: 'user', content: 'please break' }] }),
  );
  const text = await broken.text();
  assert.match(text, /event: error/);
  assert.doesNotMatch(text, /message_stop/);
});

test('a refusal of AWS reaches the caller with its message', async () => {
  for (const model of ['amazon-bedrock/claude-opus-4-8', 'amazon-bedrock/nova-pro']) {
    const refused = await gateway.post(
      '/v1/messages',
      messages({ model, messages: [{ role: 'user', content: 'please refuse' }] }),
    );
    assert.equal(refused.status, 400);
    assert.match(await refused.text(), /maxTokens is too large/);
  }
});
