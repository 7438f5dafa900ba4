import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base';
import type { Dialect } from '#canonical';
import { decodeAs } from '../../../../test/support/decode-as.ts';
import {
  createResponsesTarget,
  inputOf,
  openResponses,
} from '../../../../test/support/responses-upstream.ts';
import { textOf } from '../../body/read-answer.ts';

const INPUT: JsonObject[] = [
  { role: 'developer', content: 'Be brief.' },
  { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'a' }] },
  { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAAA' },
  { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'a' } },
  {
    type: 'message',
    id: 'msg_1',
    role: 'assistant',
    phase: 'commentary',
    content: [{ type: 'output_text', text: 'b' }],
  },
  { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'f', arguments: '{}', namespace: 'mcp__x' },
  { type: 'function_call_output', call_id: 'call_1', output: 'c' },
];
const TOOLS: JsonObject[] = [
  { type: 'function', name: 'g', parameters: { type: 'object', properties: {} } },
  {
    type: 'namespace',
    name: 'mcp__x',
    description: 'x',
    tools: [{ type: 'function', name: 'f', parameters: {} }],
  },
  { type: 'web_search', filters: { allowed_domains: ['example.com'] } },
];

function send(fields: JsonObject, target = createResponsesTarget()): JsonObject {
  return openResponses(decodeAs('responses', fields), target).body;
}

test('items and tools of a Responses client are passed on as the same values', () => {
  const choice = { type: 'function', name: 'g' };
  const body = send({ input: INPUT, tools: TOOLS, instructions: 'Hi.', tool_choice: choice });
  assert.equal(body['instructions'], 'Hi.');
  assert.equal(body['tools'], TOOLS);
  assert.deepEqual(body['tool_choice'], choice);
  inputOf(body).forEach((item, at) => assert.equal(item, INPUT[at]));
});

test('fields that the gateway sets and unknown fields are not sent on', () => {
  const body = send({
    store: true,
    background: false,
    previous_response_id: 'resp_1',
    stream_options: { include_obfuscation: true },
    made_up: 1,
    metadata: { a: 'b' },
    truncation: 'auto',
    prompt_cache_key: 'k',
    include: ['web_search_call.action.sources'],
    reasoning: { effort: 'max', summary: 'detailed', context: 'all_turns' },
    text: { verbosity: 'low' },
    user: 'someone',
  });
  assert.deepEqual(body, {
    model: 'upstream-model',
    input: 'Hello.',
    text: { verbosity: 'low' },
    reasoning: { summary: 'detailed', context: 'all_turns', effort: 'high' },
    include: ['web_search_call.action.sources', 'reasoning.encrypted_content'],
    user: 'someone',
    prompt_cache_key: 'k',
    metadata: { a: 'b' },
    truncation: 'auto',
    store: false,
  });
});

test('reasoning of another or unknown issuer is omitted; the seal on the upstream’s own is removed', () => {
  const reasoning = (secret?: string): JsonObject => ({
    type: 'reasoning',
    id: 'rs_1',
    summary: [],
    ...(secret !== undefined && { encrypted_content: secret }),
  });
  const input = [
    ...INPUT.slice(0, 2),
    reasoning('gAAAA'),
    reasoning('sluice.xai.signed:xxxx'),
    reasoning('sluice.anthropic.redacted:aaaa'),
    reasoning(),
    ...INPUT.slice(4),
  ];
  const secretsOf = (body: JsonObject): unknown[] =>
    inputOf(body)
      .filter(({ type }) => type === 'reasoning')
      .map((item) => item['encrypted_content']);
  assert.deepEqual(secretsOf(send({ input })), ['gAAAA']);
  assert.deepEqual(secretsOf(send({ input }, createResponsesTarget({ issuer: 'xai' }))), ['xxxx']);
  const plain = createResponsesTarget({}, { reasoning: false });
  assert.deepEqual(secretsOf(send({ input }, plain)), [], 'nor is any sent to a model without reasoning');
});

test('a request that the upstream would refuse is rewritten: names and ids that do not fit, unsupported tools', () => {
  const input = [
    { role: 'user', content: 'a' },
    { type: 'function_call', call_id: 'functions.f:0', name: 'f', arguments: '' },
    { type: 'function_call_output', call_id: 'functions.f:0', output: 'c' },
  ];
  const [, call, output] = inputOf(send({ input }));
  assert.match(textOf(call?.['call_id']), /^call_\w+$/);
  assert.equal(call?.['arguments'], '{}');
  assert.equal(output?.['call_id'], call['call_id']);
  const custom = [{ type: 'custom', name: 'patch' }];
  const lowered = send({ tools: custom }, createResponsesTarget({ customTools: false }));
  assert.equal((lowered['tools'] as JsonObject[]).map(({ type }) => type)[0], 'function');
});

