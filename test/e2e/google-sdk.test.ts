import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  ApiError,
  type Content,
  FunctionCallingConfigMode,
  type GenerateContentResponse,
  GoogleGenAI,
  type Part,
  Type,
} from '@google/genai';
import { configureFormats } from '../support/gateway.ts';
import { shareGateway } from '../support/share-gateway.ts';
import { type Reply, answer, cutAfter, rateLimited } from '../support/upstream-replies.ts';

const TOOLS = [
  {
    functionDeclarations: [
      {
        name: 'get_weather',
        description: 'The weather.',
        parameters: { type: Type.OBJECT, properties: { city: { type: Type.STRING, nullable: true } } },
      },
    ],
  },
];
const CALLS = [
  { id: 'call_1', name: 'get_weather', input: { city: 'Paris' } },
  { id: 'call_2', name: 'get_weather', input: { city: 'Oslo' } },
];

const gateway = shareGateway({ config: configureFormats });

const createClient = (apiKey = gateway.apiKey) =>
  new GoogleGenAI({ apiKey, httpOptions: { baseUrl: gateway.url } });
const script = (plan: Parameters<typeof answer>[0]) => gateway.upstream.script({ reply: answer(plan) });
const scriptReply = (reply: Reply) => gateway.upstream.script({ reply });

