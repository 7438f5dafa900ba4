import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { type JsonObject, parseJsonObject } from '#base';
import { FORMATS, type FormatId } from '#canonical';
import { getInboundFormat, getOutboundFormat, isFailure, listRequestedTools } from '#wire';
import { CALLS, CODE, STREAMS, WHOLE } from '../../../test/support/codex-answers.ts';
import { createTarget, decodeStream } from '../../../test/support/exchanges.ts';
import {
  createResponsesContext,
  decodeResponses,
  encodeFrames,
  readFrames,
} from '../../../test/support/responses-exchange.ts';
import { listSentToolNames } from '../../../test/support/sent-tool-names.ts';

const RECORDED = new URL('../../../test/support/codex-request.json', import.meta.url);
/** A request of Codex 0.169 with `gpt-6.1-sol`, after two calls of code and two of the clock; texts are shortened. */
const CODEX = parseJsonObject(readFileSync(RECORDED, 'utf8')) ?? {};
const OTHERS = FORMATS.filter((format) => format !== 'responses');
const SAID = { type: 'message', role: 'user', content: 'Go on.' };
const NO_CUSTOM = createTarget('responses', { customTools: false });

const openAt = (format: FormatId, fields: JsonObject) =>
  getOutboundFormat(format).openExchange(decodeResponses(fields), createTarget(format));
const bodyAt = (format: FormatId, fields: JsonObject): JsonObject => openAt(format, fields).body;
const namesAt = (format: FormatId, fields: JsonObject) => listSentToolNames(format, bodyAt(format, fields));

const add = (...tools: JsonObject[]): JsonObject => ({ type: 'additional_tools', tools });
const plain = (name: string, more: JsonObject = {}): JsonObject => ({
  type: 'function',
  name,
  description: 'A tool.',
  strict: false,
  parameters: { type: 'object', properties: {} },
  ...more,
});
const space = (name: string, ...tools: JsonObject[]): JsonObject => ({ type: 'namespace', name, tools });

const CODEX_TOOLS = [
  ...['exec', 'wait', 'request_user_input', 'request_user_input_async'].map((name) => `functions__${name}`),
  'clock__sleep',
  ...['followup_task', 'interrupt_agent', 'list_agents', 'send_message', 'spawn_agent', 'wait_agent'].map(
    (name) => `collaboration__${name}`,
  ),
];

for (const format of OTHERS)
  test(`the tools and calls of Codex's own model are translated to ${format}`, () => {
    const body = bodyAt(format, CODEX);
    assert.deepEqual(listSentToolNames(format, body), CODEX_TOOLS);
    const text = JSON.stringify(body);
    assert.ok(text.includes('pragma_source'), 'the grammar of the code');
    assert.ok(!text.includes('additional_tools'));
    assert.ok(text.includes('the answer is 42') && text.includes('It is 2026-11-26'));
  });

test('an item of tools is no turn, and calls have the names of the tools in it', () => {
  const { system, turns } = decodeResponses(CODEX);
  assert.match(JSON.stringify(system), /You are Codex/);
  assert.deepEqual(
    turns.slice(0, 3).map(({ role }) => role),
    ['user', 'user', 'assistant'],
  );
  const calls = turns.flatMap(({ blocks }) => blocks).filter(({ type }) => type === 'tool-call');
  assert.deepEqual(
    calls.map((call) => 'name' in call && call.name),
    ['functions__exec', 'clock__curr_time', 'functions__exec', 'curr_time'],
  );
});

const CALLED = [
  { type: 'custom_tool_call', call_id: 'call_1', namespace: 'functions', name: 'exec', input: CODE },
  { type: 'function_call', call_id: 'call_2', namespace: 'clock', name: 'sleep', arguments: '{"seconds":1}' },
];

