import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type JsonObject, parseJsonObject } from '#base';
import { type GenerationEvent, type GenerationResult, collect } from '#canonical';
import { decodeAs } from '../../../../test/support/decode-as.ts';
import { openResponses } from '../../../../test/support/responses-upstream.ts';

const TOOLS = ['weather', 'get_time'].map((name) => ({ name, input_schema: { type: 'object' } }));
const exchange = openResponses(decodeAs('messages', { tools: TOOLS }));

const CREATED = {
  type: 'response.created',
  response: { id: 'resp_1', model: 'upstream', status: 'in_progress' },
};

function decode(...events: JsonObject[]): GenerationEvent[] {
  const decoder = exchange.createStreamDecoder();
  return [...events.flatMap((event) => decoder.push({ data: JSON.stringify(event) })), ...decoder.close()];
}

function complete(...events: JsonObject[]): GenerationResult {
  return collect(decode(CREATED, ...events, end()));
}

function end(fields: JsonObject = {}): JsonObject {
  return {
    type: 'response.completed',
    response: { id: 'resp_1', status: 'completed', output: [], ...fields },
  };
}

function added(index: number, item: JsonObject): JsonObject {
  return { type: 'response.output_item.added', output_index: index, item };
}

function done(index: number, item: JsonObject): JsonObject {
  return { type: 'response.output_item.done', output_index: index, item };
}

function call(fields: JsonObject = {}): JsonObject {
  return { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'weather', arguments: '', ...fields };
}

function delta(index: number, text: string): JsonObject {
  return { type: 'response.function_call_arguments.delta', output_index: index, delta: text };
}

function callsOf({ blocks }: GenerationResult): unknown[] {
  return blocks.flatMap((block) =>
    block.type === 'tool-call' ? [[block.id, block.name, 'json' in block.input ? block.input.json : '']] : [],
  );
}

function failureOf(events: GenerationEvent[]): unknown {
  const last = events.at(-1);
  return last?.type === 'generation-error' ? last.failure.kind : last?.type;
}

test('[D-63] an error before any item is the only event, so that another provider may still answer', () => {
  const error = {
    type: 'error',
    error: { type: 'insufficient_quota', code: 'insufficient_quota', message: 'No.' },
  };
  assert.deepEqual(
    decode(CREATED, { type: 'response.in_progress', response: {} }, error).map(({ type }) => type),
    ['generation-error'],
  );
});

test('errors are classified in every form', () => {
  const failed = (code: string): JsonObject => ({
    type: 'response.failed',
    response: { status: 'failed', error: { code, message: 'No.' } },
  });
  const kinds: [JsonObject, string][] = [
    [failed('server_error'), 'broken'],
    [failed('rate_limit_exceeded'), 'rate-limited'],
    [failed('invalid_prompt'), 'request-refused'],
    [failed('image_content_policy_violation'), 'content-refused'],
    [{ type: 'error', code: 'invalid_api_key', message: 'No.', param: null }, 'credential-refused'],
    [{ error: { message: 'No.', code: 503 } }, 'overloaded'],
    [{ type: 'response.failed', response: { status: 'failed', error: null } }, 'broken'],
    [{ type: 'response.cancelled', response: {} }, 'broken'],
  ];
  for (const [event, kind] of kinds)
    assert.equal(failureOf(decode(CREATED, event)), kind, JSON.stringify(event));
});

test('[D-58] an answer without an end is broken, whatever it held', () => {
  assert.equal(failureOf(decode(CREATED)), 'broken');
  assert.equal(failureOf(decode(CREATED, added(0, call()), delta(0, '{}'), done(0, call()))), 'broken');
  const decoder = exchange.createStreamDecoder();
  assert.equal(failureOf(decoder.push({ data: '[DONE]' })), 'broken');
});

test('what cannot be read is garbled, and nothing follows it', () => {
  const decoder = exchange.createStreamDecoder();
  assert.equal(failureOf(decoder.push({ data: '{"type":' })), 'garbled');
  assert.deepEqual(decoder.push({ data: JSON.stringify(end()) }), []);
  assert.deepEqual(decoder.close(), []);
});

test('[D-12] arguments that arrive only with the done event are sent, a remainder too, and nothing twice', () => {
  const whole = '{"location":"Rome"}';
  const given = { type: 'response.function_call_arguments.done', output_index: 0, arguments: whole };
  const expected = [['call_1', 'weather', whole]];
  assert.deepEqual(callsOf(complete(added(0, call()), given, done(0, call({ arguments: whole })))), expected);
  assert.deepEqual(callsOf(complete(added(0, call()), delta(0, '{"loc'), given)), expected);
  assert.deepEqual(
    callsOf(complete(added(0, call()), delta(0, '{"loc'), done(0, call({ arguments: whole })))),
    expected,
  );
  assert.deepEqual(callsOf(complete(done(0, call({ arguments: whole })))), expected);
  assert.deepEqual(callsOf(complete(delta(0, whole), added(0, call()))), expected, 'announced late');
});

