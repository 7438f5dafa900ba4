import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base';
import {
  CHAT_DIALECT,
  type CanonicalRequest,
  CONVERSE_DIALECT,
  GEMINI_DIALECT,
  MESSAGES_DIALECT,
  RESPONSES_DIALECT,
  type Target,
} from '#canonical';
import { measureProcessorMs } from '../../test/support/processor-time.ts';
import { getInboundFormat, getOutboundFormat } from './formats.ts';

const COUNT = 20_000;
const LIMIT_MS = 3_000;

const call = { id: 'same', type: 'function', function: { name: 'f', arguments: '{}' } };
const result = { role: 'tool', tool_call_id: 'same', content: 'r' };
const file = { filename: 'same.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' };
const asked = { role: 'assistant', content: null, tool_calls: [call] };

const repeat = <Value>(value: Value): Value[] => Array.from({ length: COUNT }, () => value);

const HISTORIES: [name: string, messages: JsonObject[]][] = [
  ['calls with one id', repeat([asked, result]).flat()],
  ['results of one call', [asked, ...repeat(result)]],
  ['documents of one name', [{ role: 'user', content: repeat({ type: 'file', file }) }]],
];

/** One call in each of thousands of consecutive assistant turns, followed by all results. */
const IN_A_ROW: JsonObject[] = [
  { role: 'user', content: 'x' },
  ...repeat('assistant').map((role, at) => ({
    role,
    content: [{ type: 'tool_use', id: `call_${at}`, name: 'f', input: {} }],
  })),
  {
    role: 'user',
    content: repeat('r').map((content, at) => ({ type: 'tool_result', tool_use_id: `call_${at}`, content })),
  },
];

const IDS = Array.from({ length: 130_000 }, (_, number) => `call_${number}`);
const PARTS: JsonObject[] = IDS.map((text) => ({ type: 'text', text }));
const USES: JsonObject[] = IDS.map((useId) => ({ type: 'tool_use', id: useId, name: 'f', input: {} }));
const RESULTS: JsonObject[] = IDS.map((useId) => ({ type: 'tool_result', tool_use_id: useId, content: 'r' }));

function decode(format: 'chat' | 'messages', messages: JsonObject[]): CanonicalRequest {
  return getInboundFormat(format).decodeRequest({ model: 'm', max_tokens: 9, messages }, {});
}

const LONG: [name: string, request: CanonicalRequest][] = [
  ...HISTORIES.map(([name, messages]) => [name, decode('chat', messages)] as [string, CanonicalRequest]),
  ['assistant turns in a row', decode('messages', IN_A_ROW)],
];

const WIDE = [
  decode('chat', [
    { role: 'system', content: PARTS },
    { role: 'user', content: PARTS },
  ]),
  decode('messages', [
    { role: 'user', content: 'x' },
    { role: 'assistant', content: USES },
    { role: 'user', content: RESULTS },
  ]),
];

const DIALECTS = [
  ['chat', CHAT_DIALECT],
  ['messages', MESSAGES_DIALECT],
  ['responses', RESPONSES_DIALECT],
  ['gemini', GEMINI_DIALECT],
  ['converse', CONVERSE_DIALECT],
] as const;

test('[P5] thousands of results of a Gemini client are matched with their calls without blocking', async () => {
  const numbers = Array.from({ length: 50_000 }, (_, number) => number);
  const toParts = (at: number, member: string, rest: JsonObject) => ({
    [member]: { name: `f${at}`, ...rest },
  });
  const contents = [
    { role: 'model', parts: numbers.map((at) => toParts(at, 'functionCall', { args: {} })) },
    { role: 'user', parts: numbers.map((at) => toParts(at, 'functionResponse', { response: {} })).reverse() },
  ];
  const tookMs = await measureProcessorMs(() =>
    getInboundFormat('gemini').decodeRequest({ model: 'm', contents }, {}),
  );
  assert.ok(tookMs < LIMIT_MS, `${Math.round(tookMs)} ms`);
});

for (const [id, dialect] of DIALECTS) {
  const target: Target = { providerId: 'p', externalId: 'm', dialect, reasoning: false };
  for (const [name, request] of LONG) {
    test(`[P5] thousands of ${name} are encoded for ${id} without blocking`, async () => {
      const tookMs = await measureProcessorMs(() => getOutboundFormat(id).openExchange(request, target));
      assert.ok(tookMs < LIMIT_MS, `${Math.round(tookMs)} ms`);
    });
  }

  test(`[I5] more parts and results than the engine’s argument limit are encoded for ${id}`, () => {
    for (const request of WIDE) assert.ok(getOutboundFormat(id).openExchange(request, target));
  });
}