test('a rewritten request keeps native items, the phases of messages, and namespaces in flat names', () => {
  const bad = { type: 'function_call', call_id: 'bad:id', name: 'g', arguments: '{}' };
  const input = [...INPUT, bad, { type: 'function_call_output', call_id: 'bad:id', output: 'd' }];
  const body = send({ input, tools: TOOLS });
  assert.equal(body['instructions'], 'Be brief.');
  const items = inputOf(body);
  assert.deepEqual(items[1], { ...INPUT[2] });
  assert.equal(items[2], INPUT[3]);
  assert.deepEqual(items[3], {
    type: 'message',
    role: 'assistant',
    content: [{ type: 'output_text', text: 'b' }],
    phase: 'commentary',
  });
  assert.equal(items[4]?.['name'], 'mcp__x__f');
  assert.deepEqual(
    (body['tools'] as JsonObject[]).map(({ type, name }) => [type, name]),
    [
      ['function', 'g'],
      ['function', 'mcp__x__f'],
      ['web_search', undefined],
    ],
  );
});

test('a provider without custom tools gets the results of functions as they are', () => {
  const { input } = send({ input: INPUT }, createResponsesTarget({ customTools: false }));
  assert.equal((input as JsonObject[]).at(-1), INPUT.at(-1));
});

test('an effort is left out for a provider that takes none; the other reasoning options are sent', () => {
  const reasoning = { effort: 'high', summary: 'detailed' };
  const body = send({ reasoning }, createResponsesTarget({ efforts: [] }));
  assert.deepEqual(body['reasoning'], { summary: 'detailed' });
});

test('a request is sent on as it is exactly where the dialect supports all of it', () => {
  const long = 'f'.repeat(65);
  const user = (...content: JsonObject[]): JsonObject => ({ role: 'user', content });
  const said = { type: 'input_text', text: 'a' };
  const picture = (url: string) => ({ type: 'input_image', image_url: url });
  const inline = picture('data:image/png;base64,A');
  const misspelt = picture('data:image/jpg;base64,A');
  const marked = { ...said, cache_control: { type: 'ephemeral' } };
  const call = { type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' };
  const result = { type: 'function_call_output', call_id: 'a', output: 'x' };
  const customCall = { type: 'custom_tool_call', call_id: 'a', name: 'f', input: 'x' };
  const customResult = { type: 'custom_tool_call_output', call_id: 'a', output: 'x' };
  const f = { type: 'function', name: 'f', parameters: {} };
  const custom = { type: 'custom', name: 'f' };
  const strict = { ...f, strict: true };
  const within = (...tools: JsonObject[]) => ({ type: 'namespace', name: 'n', description: 'x', tools });
  const added = (...tools: JsonObject[]) => ({ type: 'additional_tools', role: 'developer', tools });
  const plain = { media: { image: true, imageUrl: false, document: false, audio: false } };
  const cases: [string, JsonObject[], JsonObject[], Partial<Dialect>, boolean][] = [
    ['call and result', [call, result], [f], {}, true],
    ['long name', [{ ...call, name: long }, result], [], {}, false],
    ['long name accepted', [{ ...call, name: long }, result], [], { maxToolName: 128 }, true],
    ['empty arguments', [{ ...call, arguments: '' }, result], [], {}, false],
    ['odd id', [{ ...call, call_id: 'a:0' }], [], {}, false],
    ['odd id of a result', [{ ...result, call_id: 'a:0' }], [], {}, false],
    ['foreign mark', [user(marked)], [], {}, false],
    ['own mark', [user(marked)], [], { cacheMarks: 'cache_control' }, true],
    ['text and inline picture where nothing else is accepted', [user(said, inline)], [], plain, true],
    ['picture with a misspelt type', [user(misspelt)], [], {}, false],
    ['the same in a result', [call, { ...result, output: [misspelt] }], [], {}, false],
    ['file', [user({ type: 'input_file', file_id: 'f' })], [], {}, true],
    ['custom call', [customCall], [], { customTools: false }, false],
    ['custom call accepted', [customCall, customResult], [custom], {}, true],
    ['custom call with an odd id', [{ ...customCall, call_id: 'a:0' }], [], {}, false],
    ['custom result', [customResult], [], { customTools: false }, false],
    ['custom tool', [user(said)], [custom], { customTools: false }, false],
    ['strict tool', [user(said)], [strict], { strictTools: false }, false],
    ['strict tool accepted', [user(said)], [strict], {}, true],
    ['lenient tool', [user(said)], [{ ...f, strict: false }], { strictTools: false }, true],
    ['tool with a long name', [user(said)], [{ ...f, name: long }], {}, false],
    ['custom tool with a long name', [user(said)], [{ ...custom, name: long }], {}, false],
    ['tool of a namespace', [user(said)], [within(f)], {}, true],
    ['tool of a namespace with a long name', [user(said)], [within(f, { ...f, name: long })], {}, false],
    ['tools of an item', [added(f), user(said)], [], {}, true],
    ['tools of an item with a long name', [added({ ...f, name: long }), user(said)], [], {}, false],
    ['tools of an item elsewhere', [added(f), user(said)], [], { customTools: false }, false],
    ['instructions refused', [user(said)], [], { refusedFields: ['instructions'] }, false],
  ];
  for (const [name, input, tools, dialect, isVerbatim] of cases)
    assert.equal(send({ input, tools }, createResponsesTarget(dialect))['input'] === input, isVerbatim, name);
  const file = user({ type: 'input_file', file_id: 'f' });
  assert.throws(() => send({ input: [file] }, createResponsesTarget(plain)), /documents/);
});
