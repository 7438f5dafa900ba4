import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import type { JsonObject } from '#base';
import {
  type AccountGateway,
  RESPONSE,
  events,
  json,
  messageEvents,
  messageJson,
  openAccountGateway,
  user,
} from '../support/account-gateway.ts';
import { overloaded } from '../support/upstream-replies.ts';

let opened: AccountGateway;
before(async () => (opened = await openAccountGateway()));
after(() => opened[Symbol.asyncDispose]());
afterEach(() => opened.clear());

const upload = (id: string): JsonObject => ({
  messages: user({ type: 'container_upload', file_id: id }),
});

for (const [kind, reply, stream] of [
  ['whole', messageJson, false],
  ['streamed', messageEvents, true],
] as const)
  test(`a container and a file of a ${kind} answer: the next request of the organization goes to their account, another organization’s is refused`, async () => {
    const [maker, other] = [await opened.gateway.createAccount(), await opened.gateway.createAccount()];
    opened.upstream.script({ reply: overloaded(529) });
    opened.moreExpensive.script({ reply });
    const answer = await opened.ask('messages', { stream }, maker);
    assert.equal(answer.status, 200);
    assert.ok((await answer.text()).includes('container_a'));
    opened.gateway.clock.advance(3_600_000); // the overloaded provider is tried again
    for (const fields of [
      { container: 'container_a' },
      { container: { id: 'container_a' } },
      upload('file_a'),
    ]) {
      opened.upstream.clear();
      opened.moreExpensive.clear();
      const response = await opened.ask('messages', fields, maker);
      assert.equal(response.status, 200, await response.text());
      assert.deepEqual([opened.upstream.truths.length, opened.moreExpensive.truths.length], [0, 1]);
      const foreign = await opened.ask('messages', fields, other);
      await opened.assertNotAllowed('messages', foreign, Object.keys(fields)[0] ?? '');
      assert.deepEqual([opened.upstream.truths.length, opened.moreExpensive.truths.length], [0, 1]);
    }
    await opened.assertNotAllowed(
      'messages',
      await opened.ask('messages', upload('file_told'), maker),
      'file_told',
    );
    const elsewhere = await opened.ask(
      'messages',
      { container: 'container_a', model: 'messages-large' },
      maker,
    );
    await opened.assertNotAllowed('messages', elsewhere, 'mock-expensive');
  });

test('objects of the gateway’s key are not found with the organization’s own key, and vice versa', async () => {
  const [maker, other] = [await opened.gateway.createAccount(), await opened.gateway.createAccount()];
  const key = await opened.bring(maker, 'mock-expensive');
  opened.moreExpensive.script({ reply: messageJson });
  assert.equal((await opened.ask('messages', {}, maker)).status, 200);
  assert.equal((await opened.ask('messages', { container: 'container_a' }, maker)).status, 200);
  await opened.gateway.accounts.directory.removeProviderKey(key);
  await opened.assertNotAllowed(
    'messages',
    await opened.ask('messages', { container: 'container_a' }, maker),
    'container',
  );
  await opened.assertNotAllowed(
    'messages',
    await opened.ask('messages', { container: 'container_a' }, other),
    'container',
  );
});

const INTERPRETER = {
  id: 'ci_1',
  type: 'code_interpreter_call',
  status: 'completed',
  code: '',
  container_id: 'cntr_a',
  outputs: null,
};
const CITED = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [
    {
      type: 'output_text',
      text: 'Made.',
      annotations: [
        {
          type: 'container_file_citation',
          container_id: 'cntr_a',
          file_id: 'cfile_a',
          filename: 'a.png',
          start_index: 0,
          end_index: 4,
        },
      ],
    },
  ],
};

const CITATION = (CITED.content[0] as JsonObject)['annotations'] as JsonObject[];
const RESPONSE_JSON = json({ ...RESPONSE, output: [INTERPRETER, CITED] });
/** The same as a stream, whose last event leaves out what earlier ones reported. */
const RESPONSE_EVENTS = events(
  { type: 'response.created', response: { ...RESPONSE, status: 'in_progress' } },
  { type: 'response.output_item.added', output_index: 0, item: { ...INTERPRETER, status: 'in_progress' } },
  { type: 'response.code_interpreter_call.in_progress', output_index: 0, item_id: 'ci_1' },
  { type: 'response.output_item.done', output_index: 0, item: INTERPRETER },
  { type: 'response.output_item.added', output_index: 1, item: { ...CITED, content: [] } },
  { type: 'response.output_text.delta', output_index: 1, content_index: 0, item_id: 'msg_1', delta: 'Made.' },
  {
    type: 'response.output_text.annotation.added',
    output_index: 1,
    content_index: 0,
    item_id: 'msg_1',
    annotation_index: 0,
    annotation: CITATION[0]!,
  },
  { type: 'response.output_item.done', output_index: 1, item: CITED },
  { type: 'response.completed', response: RESPONSE },
);