test('[D-13] calls side by side stay apart and keep the order they were announced in', () => {
  const other = call({ id: 'fc_2', call_id: 'call_2', name: 'get_time' });
  const result = complete(
    added(0, call()),
    added(1, other),
    delta(1, '{"b":'),
    delta(0, '{"a":'),
    delta(1, '2}'),
    done(1, { ...other, arguments: '{"b":2}' }),
    delta(0, '1}'),
    done(0, call({ arguments: '{"a":1}' })),
  );
  assert.deepEqual(callsOf(result), [
    ['call_1', 'weather', '{"a":1}'],
    ['call_2', 'get_time', '{"b":2}'],
  ]);
  assert.equal(result.finish.reason, 'tool-calls');
});

test('the first item is sent immediately, not when it is done', () => {
  const decoder = exchange.createStreamDecoder();
  decoder.push({ data: JSON.stringify(CREATED) });
  decoder.push({ data: JSON.stringify(added(0, { type: 'message', id: 'msg_1' })) });
  const events = decoder.push({
    data: JSON.stringify({
      type: 'response.output_text.delta',
      output_index: 0,
      content_index: 0,
      delta: 'Hi',
    }),
  });
  assert.deepEqual(events.at(-1), { type: 'block-delta', index: 0, text: 'Hi' });
});

test('[D-17] a call without arguments has none, in whatever way they are missing', () => {
  for (const args of ['', null, undefined]) {
    const result = exchange.decodeResult({
      status: 'completed',
      output: [call({ arguments: args as null })],
    });
    assert.ok('blocks' in result);
    assert.deepEqual(result.blocks[0]?.type === 'tool-call' && result.blocks[0].input, { json: '{}' });
  }
});

test('calls without ids, or with the same one, get distinct ids', () => {
  const result = complete(done(0, call()), done(1, call()), done(2, call({ id: '', call_id: '' })));
  const ids = callsOf(result).map((given) => (given as string[])[0] ?? '');
  assert.deepEqual(ids.slice(0, 2), ['call_1', 'call_1_2']);
  assert.match(ids[2] ?? '', /^call_\w{22}$/);
});

test('[D-26] arguments cut at the limit are unchanged, and the answer is marked incomplete', () => {
  const response = { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } };
  const events = decode(CREATED, added(0, call()), delta(0, '{"loc'), {
    type: 'response.incomplete',
    response,
  });
  const result = collect(events);
  assert.deepEqual(callsOf(result), [['call_1', 'weather', '{"loc']]);
  assert.deepEqual(result.finish, { reason: 'length', raw: 'max_output_tokens' });
});

test('a wrapper of parallel calls is unwrapped only where it holds nothing but tools of the request', () => {
  const wrap = (...names: string[]): JsonObject =>
    call({
      name: 'parallel',
      arguments: JSON.stringify({
        tool_uses: names.map((name) => ({ recipient_name: name, parameters: { a: 1 } })),
      }),
    });
  assert.deepEqual(callsOf(complete(done(0, wrap('functions.weather', 'functions.get_time')))), [
    ['call_1_1', 'weather', '{"a":1}'],
    ['call_1_2', 'get_time', '{"a":1}'],
  ]);
  const [[, name] = []] = callsOf(complete(done(0, wrap('functions.weather', 'functions.rm')))) as string[][];
  assert.equal(name, 'parallel');
});

test('encrypted reasoning is taken completely from the end of its item', () => {
  const item = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'half' };
  const summary = [{ type: 'summary_text', text: 'Hm.' }];
  const signed = complete(added(0, item), done(0, { ...item, summary, encrypted_content: 'whole' }));
  assert.deepEqual(signed.blocks, [
    {
      type: 'reasoning',
      text: 'Hm.',
      signature: 'whole',
      issuer: 'openai',
      extra: { responses: { id: 'rs_1' } },
    },
  ]);
  const hidden = complete(added(0, item), done(0, { ...item, encrypted_content: 'whole' }));
  assert.deepEqual(hidden.blocks, [
    {
      type: 'reasoning',
      text: '',
      redacted: 'whole',
      issuer: 'openai',
      extra: { responses: { id: 'rs_1' } },
    },
  ]);
});