function assertCalls(output: unknown): void {
  const shown = (output as JsonObject[]).map(({ id, status, ...item }) => {
    assert.match(JSON.stringify(id), /^"(?:ctc|fc)_/);
    assert.equal(status, 'completed');
    return item;
  });
  assert.deepEqual(shown, CALLED);
}

for (const [format, answer] of WHOLE)
  test(`a whole answer of ${format} calls the tools by their own names and namespaces`, () => {
    const result = openAt(format, CODEX).decodeResult(answer);
    assert.ok(!isFailure(result));
    const response = getInboundFormat('responses').encodeResult(result, createResponsesContext(CODEX));
    assertCalls(response['output']);
  });

for (const [format, messages] of STREAMS)
  test(`a stream of ${format} calls the tools by their own names and namespaces`, () => {
    const events = decodeStream(openAt(format, CODEX), messages);
    const frames = readFrames(encodeFrames(events, createResponsesContext(CODEX)));
    assertCalls((frames.at(-1)?.['response'] as JsonObject)['output']);
    const done = frames.filter(({ type }) => type === 'response.output_item.done').map(({ item }) => item);
    assertCalls(done);
    const added = frames.filter(({ type }) => type === 'response.output_item.added');
    assert.deepEqual(
      added.map(({ item }) => (item as JsonObject)['namespace']),
      ['functions', 'clock'],
    );
  });

const anyName = fc.constantFrom('f', 'g', 'f_2', 'a__f', 'a__f_2', 'b');
const anyCallable = fc
  .tuple(anyName, fc.boolean())
  .map(([name, isCustom]) => (isCustom ? { type: 'custom', name, description: 'Text.' } : plain(name)));
const anySpace = fc
  .tuple(fc.constantFrom('a', 'a__', 'b', 'a__f'), fc.array(anyCallable, { maxLength: 3 }))
  .map(([name, tools]) => space(name, ...tools));
const anyTools = fc.array(fc.oneof(anyCallable, anySpace), { minLength: 1, maxLength: 8 });
const CONVERSATION = [
  { type: 'message', role: 'developer', content: 'Be kind.' },
  SAID,
  { type: 'custom_tool_call', call_id: 'c1', namespace: 'a', name: 'f', input: 'x' },
  { type: 'custom_tool_call_output', call_id: 'c1', output: 'y' },
  { type: 'function_call', call_id: 'c2', name: 'g', arguments: '{}' },
  { type: 'function_call_output', call_id: 'c2', output: 'z' },
  SAID,
];

test('tools lead to the same request wherever they are listed, under names that differ', () => {
  fc.assert(
    fc.property(
      anyTools,
      fc.array(fc.nat(CONVERSATION.length), { minLength: 2, maxLength: 2 }),
      fc.array(fc.nat(8), { minLength: 2, maxLength: 2 }),
      (tools, places, cuts) => {
        const [from = 0, to = 0] = cuts.toSorted((a, b) => a - b);
        const [first = 0, second = 0] = places.toSorted((a, b) => a - b);
        const input = [
          ...CONVERSATION.slice(0, first),
          add(...tools.slice(from, to)),
          ...CONVERSATION.slice(first, second),
          add(...tools.slice(to)),
          ...CONVERSATION.slice(second),
        ];
        for (const format of OTHERS) {
          const listed = bodyAt(format, { tools, input: CONVERSATION });
          assert.deepEqual(bodyAt(format, { tools: tools.slice(0, from), input }), listed, format);
          const names = listSentToolNames(format, listed);
          assert.equal(new Set(names).size, names.length, format);
        }
      },
    ),
  );
});

test('a tool that is listed again replaces the earlier one', () => {
  const input = [add(space('a', plain('f', { description: 'Old.' }), plain('g'))), SAID];
  const again = add(space('a', plain('f', { description: 'New.' })));
  const body = bodyAt('messages', { input: [...input, again] });
  assert.deepEqual(listSentToolNames('messages', body), ['a__f', 'a__g']);
  assert.match(JSON.stringify(body), /New\./);
  assert.doesNotMatch(JSON.stringify(body), /Old\./);
});

test('a choice finds a tool in an item by its namespace', () => {
  const input = [add(space('a', plain('f')), plain('g')), SAID];
  const choose = (choice: JsonObject) => bodyAt('messages', { input, tool_choice: choice })['tool_choice'];
  assert.deepEqual(choose({ type: 'function', namespace: 'a', name: 'f' }), { type: 'tool', name: 'a__f' });
  const custom = [add(space('a', { type: 'custom', name: 'h' }), plain('g')), SAID];
  const allowed = { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'custom', name: 'h' }] };
  for (const format of OTHERS)
    assert.deepEqual(namesAt(format, { input: custom, tool_choice: allowed }), ['a__h']);
});

