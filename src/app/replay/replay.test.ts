import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Block, GenerationResult } from '#canonical';
import type { LogRow } from '#logs';
import type { GatewayAnswer } from '#providers';
import { createUsage } from '#canonical';
import { askGateway } from './ask-gateway.ts';
import { compareAnswers, diffAnswers } from './compare-answers.ts';
import type { LoggedAnswer, ComparedRequest } from './report.ts';
import { summarizeReplay } from './summarize-replay.ts';

const toAnswer = (...blocks: Block[]): Pick<GenerationResult, 'blocks'> => ({ blocks });
const text = (words: string): Block => ({ type: 'text', text: words });
const call = (name: string, json: string, custom?: true): Block => ({
  type: 'tool-call',
  id: json,
  name,
  input: { json },
  ...(custom && { custom }),
});

test('tool calls agree as JSON values, in order, whatever their ids', () => {
  const agree = (was: Block[], now: Block[]) => compareAnswers(toAnswer(...was), toAnswer(...now)).tools;
  const [a, b] = [call('f', '{"x":1,"y":[1,2]}'), call('g', '{}')];
  assert.equal(agree([text('hi')], [text('ho')]), 'none');
  assert.equal(agree([a, b], [call('f', '{"y":[1,2], "x":1.0}'), b]), 'same');
  assert.equal(agree([a], [call('f', '{"x":1,"y":[2,1]}')]), 'same_tools');
  assert.equal(agree([a, b], [b, a]), 'different');
  assert.equal(agree([a], [a, b]), 'different');
  assert.equal(agree([a], [text('hi')]), 'different');
  const long = (last: number) => call('f', `{"id":1234567890123456789${last}}`);
  assert.equal(agree([long(1)], [long(2)]), 'same_tools', 'integers that no double holds');
  assert.equal(agree([call('f', '{"a": 1}', true)], [call('f', '{"a":1}', true)]), 'same_tools', 'free text');
  assert.equal(agree([call('f', '{"a":')], [call('f', '{"a":')]), 'same', 'cut arguments are text');
});

test('words in common are counted in any order and any script; thinking does not count', () => {
  const share = (was: string, now: string) =>
    compareAnswers(toAnswer(text(was)), toAnswer(text(now))).wordsInCommon;
  assert.equal(share('It rains, today.', 'today it rains'), 2 / 3);
  assert.equal(share('a b c d', 'a b'), 4 / 6);
  assert.equal(share('', 'a'), 0);
  assert.equal(share('。。', '。。'), 1);
  assert.ok((share('今天下雨', '今天下雪') ?? 0) > 0);
  assert.equal(
    compareAnswers(toAnswer({ type: 'reasoning', text: 'a' }), toAnswer()).wordsInCommon,
    undefined,
  );
});

test('a diff shows text by line and calls by argument; equal answers have none, and unlike ones end in time', () => {
  const names = { was: 'old', now: 'new' };
  const was = toAnswer(text('one\ntwo'), call('f', '{"b":1,"a":2}'));
  assert.equal(diffAnswers(was, toAnswer(text('one\ntwo\n'), call('f', '{"a":2,"b":1}')), names), '');
  const diff = diffAnswers(was, toAnswer(text('one\n2'), call('f', '{"a":3,"b":1}')), names);
  assert.match(diff, /^--- old\n\+\+\+ new\n@@/m);
  assert.deepEqual(diff.match(/^[-+] .*|^[-+]\w+/gm), ['-two', '+2', '-  "a": 2,', '+  "a": 3,']);
  const lines = (word: string) => text(Array.from({ length: 40_000 }, (_, n) => `${word} ${n}`).join('\n'));
  assert.ok(diffAnswers(toAnswer(lines('a')), toAnswer(lines('b')), names).length < 110_000);
});

test('a summary has exact costs, quantiles that occurred, and agreement among requests that call tools', () => {
  const side = (cost: bigint, durationMs: number): LoggedAnswer => ({
    requestId: 'req',
    modelId: 'm',
    providerId: 'p',
    finishReason: 'completed',
    cost,
    durationMs,
    outputTokens: 10,
  });
  const compared = [1, 2, 3, 4].map((n): ComparedRequest => ({
    was: side(10n ** 20n + BigInt(n), n * 100),
    now: side(BigInt(n), n * 10),
    tools: (['same', 'same_tools', 'different', 'none'] as const)[n - 1] ?? 'none',
  }));
  const skipped = ['a', 'b', 'b'].map((reason) => ({ requestId: 'req', reason }));
  const summary = summarizeReplay({ compared, failed: [], skipped });
  assert.equal(summary.was.cost, 4n * 10n ** 20n + 10n);
  assert.deepEqual([summary.was.medianMs, summary.was.p95Ms, summary.now.medianMs], [200, 400, 20]);
  assert.deepEqual([summary.toolAgreement, summary.wordsInCommon], [1 / 3, undefined]);
  assert.deepEqual(summary.skipped, [
    ['b', 2],
    ['a', 1],
  ]);
});

test('a busy gateway is asked again when it says so, a bounded number of times; an hour is too long', async () => {
  const row = { finishReason: 'client_error', errorCode: 'rate_limit_exceeded', usage: createUsage({}) };
  const ask = async (statuses: number[], retryAfter: string) => {
    let asked = 0;
    const post = async (): Promise<GatewayAnswer> => {
      const headers = { 'x-request-id': 'req_1', 'retry-after': retryAfter };
      return { status: statuses[Math.min(asked++, statuses.length - 1)] ?? 0, headers, text: '{}' };
    };
    const isAnswered = () => statuses[Math.min(asked, statuses.length) - 1] === 200;
    const found = () =>
      ({ ...row, errorCode: isAnswered() ? undefined : row.errorCode }) as unknown as LogRow;
    const ports = {
      client: { post, close: async () => undefined },
      logs: { find: async () => found() },
      signal: new AbortController().signal,
    };
    const { kind } = await askGateway(ports, { path: '/', headers: {}, body: '' });
    return [kind, asked];
  };
  assert.deepEqual(await ask([429, 503, 200], '0'), ['answered', 3]);
  assert.deepEqual(await ask([429], '0'), ['failed', 5]);
  assert.deepEqual(await ask([503, 200], '3600'), ['failed', 1]);
});
