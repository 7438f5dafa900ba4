import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type JsonObject, isJsonObject } from '#base';
import { type Dialect, type Tool, type ToolChoice, collect } from '#canonical';
import { isFailure } from '../../contract.ts';
import {
  decodeChat,
  encodeChat,
  openChat,
  toChunk,
  toLastChunk,
  CLOSED_SCHEMA as CLOSED,
} from '../../../../test/support/chat-exchange.ts';
import { createForeignRequest } from '../../../../test/support/foreign-request.ts';
import { meetsStrictSubset } from '../../body/strict-schema.ts';

const LONG = `mcp__plugin_server__${'tool_'.repeat(15)}`;

function toolsFor(tools: Tool[], dialect: Partial<Dialect> = {}): JsonObject[] {
  const sent = encodeChat(createForeignRequest({ tools }), dialect)['tools'];
  return Array.isArray(sent) ? sent.filter(isJsonObject) : [];
}

function namesOf(tools: JsonObject[]): unknown[] {
  return tools.map((tool) => isJsonObject(tool['function']) && tool['function']['name']);
}

function native(type: string, name?: string): Tool {
  return {
    type: 'native',
    format: 'messages',
    ...(name !== undefined && { name }),
    value: { type, ...(name !== undefined && { name }) },
  };
}

test('parameters are always an object schema with properties', () => {
  const tools = toolsFor([
    { type: 'function', name: 'a' },
    { type: 'function', name: 'b', inputSchema: { type: 'object' } },
    { type: 'function', name: 'c', inputSchema: { properties: { x: {} } }, deferLoading: true },
  ]);
  assert.deepEqual(
    tools.map((tool) => isJsonObject(tool['function']) && tool['function']['parameters']),
    [
      { type: 'object', properties: {} },
      { type: 'object', properties: {} },
      { type: 'object', properties: { x: {} } },
    ],
  );
});

test('[D-72] strict is passed only where it is understood and the schema is closed', () => {
  const strict = (inputSchema: JsonObject): Tool => ({
    type: 'function',
    name: 'f',
    inputSchema,
    strict: true,
  });
  const given = (tool: Tool, dialect: Partial<Dialect>) =>
    JSON.stringify(toolsFor([tool], dialect)).includes('strict');
  assert.equal(given(strict(CLOSED), { strictTools: true }), true);
  assert.equal(given(strict(CLOSED), {}), false);
  assert.equal(given(strict({ type: 'object', properties: { a: {} } }), { strictTools: true }), false);
  const nested = { ...CLOSED, properties: { a: { type: 'object', properties: { b: { type: 'string' } } } } };
  assert.equal(meetsStrictSubset(nested), false);
  assert.equal(
    meetsStrictSubset({ ...CLOSED, properties: { a: { anyOf: [CLOSED, { type: 'null' }] } } }),
    true,
  );
  assert.equal(meetsStrictSubset({ ...CLOSED, allOf: [] }), false);
});

test('client tools of Anthropic become functions, its server tools are left out', () => {
  const tools = toolsFor([
    native('bash_20250124', 'bash'),
    native('text_editor_20250728', 'str_replace_based_edit_tool'),
    native('memory_20250818', 'memory'),
    native('web_search_20260209', 'web_search'),
    native('tool_search_tool_regex', 'tool_search_tool_regex'),
  ]);
  assert.deepEqual(namesOf(tools), ['bash', 'str_replace_based_edit_tool', 'memory']);
  for (const type of ['computer_20250124', 'computer_toolset_20260801', 'browser_toolset_20260801']) {
    assert.throws(() => toolsFor([native(type)]), { code: 'unsupported_feature', message: new RegExp(type) });
  }
});

test('[D-22] long names are cut with a hash, stay apart, and are used in history and choice alike', () => {
  const other = `${LONG}x`;
  const body = encodeChat(
    createForeignRequest({
      tools: [LONG, other, 'short'].map((name): Tool => ({ type: 'function', name })),
      toolChoice: { type: 'tool', name: other },
      turns: [
        { role: 'assistant', blocks: [{ type: 'tool-call', id: 'a', name: other, input: { json: '{}' } }] },
      ],
    }),
  );
  assert.ok(Array.isArray(body['tools']));
  const names = namesOf(body['tools'].filter(isJsonObject)).map(String);
  assert.equal(new Set(names).size, 3);
  for (const name of names) assert.match(name, /^[\w-]{1,64}$/);
  assert.equal(names[0]?.slice(0, 55), LONG.slice(0, 55));
  assert.equal(names[2], 'short');
  assert.deepEqual(body['tool_choice'], { type: 'function', function: { name: names[1] } });
  assert.ok(JSON.stringify(body['messages']).includes(String(names[1])));
});