test('a hosted tool of an item is seen once, and dropped or refused as one of `tools` is', () => {
  const hosted = (type: string) => ({ input: [add({ type }, plain('f')), SAID] });
  const [requested, ...more] = listRequestedTools(decodeResponses(hosted('web_search')));
  assert.deepEqual(
    [requested?.tool, requested?.param, requested?.isDispensable],
    ['web_search', 'input', false],
  );
  assert.deepEqual(more, []);
  for (const format of OTHERS) {
    assert.deepEqual(namesAt(format, hosted('web_search')), ['f']);
    assert.throws(() => bodyAt(format, hosted('code_interpreter')), {
      code: 'unsupported_feature',
      facts: { param: 'input' },
    });
  }
});

for (const execution of ['client', 'server'])
  test(`a hosted tool that a search of the ${execution} found is dropped or refused as one of \`tools\` is`, () => {
    const call = { type: 'tool_search_call', call_id: 's1', execution, arguments: {}, status: 'completed' };
    const found = (type: string) => ({
      tools: [{ type: 'tool_search', execution, description: 'Finds tools.' }],
      input: [
        SAID,
        call,
        { ...call, type: 'tool_search_output', tools: [{ type }, plain('f'), space('a', plain('g'))] },
      ],
    });
    for (const format of OTHERS) {
      assert.deepEqual(namesAt(format, found('web_search')).slice(0, 2), ['f', 'a__g'], format);
      assert.throws(() => bodyAt(format, found('mcp')), {
        code: 'unsupported_feature',
        message: /mcp/,
        facts: { param: 'input' },
      });
    }
  });

test('an item with malformed tools is refused by the path of the member', () => {
  const many = (count: number, prefix = 'f') =>
    add(...Array.from({ length: count }, (_, at) => plain(`${prefix}${at}`)));
  const refused: [JsonObject[], string][] = [
    [[{ type: 'additional_tools' }], 'input[0].tools'],
    [[SAID, { type: 'additional_tools', tools: 'x' }], 'input[1].tools'],
    [[SAID, add({ type: 'function' })], 'input[1].tools[0].name'],
    [[SAID, add(plain('f'), space('a', { type: 'custom', name: 5 }))], 'input[1].tools[1].tools[0].name'],
    [[add(space('a', { type: 'web_search' }))], 'input[0].tools[0].tools[0].type'],
    [
      [{ type: 'tool_search_output', tools: [plain('f', { parameters: [] })] }],
      'input[0].tools[0].parameters',
    ],
    [[many(10_001)], 'input[0].tools'],
    [[many(6_000), many(6_000, 'g')], 'input'],
  ];
  for (const [input, param] of refused)
    assert.throws(() => decodeResponses({ input }), { code: 'invalid_request', facts: { param } });
  assert.equal(decodeResponses({ input: [many(6_000), many(6_000)] }).tools.length, 6_000);
});

test('OpenAI gets the item as it is, and the options of its tools', () => {
  const body = bodyAt('responses', CODEX);
  assert.deepEqual(body['input'], CODEX['input']);
  assert.equal(body['tools'], undefined);
  assert.equal(body['tool_choice'], 'auto');
  assert.equal(body['parallel_tool_calls'], false);
});

test('a provider of Responses without custom tools gets functions, whose calls return as custom calls', () => {
  const exchange = getOutboundFormat('responses').openExchange(decodeResponses(CODEX), NO_CUSTOM);
  assert.deepEqual(listSentToolNames('responses', exchange.body), CODEX_TOOLS);
  assert.ok(!JSON.stringify(exchange.body).includes('additional_tools'));
  const output = CALLS.map(({ id, name, input }) => ({
    type: 'function_call',
    id: `fc_${id}`,
    call_id: id,
    status: 'completed',
    name,
    arguments: JSON.stringify(input),
  }));
  const result = exchange.decodeResult({ id: 'x', object: 'response', status: 'completed', output });
  assert.ok(!isFailure(result));
  const response = getInboundFormat('responses').encodeResult(result, createResponsesContext(CODEX));
  assertCalls(response['output']);
});
