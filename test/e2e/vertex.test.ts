import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { after, before, test } from 'node:test';
import type { JsonObject } from '#base';
import {
  type CloudReply,
  type CloudRequest,
  type CloudServer,
  startCloudServer,
} from '../support/cloud-server.ts';
import { type InProcessGateway, openInProcess } from '../support/in-process.ts';

const MESSAGE = {
  id: 'msg_vrtx_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-opus-4-8',
  content: [{ type: 'text', text: 'Hallo' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 11, output_tokens: 5 },
};
const CLAUDE_STREAM = [
  { type: 'message_start', message: { ...MESSAGE, content: [], stop_reason: null } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hallo' } },
  { type: 'content_block_stop', index: 0 },
  {
    type: 'message_delta',
    delta: { stop_reason: 'end_turn', stop_sequence: null },
    usage: { output_tokens: 5 },
  },
  { type: 'message_stop' },
].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
const GEMINI = {
  candidates: [{ content: { role: 'model', parts: [{ text: 'Hallo' }] }, finishReason: 'STOP' }],
  usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 2, totalTokenCount: 9 },
};

const SPOKEN = {
  candidates: [
    {
      content: { parts: [{ inlineData: { mimeType: 'audio/L16;rate=24000', data: 'AAAA' } }] },
      finishReason: 'STOP',
    },
  ],
  usageMetadata: {
    promptTokenCount: 10,
    candidatesTokenCount: 100,
    totalTokenCount: 110,
    candidatesTokensDetails: [{ modality: 'AUDIO', tokenCount: 100 }],
  },
};
const PREDICTED = {
  predictions: [{ embeddings: { values: [0.5, -0.25], statistics: { token_count: 4, truncated: false } } }],
};

let tokens = 0;

function reply({ path }: CloudRequest): CloudReply {
  if (path === '/token') return { json: { access_token: `ya29.token-${(tokens += 1)}`, expires_in: 3600 } };
  if (path.includes(':streamRawPredict')) return { contentType: 'text/event-stream', pieces: CLAUDE_STREAM };
  if (path.includes(':rawPredict')) return { json: MESSAGE };
  if (path.includes(':streamGenerateContent'))
    return { contentType: 'text/event-stream', pieces: [`data: ${JSON.stringify(GEMINI)}\r\n\r\n`] };
  if (path.includes('-tts:generateContent')) return { json: SPOKEN };
  if (path.includes(':predict')) return { json: PREDICTED };
  if (path.includes(':generateContent')) return { json: GEMINI };
  const message = { role: 'assistant', content: 'Hallo' };
  const usage = { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 };
  return {
    json: {
      id: 'c',
      object: 'chat.completion',
      created: 1,
      model: 'm',
      choices: [{ index: 0, message, finish_reason: 'stop' }],
      usage,
    },
  };
}

let cloud: CloudServer;
let gateway: InProcessGateway;

before(async () => {
  cloud = await startCloudServer(reply);
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const key = JSON.stringify({
    type: 'service_account',
    project_id: 'project-1',
    client_email: 'sluice@project-1.iam.gserviceaccount.com',
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    token_uri: `${cloud.url}/token`,
  });
  gateway = await openInProcess({
    env: { VERTEX_KEY: key },
    config: [
      'providers:',
      '  - id: google-vertex',
      `    baseUrl: ${cloud.url}/v1`,
      '    google: { location: europe-west4, credentials: "${VERTEX_KEY}" }',
      '  - id: express',
      '    cloud: vertex',
      '    format: gemini',
      `    baseUrl: ${cloud.url}/v1`,
      '    apiKey: express-key-1',
      '    models: [{ id: gemini-2.5-flash, price: { input: "1", output: "2" } }]',
      '',
    ].join('\n'),
  });
});
after(async () => {
  await gateway[Symbol.asyncDispose]();
  await cloud[Symbol.asyncDispose]();
});

const PLACE = '/v1/projects/project-1/locations/europe-west4';
const messages = (changes: JsonObject): JsonObject => ({
  model: 'google-vertex/claude-opus-4-8',
  max_tokens: 100,
  messages: [{ role: 'user', content: 'Hello' }],
  ...changes,
});

test('Claude on Vertex is named in the path, its version in the body, its beta values in a header', async () => {
  const response = await gateway.post('/v1/messages', messages({}), {
    'anthropic-beta': 'oauth-2025-04-20,context-1m-2025-08-07',
  });
  const body = (await response.json()) as typeof MESSAGE;
  assert.deepEqual(body.content, MESSAGE.content);
  const { path, headers, body: sent } = cloud.last;
  assert.equal(path, `${PLACE}/publishers/anthropic/models/claude-opus-4-8%40default:rawPredict`);
  assert.equal(headers['authorization'], 'Bearer ya29.token-1');
  assert.equal(headers['anthropic-beta'], 'context-1m-2025-08-07');
  assert.equal('anthropic-version' in headers, false);
  assert.deepEqual(sent, {
    anthropic_version: 'vertex-2023-10-16',
    max_tokens: 100,
    messages: [{ role: 'user', content: 'Hello' }],
  });
});

test('Claude on Vertex streams, and the token is fetched once', async () => {
  const response = await gateway.post('/v1/messages', messages({ stream: true }));
  assert.match(await response.text(), /event: message_stop/);
  assert.match(cloud.last.path, /:streamRawPredict$/);
  assert.equal(cloud.last.body['stream'], true);
  assert.equal(tokens, 1);
});

test('Gemini on Vertex is called below its publisher, streaming or not', async () => {
  const ask = (stream: boolean) =>
    gateway.post('/v1/chat/completions', {
      model: 'google-vertex/gemini-2.5-flash',
      messages: [{ role: 'user', content: 'Hello' }],
      stream,
    });
  assert.match(await (await ask(false)).text(), /Hallo/);
  assert.equal(cloud.last.path, `${PLACE}/publishers/google/models/gemini-2.5-flash:generateContent`);
  assert.match(await (await ask(true)).text(), /Hallo/);
  assert.equal(
    cloud.last.path,
    `${PLACE}/publishers/google/models/gemini-2.5-flash:streamGenerateContent?alt=sse`,
  );
});

test('express mode needs a key and neither project nor location', async () => {
  const response = await gateway.post('/v1/chat/completions', {
    model: 'express/gemini-2.5-flash',
    messages: [{ role: 'user', content: 'Hello' }],
  });
  assert.equal(response.status, 200);
  assert.equal(cloud.last.path, '/v1/publishers/google/models/gemini-2.5-flash:generateContent');
  assert.equal(cloud.last.headers['x-goog-api-key'], 'express-key-1');
  assert.equal('authorization' in cloud.last.headers, false);
});

test('open models on Vertex use Chat at their own endpoint', async () => {
  const response = await gateway.post('/v1/chat/completions', {
    model: 'google-vertex/gpt-oss-20b',
    messages: [{ role: 'user', content: 'Hello' }],
  });
  assert.equal(response.status, 200);
  assert.equal(cloud.last.path, `${PLACE}/endpoints/openapi/chat/completions`);
  assert.equal(cloud.last.body['model'], 'openai/gpt-oss-20b-maas');
});

async function costOf(response: Response): Promise<unknown> {
  const { json } = await gateway.cli('ledger', 'explain', response.headers.get('x-request-id') ?? '');
  return json?.['cost'];
}

test('an embedding is predicted, one text at a time, for the tokens Google counted', async () => {
  const model = 'google-vertex/gemini-embedding-001';
  const response = await gateway.post('/v1/embeddings', { model, input: 'one', dimensions: 2 });
  assert.equal(response.status, 200);
  const { data, usage } = (await response.json()) as {
    data: { embedding: number[] }[];
    usage: { prompt_tokens: number };
  };
  assert.deepEqual([data[0]?.embedding, usage.prompt_tokens], [[0.5, -0.25], 4]);
  assert.match(cloud.last.path, /\/publishers\/google\/models\/gemini-embedding-001:predict$/);
  assert.match(String(cloud.last.headers['authorization']), /^Bearer ya29\./);
  assert.deepEqual(cloud.last.body, {
    instances: [{ content: 'one' }],
    parameters: { outputDimensionality: 2 },
  });
  assert.equal(await costOf(response), '0.0000006');
  const several = await gateway.post('/v1/embeddings', { model, input: ['one', 'two'] });
  assert.equal(several.status, 400);
  assert.match(await several.text(), /one text at a time/);
});

test('a text is spoken by the model of its publisher', async () => {
  const model = 'google-vertex/gemini-2.5-flash-tts';
  const response = await gateway.post('/v1/audio/speech', { model, input: 'Hello', voice: 'Kore' });
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), 'audio/wav');
  assert.match(cloud.last.path, /\/publishers\/google\/models\/gemini-2\.5-flash-tts:generateContent$/);
  await response.arrayBuffer();
  assert.equal(await costOf(response), '0.001005');
});