test('[D-22] names are restored in a JSON answer and in a stream', () => {
  const request = createForeignRequest({ tools: [{ type: 'function', name: LONG }] });
  const exchange = openChat(request);
  const [tool] = Array.isArray(exchange.body['tools']) ? exchange.body['tools'].filter(isJsonObject) : [];
  const name = namesOf(tool ? [tool] : [])[0];
  const called = { id: 'a', type: 'function', function: { name: String(name), arguments: '{}' } };
  const result = exchange.decodeResult({
    choices: [{ message: { tool_calls: [called] }, finish_reason: 'tool_calls' }],
  });
  assert.ok(!isFailure(result));
  const decoder = exchange.createStreamDecoder();
  const events = [toChunk({ tool_calls: [{ index: 0, ...called }] }), toLastChunk('tool_calls')].flatMap(
    (chunk) => decoder.push({ data: JSON.stringify(chunk) }),
  );
  for (const { blocks } of [result, collect([...events, ...decoder.close()])]) {
    assert.deepEqual(blocks, [{ type: 'tool-call', id: 'a', name: LONG, input: { json: '{}' } }]);
  }
});

test('names with unsupported characters are replaced and restored', () => {
  const exchange = openChat(
    createForeignRequest({
      tools: [
        { type: 'function', name: 'read file.v2' },
        { type: 'function', name: 'read_file_v2' },
      ],
    }),
  );
  const names = namesOf(
    Array.isArray(exchange.body['tools']) ? exchange.body['tools'].filter(isJsonObject) : [],
  );
  assert.equal(new Set(names).size, 2);
  assert.match(String(names[0]), /^read_file_v2_[A-Za-z0-9]{8}$/);
});

test('a tool choice is sent only as far as the target supports it, and only among tools that are sent', () => {
  const tools: Tool[] = [{ type: 'function', name: 'f' }, native('web_search_20260209', 'web_search')];
  const choose = (toolChoice: ToolChoice, dialect: Partial<Dialect> = {}) =>
    encodeChat(createForeignRequest({ tools, toolChoice }), dialect)['tool_choice'];
  assert.equal(choose({ type: 'any' }), 'required');
  assert.equal(choose({ type: 'none' }), 'none');
  assert.deepEqual(choose({ type: 'tool', name: 'f' }), { type: 'function', function: { name: 'f' } });
  assert.equal(choose({ type: 'tool', name: 'web_search' }), 'auto');
  assert.equal(choose({ type: 'any' }, { forcedToolChoice: false }), 'auto');
  assert.equal(choose({ type: 'tool', name: 'f' }, { forcedToolChoice: false }), 'auto');
  assert.equal('tool_choice' in encodeChat(createForeignRequest({ toolChoice: { type: 'any' } })), false);
  assert.throws(
    () => choose({ type: 'native', format: 'messages', value: { type: 'unheard_of' } }),
    /tool_choice/,
  );
});

test('custom tools and allowed_tools of a Chat client are passed on, with names the target accepts', () => {
  const custom = { type: 'custom', custom: { name: 'sql', format: { type: 'text' } } };
  const choice = {
    type: 'allowed_tools',
    allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: LONG } }] },
  };
  const body = encodeChat(
    decodeChat({ tools: [custom, { type: 'function', function: { name: LONG } }], tool_choice: choice }),
  );
  assert.ok(Array.isArray(body['tools']));
  assert.deepEqual(body['tools'][0], custom);
  const sent = namesOf(body['tools'].slice(1).filter(isJsonObject))[0];
  assert.deepEqual(body['tool_choice'], {
    type: 'allowed_tools',
    allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: sent } }] },
  });
  const named = encodeChat(
    decodeChat({ tools: [custom], tool_choice: { type: 'custom', custom: { name: 'sql' } } }),
  );
  assert.deepEqual(named['tool_choice'], { type: 'custom', custom: { name: 'sql' } });
});

test('[D-75] a cache mark on a tool is sent if the dialect has one', () => {
  const [tool] = toolsFor([{ type: 'function', name: 'f', cache: { ttl: '1h' } }], {
    cacheMarks: 'cache_control',
  });
  assert.deepEqual(tool?.['cache_control'], { type: 'ephemeral', ttl: '1h' });
  assert.doesNotMatch(JSON.stringify(toolsFor([{ type: 'function', name: 'f', cache: {} }])), /cache/);
});
