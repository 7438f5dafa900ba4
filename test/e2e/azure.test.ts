import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { JsonObject } from '#base';
import {
  type CloudReply,
  type CloudRequest,
  type CloudServer,
  startCloudServer,
} from '../support/cloud-server.ts';
import { type InProcessGateway, openInProcess } from '../support/in-process.ts';

const FILTERED = {
  error: {
    message:
      "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
    type: null,
    param: 'prompt',
    code: 'content_filter',
    status: 400,
    innererror: { code: 'ResponsibleAIPolicyViolation' },
  },
};
const common = { id: 'chatcmpl-1', created: 1, model: 'gpt-4o-2024-11-20' };
const USAGE = { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 };
const STREAM = [
  // Azure starts with a chunk without id, model and choices.
  { id: '', object: '', created: 0, model: '', choices: [], prompt_filter_results: [{ prompt_index: 0 }] },
  {
    ...common,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta: { role: 'assistant', content: 'Hi' } }],
  },
  { ...common, object: 'chat.completion.chunk', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
  { ...common, object: 'chat.completion.chunk', choices: [], usage: USAGE },
].map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`);

const VECTOR = {
  data: [{ index: 0, embedding: [0.5] }],
  usage: { prompt_tokens: 5, total_tokens: 5 },
};
const DRAWN = {
  created: 1,
  data: [{ b64_json: 'iVBORw0KGgo=' }],
  usage: { input_tokens: 5, output_tokens: 100, total_tokens: 105 },
};

function reply({ path, rawBody, body }: CloudRequest): CloudReply {
  if (path.includes('/embeddings')) return { json: VECTOR };
  if (path.includes('/images/')) return { json: DRAWN };
  if (path.includes('/oauth2/')) return { json: { access_token: 'entra-token', expires_in: 3600 } };
  if (rawBody.includes('something bad')) return { status: 400, json: FILTERED };
  if (body['stream'] === true)
    return { contentType: 'text/event-stream', pieces: [...STREAM, 'data: [DONE]\n\n'] };
  const message = { role: 'assistant', content: 'Hi' };
  return {
    json: {
      ...common,
      object: 'chat.completion',
      choices: [{ index: 0, message, finish_reason: 'stop' }],
      usage: USAGE,
    },
  };
}

let cloud: CloudServer;
let gateway: InProcessGateway;

before(async () => {
  cloud = await startCloudServer(reply);
  gateway = await openInProcess({
    env: { AZURE_OPENAI_API_KEY: 'azure-key-1' },
    config: [
      'providers:',
      `  - { id: azure, baseUrl: "${cloud.url}/" }`,
      '  - id: older',
      '    cloud: azure',
      '    format: chat',
      `    baseUrl: ${cloud.url}/openai/v1`,
      '    apiKey: azure-key-2',
      '    azure: { apiVersion: 2024-10-21 }',
      '    models:',
      '      - { id: gpt-4o, externalId: my deployment, price: { input: "1", output: "2" } }',
      '      - { id: embed, externalId: my vectors, operations: [embeddings], contextLength: 8000, price: { input: "2", output: "0" } }',
      '      - { id: draw, externalId: my painter, operations: [images], price: { input: "2", output: "40" } }',
      '',
    ].join('\n'),
  });
});
after(async () => {
  await gateway[Symbol.asyncDispose]();
  await cloud[Symbol.asyncDispose]();
});

const chat = (changes: JsonObject): JsonObject => ({
  model: 'azure/gpt-4o',
  messages: [{ role: 'user', content: 'Hello' }],
  ...changes,
});

test('the v1 address has the model in the body and the key in the api-key header', async () => {
  const response = await gateway.post('/v1/chat/completions', chat({}));
  assert.equal(response.status, 200);
  assert.equal(cloud.last.path, '/openai/v1/chat/completions');
  assert.equal(cloud.last.headers['api-key'], 'azure-key-1');
  assert.equal('authorization' in cloud.last.headers, false);
  assert.equal(cloud.last.body['model'], 'gpt-4o');
});

test('the older address names a deployment and a version', async () => {
  const response = await gateway.post('/v1/chat/completions', chat({ model: 'older/gpt-4o' }));
  assert.equal(response.status, 200);
  assert.equal(
    cloud.last.path,
    '/openai/deployments/my%20deployment/chat/completions?api-version=2024-10-21',
  );
  assert.equal(cloud.last.headers['api-key'], 'azure-key-2');
});

test('a stream that opens with an empty chunk is a stream', async () => {
  const response = await gateway.post('/v1/messages', {
    model: 'azure/gpt-4o',
    max_tokens: 10,
    stream: true,
    messages: [{ role: 'user', content: 'Hello' }],
  });
  const text = await response.text();
  assert.match(text, /"text":"Hi"/);
  assert.match(text, /event: message_stop/);
});

test('a prompt the content filter refuses is the caller’s, and no other provider is asked', async () => {
  const before = cloud.requests.length;
  const response = await gateway.post(
    '/v1/chat/completions',
    chat({ messages: [{ role: 'user', content: 'something bad' }] }),
  );
  assert.equal(response.status, 400);
  const { error } = (await response.json()) as { error: { code: string; message: string } };
  assert.match(error.message, /content management policy/);
  assert.match(error.code, /content/);
  assert.equal(cloud.requests.length, before + 1);
});

async function costOf(response: Response): Promise<unknown> {
  const { json } = await gateway.cli('ledger', 'explain', response.headers.get('x-request-id') ?? '');
  return json?.['cost'];
}

test('embeddings and images use the same address as chat: the v1 address or the deployment', async () => {
  for (const [model, path, cost] of [
    ['azure/text-embedding-3-small', '/openai/v1/embeddings', '0.0000001'],
    ['older/embed', '/openai/deployments/my%20vectors/embeddings?api-version=2024-10-21', '0.00001'],
  ] as const) {
    const response = await gateway.post('/v1/embeddings', { model, input: 'one' });
    assert.equal(response.status, 200);
    assert.equal(cloud.last.path, path);
    assert.match(String(cloud.last.headers['api-key']), /^azure-key-/);
    assert.equal(await costOf(response), cost);
  }
  for (const [model, path, cost] of [
    ['azure/gpt-image-2', '/openai/v1/images/generations', '0.003025'],
    ['older/draw', '/openai/deployments/my%20painter/images/generations?api-version=2024-10-21', '0.00401'],
  ] as const) {
    const response = await gateway.post('/v1/images/generations', { model, prompt: 'a sloth' });
    assert.equal(response.status, 200);
    assert.equal(cloud.last.path, path);
    assert.equal(await costOf(response), cost);
  }
});
