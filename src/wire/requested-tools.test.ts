import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base';
import type { ClientFormatId, Tool } from '#canonical';
import { decodeMessages } from '../../test/support/messages-exchange.ts';
import {
  type RequestedTool,
  changeTools,
  findMostCalls,
  includesToolType,
  listRequestedTools,
} from './requested-tools.ts';
import { decodeAs } from '../../test/support/decode-as.ts';
import { listSentTools } from './sent-tools.ts';

test('a search is sent to Gemini as its own, except beside functions, with which Gemini refuses it', () => {
  const listSent = (...siblings: Tool[]): string[] => {
    const request = decodeMessages({ tools: [{ type: 'web_search_20250305', name: 'web_search' }] });
    request.tools.push(...siblings);
    return listSentTools(listRequestedTools(request), request, 'gemini').map(({ tool }) => tool);
  };
  assert.deepEqual(listSent(), ['google_search']);
  assert.deepEqual(listSent({ type: 'function', name: 'f' }), []);
});

const tool = (name: string, more: Partial<RequestedTool> = {}): RequestedTool => ({
  tool: name,
  type: name,
  answers: [name],
  param: 'tools',
  isDispensable: false,
  ...more,
});
const says = (block: JsonObject) => ({ messages: [{ role: 'user', content: [block] }] });
const shell = (environment?: JsonObject) => ({
  tools: [{ type: 'shell', ...(environment && { environment }) }],
});

const REQUESTED: readonly (readonly [
  format: ClientFormatId,
  fields: JsonObject,
  requested: readonly RequestedTool[],
])[] = [
  ['chat', {}, []],
  ['chat', { web_search_options: null }, []],
  [
    'chat',
    { web_search_options: {} },
    [tool('web_search_options', { answers: ['web_search', 'live_search'], param: 'web_search_options' })],
  ],
  [
    'chat',
    { web_search_options: { search_context_size: 'high' } },
    [
      tool('web_search_options', {
        answers: ['web_search', 'live_search'],
        param: 'web_search_options',
        kind: 'high',
      }),
    ],
  ],
  ['responses', { web_search_options: {} }, []],
  [
    'messages',
    { tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 3 }] },
    [tool('web_search', { type: 'web_search_20250305', most: 3 })],
  ],
  [
    'messages',
    {
      tools: [
        { type: 'bash_20250124', name: 'bash' },
        { name: 'f', input_schema: { type: 'object' } },
      ],
    },
    [],
  ],
  [
    'messages',
    says({
      type: 'tool_addition',
      tool: { type: 'tool_definition', definition: { type: 'web_fetch_20250910' } },
    }),
    [tool('web_fetch', { type: 'web_fetch_20250910', param: 'messages' })],
  ],
  ['messages', says({ type: 'tool_addition', tool: { type: 'tool_reference', tool_name: 'f' } }), []],
  [
    'responses',
    { tools: [{ type: 'web_search_preview_2025_03_11' }, { type: 'web_search' }] },
    [
      tool('web_search_preview', {
        type: 'web_search_preview_2025_03_11',
        answers: ['web_search'],
        isDispensable: true,
      }),
      tool('web_search', { isDispensable: true }),
    ],
  ],
  [
    'responses',
    { tools: [{ type: 'image_generation', model: 'gpt-image-1', quality: 'high', size: '1024x1024' }] },
    [tool('image_generation', { exact: 'image_tokens', kind: 'gpt-image-1:high:1024x1024' })],
  ],
  ['responses', { tools: [{ type: 'local_shell' }, { type: 'tool_search' }] }, []],
  ['responses', shell(), []],
  ['responses', shell({ type: 'local' }), []],
  ['responses', shell({ type: 'container_auto', memory_limit: '4g' }), [tool('shell', { kind: '4g' })]],
  [
    'responses',
    shell({ type: 'container_reference', container_id: 'c' }),
    [tool('shell', { kind: 'existing' })],
  ],
  [
    'responses',
    { tools: [{ type: 'code_interpreter', container: 'c' }] },
    [tool('code_interpreter', { kind: 'existing' })],
  ],
  [
    'responses',
    { tools: [{ type: 'code_interpreter', container: { type: 'auto', memory_limit: '16g' } }] },
    [tool('code_interpreter', { kind: '16g' })],
  ],
  [
    'responses',
    {
      input: [{ type: 'additional_tools', tools: [{ type: 'web_search' }, { type: 'function', name: 'f' }] }],
    },
    [tool('web_search', { param: 'input' })],
  ],
  ['gemini', { tools: [{ googleSearch: {} }] }, [tool('google_search')]],
  [
    'gemini',
    { tools: [{ codeExecution: {} }] },
    [tool('code_execution', { answers: ['code_execution', 'code_interpreter'] })],
  ],
  ['gemini', { tools: [{ computerUse: {} }] }, []],
  ['gemini', { web_search_options: {} }, []],
  ['messages', { web_search_options: {} }, []],
  ['responses', { web_search_options: {} }, []],
];