test('an answer is sent back as the items it consisted of', () => {
  const output = [
    {
      type: 'reasoning',
      id: 'rs_1',
      summary: [{ type: 'summary_text', text: 'Hm.' }],
      encrypted_content: 'gAAAA',
    },
    { type: 'reasoning', id: 'rs_2', summary: [], encrypted_content: 'gBBBB' },
    { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'a' } },
    {
      type: 'message',
      role: 'assistant',
      phase: 'commentary',
      content: [{ type: 'output_text', text: 'b' }],
    },
    { type: 'function_call', call_id: 'call_1', name: 'weather', arguments: '{"a":1}' },
  ];
  const result = exchange.decodeResult({ status: 'completed', output });
  assert.ok('blocks' in result);
  const request = decodeAs('messages', { tools: TOOLS });
  const answer = { type: 'tool-result' as const, callId: 'call_1', blocks: [], isError: false };
  request.turns.push({ role: 'assistant', blocks: result.blocks }, { role: 'user', blocks: [answer] });
  const items = openResponses(request).body['input'] as JsonObject[];
  assert.deepEqual(items.slice(1, -1), output);
});

test('usage is in disjoint parts, and searches are counted', () => {
  const usage = {
    input_tokens: 100,
    input_tokens_details: {
      cached_tokens: 60,
      cache_write_tokens: 30,
      cache_write_tokens_details: { ttl_12h_tokens: 10 },
    },
    output_tokens: 50,
    output_tokens_details: { reasoning_tokens: 40 },
    total_tokens: 150,
  };
  const search = { type: 'web_search_call', id: 'ws_1', action: { type: 'search' } };
  const opened = { ...search, id: 'ws_2', action: { type: 'open_page' } };
  const output = [search, opened];
  const result = exchange.decodeResult({ status: 'completed', output, usage });
  assert.deepEqual('blocks' in result && result.usage, {
    inputUncached: 10,
    inputCacheRead: 60,
    inputCacheWrite5m: 20,
    inputCacheWrite1h: 10,
    inputAudio: 0,
    inputImage: 0,
    outputText: 10,
    outputReasoning: 40,
    outputAudio: 0,
    outputImage: 0,
    webSearches: 1,
  });
});

test('searches of X are counted by the posts and users fetched, by the calls only where nothing was', () => {
  const toolsFor = (details: JsonObject) => {
    const usage = { input_tokens: 1, output_tokens: 1, server_side_tool_usage_details: details };
    const result = exchange.decodeResult({ status: 'completed', output: [], usage });
    return 'blocks' in result ? result.tools : undefined;
  };
  const search = (kind: string, count: number) => ({ tool: 'x_search', kind, count });
  assert.deepEqual(toolsFor({ x_search_calls: 2 }), [search('calls', 2)]);
  assert.deepEqual(toolsFor({ x_search_calls: 2, x_posts_fetched: 1 }), [search('posts', 1)]);
  assert.deepEqual(toolsFor({ x_search_calls: 2, x_users_fetched: 3 }), [search('users', 3)]);
  const both = toolsFor({ x_search_calls: 2, x_posts_fetched: 1, x_users_fetched: 3 });
  assert.deepEqual(both, [search('posts', 1), search('users', 3)]);
});

test('an event that is relayed unchanged keeps the text it came in', () => {
  const decoder = openResponses(decodeAs('responses')).createStreamDecoder();
  decoder.push({ data: JSON.stringify(CREATED) });
  decoder.push({ data: JSON.stringify(added(0, { type: 'message', id: 'msg_1', role: 'assistant' })) });
  const relayed = (data: string) => decoder.push({ data }).find((event) => event.type === 'relay')?.data;
  const part = '"output_index":0, "content_index":0';
  const text = `{"type":"response.output_text.delta", ${part}, "delta":"\\u0041"}`;
  assert.equal(relayed(text), text);
  const cited = `{"type":"response.output_text.annotation.added", ${part}, "annotation":{"type":"url_citation","url":"https://a.b"}}`;
  assert.equal(relayed(cited), undefined);
});

test('[D-7] reasoning that an upstream leaves out of its output is counted beside it', () => {
  const usage = {
    input_tokens: 10,
    output_tokens: 2,
    output_tokens_details: { reasoning_tokens: 340 },
    total_tokens: 352,
  };
  const result = exchange.decodeResult({ status: 'completed', output: [], usage });
  assert.deepEqual('blocks' in result && [result.usage?.outputText, result.usage?.outputReasoning], [2, 340]);
});

test('a body that is no answer is a failure: an error, a response that failed or is not over, anything else', () => {
  const bodies: [string, string][] = [
    ['{"error":{"message":"No.","type":"invalid_request_error"}}', 'request-refused'],
    ['{"status":"failed","output":[],"error":{"code":"server_error","message":"No."}}', 'broken'],
    ['{"status":"queued","output":[]}', 'garbled'],
    ['{"status":"cancelled","output":[]}', 'broken'],
    ['{}', 'garbled'],
  ];
  for (const [text, kind] of bodies) {
    const result = exchange.decodeResult(parseJsonObject(text) ?? {});
    assert.equal('kind' in result && result.kind, kind, text);
  }
});