async function collectChunks(
  stream: AsyncIterable<GenerateContentResponse>,
): Promise<GenerateContentResponse[]> {
  const chunks: GenerateContentResponse[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

const partsOf = (chunks: GenerateContentResponse[]): Part[] =>
  chunks.flatMap((chunk) => chunk.candidates?.[0]?.content?.parts ?? []);

for (const model of ['chat-model', 'messages-model', 'gemini-model']) {
  describe(`@google/genai through ${model}`, () => {
    test('an answer has text, finish reason and usage', async () => {
      script({ text: 'Hello there.', chunks: 3 });
      const config = {
        systemInstruction: 'Be kind.',
        temperature: 0.5,
        maxOutputTokens: 50,
        stopSequences: ['END'],
      };
      const response = await createClient().models.generateContent({ model, contents: 'hello', config });
      assert.equal(response.text, 'Hello there.');
      assert.equal(response.candidates?.[0]?.finishReason, 'STOP');
      assert.equal(response.modelVersion, model);
      assert.equal(response.usageMetadata?.candidatesTokenCount, gateway.upstream.truths[0]?.outputTokens);
      assert.match(gateway.upstream.truths[0]?.rawBody ?? '', /Be kind\..*END|END.*Be kind\./);
    });

    test('a stream gives the text in pieces and its usage with the last', async () => {
      script({ text: 'Hello streaming world.', chunks: 5 });
      const chunks = await collectChunks(
        await createClient().models.generateContentStream({ model, contents: 'hello' }),
      );
      assert.equal(chunks.map((chunk) => chunk.text ?? '').join(''), 'Hello streaming world.');
      assert.ok(chunks.length > 4);
      assert.equal(
        chunks.at(-1)?.usageMetadata?.candidatesTokenCount,
        gateway.upstream.truths[0]?.outputTokens,
      );
      assert.equal(gateway.upstream.truths[0]?.stream, true);
    });

    test('parallel calls arrive whole with their ids, and their results find them', async () => {
      script({ text: 'I look.', toolCalls: CALLS });
      const ai = createClient();
      const contents: Content[] = [{ role: 'user', parts: [{ text: 'Weather?' }] }];
      const chunks = await collectChunks(
        await ai.models.generateContentStream({ model, contents, config: { tools: TOOLS } }),
      );
      const calls = chunks.flatMap((chunk) => chunk.functionCalls ?? []);
      assert.deepEqual(
        calls.map(({ id, name, args }): unknown => ({ id, name, input: args })),
        CALLS,
      );
      gateway.upstream.clear();
      script({ text: 'Sunny.' });
      const results = calls.map(({ id = '', name = '' }) => ({
        functionResponse: { id, name, response: { output: `${id}: sun` } },
      }));
      const response = await ai.models.generateContent({
        model,
        contents: [...contents, { role: 'model', parts: partsOf(chunks) }, { role: 'user', parts: results }],
        config: { tools: TOOLS },
      });
      assert.equal(response.text, 'Sunny.');
      const sent = gateway.upstream.truths[0]?.rawBody ?? '';
      for (const { id } of CALLS) assert.ok(sent.includes(`${id}: sun`), id);
    });

    test('the SDK’s chat keeps the history of a streamed answer', async () => {
      script({ text: 'First answer.', chunks: 4 });
      const chat = createClient().chats.create({ model });
      await collectChunks(await chat.sendMessageStream({ message: 'one' }));
      gateway.upstream.clear();
      script({ text: 'Second.' });
      assert.equal((await chat.sendMessage({ message: 'two' })).text, 'Second.');
      const sent = gateway.upstream.truths[0]?.rawBody ?? '';
      assert.match(sent, model === 'gemini-model' ? /"one".*"two"/s : /"one".*First answer\..*"two"/s);
    });

    test('a forced choice names the function', async () => {
      script({ text: '', toolCalls: CALLS.slice(0, 1) });
      const config = {
        tools: TOOLS,
        toolConfig: {
          functionCallingConfig: {
            mode: FunctionCallingConfigMode.ANY,
            allowedFunctionNames: ['get_weather'],
          },
        },
      };
      const response = await createClient().models.generateContent({ model, contents: 'Weather?', config });
      assert.deepEqual(response.functionCalls?.[0]?.args, { city: 'Paris' });
      assert.match(
        gateway.upstream.truths[0]?.rawBody ?? '',
        /"tool_choice":\{.*get_weather|allowedFunctionNames/,
      );
    });

    test('a provider that limits the rate, and a stream that is cut, are errors to the SDK', async () => {
      const ai = createClient();
      scriptReply(rateLimited('7'));
      await assert.rejects(
        ai.models.generateContent({ model, contents: 'hello' }),
        (error) =>
          error instanceof ApiError && error.status === 429 && /RESOURCE_EXHAUSTED/.test(error.message),
      );
      gateway.upstream.clear();
      scriptReply(cutAfter(3, { text: 'a b c d e f g h', chunks: 8 }));
      await assert.rejects(async () =>
        collectChunks(await ai.models.generateContentStream({ model, contents: 'hello' })),
      );
    });

    test('a prompt is counted', async () => {
      const { totalTokens } = await createClient().models.countTokens({ model, contents: 'hello to you' });
      assert.ok((totalTokens ?? 0) > 0);
    });
  });
}

test('thoughts of another model are returned if requested, and their signature is sent back to it', async () => {
  script({ reasoning: 'Let me think.', text: 'I look.', toolCalls: CALLS.slice(0, 1) });
  const ai = createClient();
  const config = {
    tools: TOOLS,
    maxOutputTokens: 9000,
    thinkingConfig: { thinkingBudget: 2000, includeThoughts: true },
  };
  const contents: Content[] = [{ role: 'user', parts: [{ text: 'Weather?' }] }];
  const model = 'messages-model';
  const chunks = await collectChunks(await ai.models.generateContentStream({ model, contents, config }));
  const parts = partsOf(chunks);
  assert.equal(
    parts
      .filter((part) => part.thought)
      .map((part) => part.text)
      .join(''),
    'Let me think.',
  );
  assert.equal(chunks.map((chunk) => chunk.text ?? '').join(''), 'I look.');
  assert.match(JSON.stringify(gateway.upstream.truths[0]?.body['thinking']), /"budget_tokens":2000/);
  gateway.upstream.clear();
  script({ text: 'Sunny.' });
  const result = { functionResponse: { id: 'call_1', name: 'get_weather', response: { output: 'sun' } } };
  await ai.models.generateContent({
    model,
    contents: [...contents, { role: 'model', parts }, { role: 'user', parts: [result] }],
    config,
  });
  const messages = gateway.upstream.truths[0]?.body['messages'] as {
    content: { type: string; thinking?: string; signature?: string }[];
  }[];
  const thinking = messages
    .flatMap(({ content }) => (Array.isArray(content) ? content : []))
    .find(({ type }) => type === 'thinking');
  assert.equal(thinking?.thinking, 'Let me think.');
  assert.ok(thinking.signature);
});

test('structured output reaches the provider as a JSON Schema', async () => {
  script({ text: '{"a":"b"}' });
  const config = {
    responseMimeType: 'application/json',
    responseSchema: { type: Type.OBJECT, properties: { a: { type: Type.STRING } }, required: ['a'] },
  };
  const response = await createClient().models.generateContent({
    model: 'chat-model',
    contents: 'hello',
    config,
  });
  assert.equal(response.text, '{"a":"b"}');
  const format = gateway.upstream.truths[0]?.body['response_format'] as { json_schema: { schema: object } };
  assert.deepEqual(format.json_schema.schema, {
    type: 'object',
    properties: { a: { type: 'string' } },
    required: ['a'],
  });
});

test('an image reaches the provider', async () => {
  script({ text: 'A pixel.' });
  const contents = [
    {
      role: 'user',
      parts: [{ text: 'What?' }, { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } }],
    },
  ];
  await createClient().models.generateContent({ model: 'chat-model', contents });
  assert.match(gateway.upstream.truths[0]?.rawBody ?? '', /data:image\/png;base64,iVBORw0KGgo=/);
});

test('the SDK may ask for the version of preview features', async () => {
  const { apiKey } = gateway;
  const client = new GoogleGenAI({ apiKey, apiVersion: 'v1alpha', httpOptions: { baseUrl: gateway.url } });
  const { text } = await client.models.generateContent({ model: 'chat-model', contents: 'hello' });
  assert.equal(text, 'echo: hello');
  assert.equal((await client.models.get({ model: 'chat-model' })).name, 'models/chat-model');
  assert.ok((await client.models.list()).page.length > 0);
});

test('a wrong key, an unknown model and a malformed request have different errors', async () => {
  const ask = (model: string, apiKey?: string, config = {}) =>
    createClient(apiKey).models.generateContent({ model, contents: 'hello', config });
  const statusOf = (run: Promise<unknown>) =>
    run.then(
      () => 200,
      (error: unknown) => (error instanceof ApiError ? error.status : 0),
    );
  assert.equal(await statusOf(ask('chat-model', 'slc_wrong')), 401);
  assert.equal(await statusOf(ask('no-model')), 404);
  assert.equal(await statusOf(ask('chat-model', undefined, { temperature: 9 })), 400);
  assert.equal(gateway.upstream.truths.length, 0);
});
