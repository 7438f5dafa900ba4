import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LogRow } from '#logs';
import { type Reply, answer, fail, resetMidBody } from '../../../../../test/support/upstream-replies.ts';
import { shareGateway } from '../../../../../test/support/share-gateway.ts';

const PATH = '/v1/chat/completions';
const ASK = { max_tokens: 64, n: 3, messages: [{ role: 'user', content: 'hello' }] };
const INPUT_PRICE = 3_000_000n;
const OUTPUT_PRICE = 15_000_000n;

interface Choice {
  index: number;
  message: { content: string };
  delta: { content?: string };
  finish_reason: string | null;
}

interface Completion {
  choices: Choice[];
  usage?: { prompt_tokens: number; completion_tokens: number; cost: number } | null;
}

const gateway = shareGateway();

/** Answers each generation with its number. */
function numbered(): Reply {
  let count = 0;
  return (exchange) => answer({ text: `answer ${(count += 1)} of a few words` })(exchange);
}

const post = (model: string, part: object = {}) => gateway.post(PATH, { model, ...ASK, ...part });

function assertBilled(row: LogRow, usage: NonNullable<Completion['usage']>): void {
  const expected = INPUT_PRICE * BigInt(usage.prompt_tokens) + OUTPUT_PRICE * BigInt(usage.completion_tokens);
  assert.equal(BigInt(row.customer), expected);
  assert.equal(usage.cost, Number(expected) / 1e12);
  assert.equal(row.attempts.length, 3);
}

for (const model of ['chat-model', 'messages-model']) {
  test(`n = 3 from ${model}: three generations are one answer, one row and one exact bill`, async () => {
    gateway.upstream.script({ reply: numbered() });
    const response = await post(model);
    assert.equal(response.status, 200);
    const { choices, usage } = (await response.json()) as Completion;
    assert.deepEqual(
      choices.map(({ index }) => index),
      [0, 1, 2],
    );
    assert.equal(new Set(choices.map(({ message }) => message.content)).size, 3);
    assert.ok(usage);
    assertBilled(await gateway.getRow(response), usage);
  });

  test(`n = 3 streamed from ${model}: every choice has its index and its end, [DONE] and usage come once`, async () => {
    gateway.upstream.script({ reply: numbered() });
    const response = await post(model, { stream: true, stream_options: { include_usage: true } });
    const lines = (await response.text()).split('\n').filter((line) => line.startsWith('data: '));
    assert.equal(lines.filter((line) => line === 'data: [DONE]').length, 1);
    assert.equal(lines.at(-1), 'data: [DONE]');
    const chunks = lines.slice(0, -1).map((line) => JSON.parse(line.slice(6)) as Completion & { id: string });
    assert.equal(new Set(chunks.map(({ id }) => id)).size, 1);
    const texts = ['', '', ''];
    const ends: number[] = [];
    for (const choice of chunks.flatMap(({ choices }) => choices)) {
      texts[choice.index] = `${texts[choice.index] ?? ''}${choice.delta.content ?? ''}`;
      if (choice.finish_reason !== null) ends.push(choice.index);
    }
    assert.deepEqual(ends.sort(), [0, 1, 2]);
    assert.ok(
      texts.every((text) => /^answer \d of a few words$/.test(text)),
      texts.join(),
    );
    const reported = chunks.filter(({ usage }) => usage);
    assert.equal(reported.length, 1);
    assertBilled(await gateway.getRow(response), reported[0]!.usage!);
  });
}

test('a choice that fails ends the others: an error, no charge, one row', async () => {
  let count = 0;
  const reply: Reply = (exchange) => {
    count += 1;
    return count === 2
      ? fail(400, 'invalid_request_error')(exchange)
      : answer({ text: 'fine' }, 400)(exchange);
  };
  gateway.upstream.script({ reply });
  const response = await post('chat-model');
  assert.equal(response.status, 400);
  const row = await gateway.getRow(response);
  assert.equal(row.customer, '0');
  assert.equal(row.attempts.length, 3);
});

/** The reply of the second generation waits for `release`; the others do not. */
function scriptSecond(second: Reply, others: Reply): { release(): void } {
  const turn = Promise.withResolvers<undefined>();
  let count = 0;
  const reply: Reply = async (exchange) => {
    count += 1;
    if (count !== 2) return others(exchange);
    await turn.promise;
    return second(exchange);
  };
  gateway.upstream.script({ reply });
  return { release: () => turn.resolve(undefined) };
}

const UNTOLD: Record<string, Reply> = {
  'is refused': fail(400, 'invalid_request_error'),
  'is overloaded': fail(529, 'overloaded_error'),
  'is cut': resetMidBody(),
};

for (const [what, second] of Object.entries(UNTOLD)) {
  test(`a choice that ${what} while others stream ends the answer with an error, never with [DONE]`, async () => {
    const { release } = scriptSecond(second, answer({ text: 'one two three four five six' }, 100));
    const response = await post('chat-model', { stream: true });
    assert.equal(response.status, 200);
    let text = '';
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      if (/"content":"[^"]/.test(text)) release();
    }
    assert.doesNotMatch(text, /\[DONE\]/);
    const last = JSON.parse(text.trimEnd().split('\n').at(-1)?.slice(6) ?? '') as {
      error?: { message: string };
    };
    assert.ok(last.error?.message, text);
    const row = await gateway.getRow(response);
    assert.equal(row.attempts.length, 3);
    assert.notEqual(row.finishReason, 'completed');
    assert.ok(BigInt(row.customer) > 0n);
  });
}

test('the hold covers every choice: a key that can pay one worst case is refused three', async () => {
  const one = await gateway.createAccount({ limit: 1_500_000_000n });
  const asKey = { authorization: `Bearer ${one.apiKey}` };
  const single = await gateway.post(PATH, { model: 'chat-model', ...ASK, n: 1 }, asKey);
  assert.equal(single.status, 200);
  const many = await gateway.post(PATH, { model: 'chat-model', ...ASK }, asKey);
  assert.equal(many.status, 402);
  await many.text();
});