for (const [format, fields, requested] of REQUESTED)
  test(`a ${format} request asks for hosted tools by ${JSON.stringify(fields)}`, () => {
    assert.deepEqual(listRequestedTools(decodeAs(format, fields)), requested);
  });

test('a limit on uses is a number of uses, rounded up and at most a million; another limits nothing', () => {
  const mostOf = (uses: number) =>
    listRequestedTools(
      decodeMessages({ tools: [{ type: 'web_search_20250305', name: 'w', max_uses: uses }] }),
    )[0]?.most;
  assert.deepEqual([0, 0.5, 7, 1_000_000, 1_000_001].map(mostOf), [0, 1, 7, 1_000_000, 1_000_000]);
  assert.equal(mostOf(-1), undefined, 'a negative limit reduces no hold');
  assert.equal(findMostCalls(decodeAs('responses', { max_tool_calls: 3 })), 3);
  assert.equal(findMostCalls(decodeAs('responses', {})), undefined);
  assert.equal(findMostCalls(decodeAs('chat', { max_tool_calls: 3 })), undefined, 'another format');
});

test('tools that are dropped are neither sent nor decoded, and the original stays as it is', () => {
  const given = [{ type: 'web_search' }, { type: 'code_interpreter', container: 'c' }];
  const request = decodeAs('responses', { tools: given });
  const changed = changeTools(request, { dropped: new Set(['web_search']), most: new Map() });
  assert.deepEqual(changed.origin.body['tools'], [given[1]]);
  assert.deepEqual(listRequestedTools(changed), [tool('code_interpreter', { kind: 'existing' })]);
  assert.equal(listRequestedTools(request).length, 2);
  const beside = decodeAs('messages', {
    tools: [
      { type: 'web_search_20250305', name: 'web_search' },
      { name: 'f', input_schema: { type: 'object' } },
    ],
  });
  const [kept, ...others] = changeTools(beside, { dropped: new Set(['web_search']), most: new Map() }).tools;
  assert.deepEqual([kept?.type === 'function' && kept.name, others], ['f', []]);
  const same = changeTools(request, { dropped: new Set(), most: new Map() });
  assert.equal(same, request);
});

test('a limit of uses is set where the caller set none, by tool for Messages and for all together else', () => {
  const most = new Map([
    ['web_search', 5],
    ['web_fetch', 2],
  ]);
  const changed = changeTools(
    decodeAs('messages', {
      tools: [
        { type: 'web_search_20250305', name: 'web_search' },
        { type: 'web_fetch_20250910', name: 'web_fetch', max_uses: 1 },
        { type: 'code_execution_20250825', name: 'code_execution' },
      ],
    }),
    { dropped: new Set(), most },
  );
  assert.deepEqual(changed.origin.body['tools'], [
    { type: 'web_search_20250305', name: 'web_search', max_uses: 5 },
    { type: 'web_fetch_20250910', name: 'web_fetch', max_uses: 1 },
    { type: 'code_execution_20250825', name: 'code_execution' },
  ]);
  const all = changeTools(decodeAs('responses', { tools: [{ type: 'web_search' }] }), {
    dropped: new Set(),
    most,
  });
  assert.equal(all.extra?.responses?.['max_tool_calls'], 7);
});

test('a tool is asked for with a type of its own date or an earlier one', () => {
  const requested = [tool('web_search', { type: 'web_search_20260209' })];
  const isWith = (type: string): boolean => includesToolType(requested, [type]);
  assert.deepEqual(
    ['web_search_20250305', 'web_search_20260209', 'web_search_20260210', 'web_fetch_20250305'].map(isWith),
    [true, true, false, false],
  );
});
