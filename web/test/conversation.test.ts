import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type InProcessGateway, openInProcess } from '../../test/support/in-process.ts';
import { until } from '../../test/support/until.ts';
import { answer } from '../../test/support/upstream-replies.ts';
import { type Part, type Turn, readAnswered, readAsked } from '../src/conversation/conversation.ts';
import { printJson } from '../src/conversation/json.ts';
import { toQuestion } from '../src/conversation/to-question.ts';
import { composeRequest } from '../src/playground/compose-request.ts';
import { BODIES, FORMATS, PIXEL, type Said } from './conversations.ts';

const SAID: Said = {
  system: 'Be brief.',
  question: 'What is the weather?',
  thinking: 'Let me see.',
  answer: 'I look.',
  tool: 'weather',
  description: 'Tells the weather',
  input: '{"city":"Oslo"}',
  result: 'rain',
};

let gateway: InProcessGateway;
let admin: string;
before(async () => {
  gateway = await openInProcess();
  const { projectId } = gateway.account;
  ({ secret: admin } = await gateway.accounts.directory.createAdminKey({ label: 'reader' }));
  await gateway.accounts.directory.updateProject(projectId, { payloadDays: 1 });
  gateway.upstream.script({
    reply: answer({
      text: 'Rain, it seems.',
      reasoning: 'It said rain.',
      chunks: 4,
      toolCalls: [{ id: 'call_2', name: 'weather', input: { city: 'Bergen' } }],
    }),
  });
});
after(() => gateway[Symbol.asyncDispose]());

type Payload = Parameters<typeof readAsked>[1];

async function ask(path: string, body: object): Promise<Payload> {
  const response = await gateway.post(path, body);
  const text = await response.text();
  assert.equal(response.status, 200, text);
  const place = `/admin/v1/logs/${response.headers.get('x-request-id') ?? ''}/payload`;
  let payload: Payload | undefined;
  await until('the payload is kept', async () => {
    const page = await gateway.request(place, { headers: { authorization: `Bearer ${admin}` } });
    payload = (await page.json()) as Payload;
    return payload.request !== null;
  });
  assert.ok(payload);
  return payload;
}

/** A part in one line; without ids, which some formats do not have. */
function describePart(part: Part): string {
  if (part.kind === 'call') return `call ${part.name} ${part.input.replaceAll(/\s/g, '')}`;
  if (part.kind === 'result') return `result ${part.parts.map(describePart).join()}`;
  if (part.kind === 'image') return `image ${part.url}`;
  return `${part.kind} ${part.text}`;
}

const describeTurns = (turns: readonly Turn[] = []): string[] =>
  turns.flatMap(({ role, parts }) => parts.map((part) => `${role}: ${describePart(part)}`));

for (const format of FORMATS) {
  test(`what a client of ${format} asks and is answered is read, streamed or not`, async () => {
    const { path, request } = BODIES[format](SAID, 'messages-model');
    const whole = await ask(path, request);
    const asked = readAsked(format, whole);
    assert.ok(asked);
    assert.deepEqual(asked.system.map(describePart), ['text Be brief.']);
    assert.deepEqual(
      describeTurns(asked.turns).map((line) => line.replace(/^(tool|user): result/, 'result')),
      [
        'user: text What is the weather?',
        `user: image data:image/png;base64,${PIXEL}`,
        'assistant: text I look.',
        'assistant: call weather {"city":"Oslo"}',
        format === 'gemini' ? 'result text {\n  "result": "rain"\n}' : 'result text rain',
      ],
    );
    assert.deepEqual(
      asked.tools.map(({ name, description }) => [name, description]),
      [['weather', 'Tells the weather']],
    );
    assert.deepEqual([asked.settings.temperature, asked.settings.maxTokens], [0.5, 64]);
    const streamed =
      format === 'gemini'
        ? await ask(path.replace('generateContent', 'streamGenerateContent'), request)
        : await ask(path, { ...request, stream: true });
    for (const payload of [whole, streamed])
      assert.deepEqual(describeTurns(readAnswered(format, payload)), [
        'assistant: thinking It said rain.',
        'assistant: text Rain, it seems.',
        'assistant: call weather {"city":"Bergen"}',
      ]);
    const [half = ''] = (streamed.answer?.text ?? '').split('"Rain, ');
    const cut = { ...streamed, answer: streamed.answer && { ...streamed.answer, text: half } };
    assert.match(describeTurns(readAnswered(format, cut))[0] ?? '', /^assistant: thinking It said/);
  });

  test(`what a client of ${format} asked goes on in the playground, as Chat Completions`, async () => {
    const { path, request } = BODIES[format](SAID, 'messages-model');
    const asked = readAsked(format, await ask(path, request));
    assert.ok(asked);
    const { question, history } = toQuestion(asked);
    assert.equal(history.length, 3);
    const body = composeRequest('chat-model', question, history);
    assert.equal(body['temperature'], 0.5);
    const payload = await ask('/v1/chat/completions', body);
    const again = readAsked('chat', payload);
    assert.deepEqual(
      describeTurns(again?.turns).map((line) => line.replace(/^tool: /, '')),
      describeTurns(asked.turns).map((line) => line.replace(/^(user|tool): (?=result)/, '')),
    );
    const first = toQuestion({ ...asked, turns: asked.turns.slice(0, 1) });
    assert.deepEqual(
      [first.question.prompt, first.question.files.length, first.history],
      ['What is the weather?', 1, []],
    );
  });
}

test('a text that is cut or is not the format’s is not read, and no picture is loaded from elsewhere', () => {
  const payload = (text: string, truncated: boolean): Payload => ({
    object: 'payload',
    id: 'req_1',
    expires_at: null,
    answer: null,
    request: { text, bytes: text.length, truncated },
  });
  assert.equal(readAsked('chat', payload('{}', true)), undefined);
  assert.equal(readAsked('chat', payload('{"messages":', false)), undefined);
  const urls = [
    'https://elsewhere.example/x.png',
    'data:image/svg+xml;base64,PHN2Zz4=',
    'data:text/html,<script>',
    'javascript:1',
  ];
  const content = urls.map((url) => ({ type: 'image_url', image_url: { url } }));
  const asked = readAsked('chat', payload(JSON.stringify({ messages: [{ role: 'user', content }] }), false));
  assert.deepEqual(
    asked?.turns[0]?.parts.map(({ kind }) => kind),
    urls.map(() => 'note'),
  );
  for (const odd of [{ messages: 1 }, { messages: [null, 1, { content: [null, {}] }] }, { tools: 'x' }, []])
    for (const format of FORMATS) readAsked(format, payload(JSON.stringify(odd), false));
});

test('JSON in a text is printed in lines, with its numbers as they are written', () => {
  assert.equal(
    printJson('{"id":12345678901234567890,"price":1.10,"all":[1e400,-0]}'),
    '{\n  "id": 12345678901234567890,\n  "price": 1.10,\n  "all": [\n    1e400,\n    -0\n  ]\n}',
  );
  for (const text of ['no JSON {', '12', '"a"', '']) assert.equal(printJson(text), text);
});
