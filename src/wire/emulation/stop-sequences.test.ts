import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { JsonObject } from '#base';
import {
  type CanonicalRequest,
  GEMINI_DIALECT,
  type GenerationResult,
  RESPONSES_DIALECT,
  type Target,
  collect,
  toEvents,
} from '#canonical';
import { measureProcessorMs } from '../../../test/support/processor-time.ts';
import { getInboundFormat, getOutboundFormat } from '../formats.ts';
import type { OutboundFormat } from '../contract.ts';
import { isFailure } from '../contract.ts';
import { withStopSequences } from './stop-sequences.ts';

const TARGET: Target = {
  providerId: 'p',
  externalId: 'u',
  dialect: { ...RESPONSES_DIALECT, maxStopSequences: 1 },
  reasoning: false,
};

function ask(stopSequences: string[]): CanonicalRequest {
  const body = { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'Hello.' }] };
  return getInboundFormat('messages').decodeRequest({ ...body, stop_sequences: stopSequences }, {});
}

/** A format with a fixed answer: whole, or as text in pieces. */
function createFormat(result: GenerationResult, pieces: readonly string[]): OutboundFormat {
  const [start, opening, , ...rest] = toEvents(result);
  const deltas = pieces.map((text) => ({ type: 'block-delta', index: 0, text }) as const);
  return {
    id: 'responses',
    decodeFailure: () => ({ kind: 'broken', message: '' }),
    openExchange: (request) => ({
      path: '/x',
      headers: {},
      body: { stop: request.stopSequences },
      decodeResult: () => result,
      createStreamDecoder: () => {
        const events = [start, opening, ...deltas, ...rest].filter((event) => event !== undefined);
        return { push: () => events.splice(0, 1), close: () => [] };
      },
    }),
  };
}

function answer(text: string): GenerationResult {
  return {
    id: 'a',
    model: 'u',
    blocks: [
      { type: 'text', text },
      { type: 'tool-call', id: 'call_1', name: 'f', input: { json: '{}' } },
    ],
    finish: { reason: 'tool-calls', raw: 'completed' },
  };
}

function readBoth(pieces: string[], stop: string[]): { whole: GenerationResult; streamed: GenerationResult } {
  const exchange = withStopSequences(createFormat(answer(pieces.join('')), pieces)).openExchange(
    ask(stop),
    TARGET,
  );
  const whole = exchange.decodeResult({});
  assert.ok(!isFailure(whole));
  const decoder = exchange.createStreamDecoder();
  const events = Array.from({ length: pieces.length + 9 }, () => decoder.push({ data: '' })).flat();
  return { whole, streamed: collect(events) };
}

test('an answer ends at a stop sequence that its upstream was not sent, however it is split', () => {
  const { whole, streamed } = readBoth(['one E', 'N', 'D two'], ['x', 'END']);
  assert.deepEqual(whole.blocks, [{ type: 'text', text: 'one ' }]);
  assert.deepEqual(whole.finish, { reason: 'stop-sequence', raw: 'completed', stopSequence: 'END' });
  assert.deepEqual(streamed, whole);
});

test('an answer that begins with a stop sequence is empty', () => {
  const { whole, streamed } = readBoth(['END', ' two'], ['x', 'END']);
  assert.deepEqual(whole.blocks, []);
  assert.deepEqual(streamed, whole);
});

test('what only looks like the beginning of a stop sequence is shown', () => {
  const { whole, streamed } = readBoth(['one E', 'N'], ['x', 'END']);
  assert.deepEqual(whole, answer('one EN'));
  assert.deepEqual(streamed, whole);
});

test('stop sequences that the upstream supports are left to it', () => {
  const { whole } = readBoth(['one x two'], ['x']);
  assert.deepEqual(whole, answer('one x two'));
});

test('streamed and whole, an answer is cut at the same place, wherever its pieces end', () => {
  const letters = fc.constantFrom('a', 'b', 'ab', 'ba', 'aab', 'c');
  fc.assert(
    fc.property(
      fc.array(letters, { minLength: 1, maxLength: 8 }),
      fc.array(fc.stringMatching(/^[ab]{1,4}$/), { minLength: 1, maxLength: 3 }),
      (pieces, sequences) => {
        const { whole, streamed } = readBoth(pieces, ['x', ...sequences]);
        assert.deepEqual(streamed, whole);
        const text = whole.blocks[0]?.type === 'text' ? whole.blocks[0].text : '';
        assert.ok(sequences.every((sequence) => !text.includes(sequence)));
      },
    ),
    { numRuns: 1000 },
  );
});

test('an answer ends at the sequence that is complete first, and of those that end together at the longest', () => {
  const findPlainly = (text: string, sequences: string[]): [string, string | undefined] => {
    for (let end = 1; end <= text.length; end += 1) {
      const ended = sequences.filter((sequence) => text.slice(0, end).endsWith(sequence));
      const longest = ended.sort((a, b) => b.length - a.length)[0];
      if (longest !== undefined) return [text.slice(0, end - longest.length), longest];
    }
    return [text, undefined];
  };
  const letters = fc.constantFrom('a', 'b', 'ab', 'aab', 'é', '🙂');
  fc.assert(
    fc.property(
      fc.array(letters, { minLength: 1, maxLength: 12 }),
      fc.array(fc.stringMatching(/^[abé]{1,5}$/), { minLength: 1, maxLength: 6 }),
      (pieces, sequences) => {
        const { streamed } = readBoth(pieces, ['x', ...sequences]);
        const [text, sequence] = findPlainly(pieces.join(''), sequences);
        assert.equal(streamed.blocks[0]?.type === 'text' ? streamed.blocks[0].text : '', text);
        assert.equal(streamed.finish.stopSequence, sequence);
      },
    ),
    { numRuns: 1000 },
  );
});