for (const [kind, reply, stream] of [
  ['whole', RESPONSE_JSON, false],
  ['streamed', RESPONSE_EVENTS, true],
] as const)
  test(`a code interpreter container and cited files of a ${kind} answer belong to the organization that requested them`, async () => {
    const maker = await opened.gateway.createAccount();
    const other = await opened.gateway.createAccount();
    opened.upstream.script({ reply });
    const answer = await opened.ask('responses', { stream }, maker);
    assert.equal(answer.status, 200);
    assert.ok((await answer.text()).includes('cfile_a'));
    opened.upstream.script({ reply: RESPONSE_JSON });
    for (const fields of [
      { tools: [{ type: 'code_interpreter', container: 'cntr_a' }] },
      { tools: [{ type: 'code_interpreter', container: { type: 'auto', file_ids: ['cfile_a'] } }] },
      { input: [INTERPRETER, ...user({ type: 'input_text', text: 'Go on.' })] },
    ]) {
      const again = await opened.ask('responses', fields, maker);
      assert.equal(again.status, 200, await again.text());
      await opened.assertNotAllowed('responses', await opened.ask('responses', fields, other), 'a');
    }
  });

test('objects that a text answer cites belong to its organization', async () => {
  const [maker, other] = [await opened.gateway.createAccount(), await opened.gateway.createAccount()];
  const audio = { id: 'audio_a', data: 'UklGRg==', transcript: 'Hi.', expires_at: 4_000_000_000 };
  opened.upstream.script({
    reply: json({
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: 1,
      model: 'chat-small',
      choices: [{ index: 0, message: { role: 'assistant', content: null, audio }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 5, completion_tokens: 5, total_tokens: 10 },
    }),
  });
  assert.equal((await opened.ask('chat', { modalities: ['text', 'audio'] }, maker)).status, 200);
  const said = [{ role: 'user', content: 'Hello.' }];
  const fields = { messages: [...said, { role: 'assistant', audio: { id: 'audio_a' } }, ...said] };
  assert.equal((await opened.ask('chat', fields, maker)).status, 200);
  await opened.assertNotAllowed('chat', await opened.ask('chat', fields, other), 'messages[1].audio.id');
});

test('a thread can be continued only by its organization', async () => {
  const [maker, other] = [await opened.gateway.createAccount(), await opened.gateway.createAccount()];
  opened.upstream.script({ reply: messageJson });
  assert.equal((await opened.ask('messages', { thread: { type: 'create' } }, maker)).status, 200);
  const fields = { thread: { type: 'continue', previous_message_id: 'msg_1' } };
  assert.equal((await opened.ask('messages', fields, maker)).status, 200);
  const foreign = await opened.ask('messages', fields, other);
  assert.equal(foreign.status, 404);
  assert.match(await foreign.text(), /thread\.previous_message_id: .*thread_not_found/);
  assert.equal(opened.upstream.truths.length, 2);
});

test('diagnostics of another organization’s message are removed, and the request is answered', async () => {
  const [maker, other] = [await opened.gateway.createAccount(), await opened.gateway.createAccount()];
  const asked = (id: string | null) => ({ diagnostics: { previous_message_id: id } });
  opened.upstream.script({ reply: messageJson });
  assert.equal((await opened.ask('messages', asked(null), maker)).status, 200);
  assert.equal((await opened.ask('messages', asked('msg_1'), maker)).status, 200);
  assert.equal((await opened.ask('messages', asked('msg_1'), other)).status, 200);
  assert.deepEqual(
    opened.upstream.truths.map(({ rawBody }) => (JSON.parse(rawBody) as JsonObject)['diagnostics']),
    [asked(null).diagnostics, asked('msg_1').diagnostics, undefined],
  );
});

test('holders of session tokens do not find objects of other holders; keys of the organization do', async () => {
  const maker = await opened.gateway.createAccount();
  const mint = async (user: string) => {
    const response = await opened.gateway.post(
      '/v1/session_tokens',
      { user, limit: '1', ttl_seconds: 600 },
      { 'x-api-key': maker.apiKey },
    );
    const { token } = (await response.json()) as { token: string };
    assert.ok(response.ok, token);
    return { apiKey: token };
  };
  const [ann, bob] = [await mint('ann'), await mint('bob')];
  opened.upstream.script({ reply: messageJson });
  assert.equal((await opened.ask('messages', {}, ann)).status, 200);
  const fields = { container: 'container_a' };
  assert.equal((await opened.ask('messages', fields, ann)).status, 200);
  assert.equal((await opened.ask('messages', fields, maker)).status, 200);
  await opened.assertNotAllowed('messages', await opened.ask('messages', fields, bob), 'container_a');
});

test('a request that names nothing asks and writes nothing about objects', async () => {
  await opened.gateway.withoutTable('account_object', async () => {
    assert.equal((await opened.ask('messages', {}, opened.gateway.account)).status, 200);
  });
});

test('an answer is sent even if its objects cannot be saved', async () => {
  const maker = await opened.gateway.createAccount();
  opened.upstream.script({ reply: messageJson });
  await opened.gateway.withoutTable('account_object', async () => {
    assert.equal((await opened.ask('messages', {}, maker)).status, 200);
  });
  await opened.assertNotAllowed(
    'messages',
    await opened.ask('messages', { container: 'container_a' }, maker),
    'container',
  );
});