test('[P5] neither one long similar stop sequence nor thousands of them block other requests', async () => {
  const like = 'a'.repeat(60_000);
  const tookMs = await measureProcessorMs(() => {
    const { whole, streamed } = readBoth([`${like}c`, like, 'c'], ['x', `${like}b`]);
    assert.deepEqual(whole, answer(`${like}c${like}c`));
    assert.deepEqual(streamed, whole);
    const many = Array.from({ length: 8_000 }, (_, number) => `s${number}!`);
    const pieces = Array.from({ length: 2_000 }, () => 'some s12 more ');
    assert.deepEqual(readBoth(pieces, ['x', ...many]).streamed, answer(pieces.join('')));
  });
  assert.ok(tookMs < 5_000, `${tookMs} ms`);
});

test('[I5] more sequences than can be watched for are refused', () => {
  const endless = Array.from({ length: 100_000 }, (_, number) => `stop ${number}`);
  assert.throws(() => readBoth(['one'], endless), /at most 65536 characters/);
});

test('[D-35] Responses has no stop: its answers still end at the stop sequence', () => {
  const exchange = getOutboundFormat('responses').openExchange(ask(['END']), {
    ...TARGET,
    dialect: RESPONSES_DIALECT,
  });
  assert.equal(exchange.body['stop'], undefined);
  const content: JsonObject[] = [{ type: 'output_text', text: 'one END two' }];
  const body = { id: 'r', status: 'completed', output: [{ type: 'message', role: 'assistant', content }] };
  const result = exchange.decodeResult(body);
  assert.ok(!isFailure(result));
  assert.equal(result.finish.stopSequence, 'END');
  assert.deepEqual(result.blocks, [{ type: 'text', text: 'one ' }]);
});

test('a sequence of white space, which Anthropic and Bedrock refuse, is watched for', () => {
  const body = { model: 'm', messages: [{ role: 'user', content: 'Hello.' }], stop: ['END', '\n'] };
  const request = getInboundFormat('chat').decodeRequest(body, {});
  const target = { ...TARGET, dialect: { ...TARGET.dialect, maxStopSequences: 4 } };
  const opened = getOutboundFormat('messages').openExchange(request, target);
  assert.deepEqual(opened.body['stop_sequences'], ['END']);
  const content = [{ type: 'text', text: 'one\ntwo' }];
  const result = opened.decodeResult({ id: 'msg_1', model: 'u', content, stop_reason: 'end_turn' });
  assert.ok(!isFailure(result));
  assert.deepEqual(result.blocks, [{ type: 'text', text: 'one' }]);
  assert.equal(result.finish.stopSequence, '\n');
  const converse = getOutboundFormat('converse').openExchange(request, target);
  assert.deepEqual(converse.body['inferenceConfig'], { stopSequences: ['END'] });
  const said = { output: { message: { content: [{ text: 'one\ntwo' }] } }, stopReason: 'end_turn' };
  const given = converse.decodeResult(said);
  assert.deepEqual(!isFailure(given) && given.blocks, [{ type: 'text', text: 'one' }]);
});

test('searches that a stream reports after the stop sequence are billed, also if it is cut', () => {
  const target = { ...TARGET, dialect: { ...GEMINI_DIALECT, maxStopSequences: 1 } };
  const decoder = getOutboundFormat('gemini')
    .openExchange(ask(['x', 'END']), target)
    .createStreamDecoder();
  const give = (candidate: JsonObject) => decoder.push({ data: JSON.stringify({ candidates: [candidate] }) });
  give({ content: { role: 'model', parts: [{ text: 'one END two' }] } });
  const events = give({ groundingMetadata: { webSearchQueries: ['cats', 'dogs'] } });
  assert.deepEqual(events, [{ type: 'tools-used', tools: [{ tool: 'google_search', count: 2 }] }]);
  assert.equal(decoder.close().at(-1)?.type, 'generation-error');
});

test('where only blank sequences are refused, the provider is sent the others and the gateway watches for the blank', () => {
  const format = withStopSequences(createFormat(answer('a END b\nc'), []), { refusesBlank: true });
  const read = (stop: string[]): unknown => {
    const dialect = { ...TARGET.dialect, maxStopSequences: 4 };
    const whole = format.openExchange(ask(stop), { ...TARGET, dialect }).decodeResult({});
    assert.ok(!isFailure(whole));
    const [block] = whole.blocks;
    return block?.type === 'text' && block.text;
  };
  assert.equal(read(['END']), 'a END b\nc', 'the provider would have ended it');
  assert.equal(read(['END', '\n']), 'a END b');
});
