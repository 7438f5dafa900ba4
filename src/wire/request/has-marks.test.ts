import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base';
import { hasCacheMarks } from './has-marks.ts';

const MARK = { cache_control: { type: 'ephemeral' } };
const isMarked = (body: JsonObject): boolean => hasCacheMarks({ origin: { format: 'messages', body } });
const say = (...content: JsonObject[]): JsonObject => ({ messages: [{ role: 'user', content }] });

const MARKED: readonly (readonly [where: string, body: JsonObject])[] = [
  ['of the whole request', MARK],
  [
    'of instructions',
    {
      system: [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b', ...MARK },
      ],
    },
  ],
  ['of a tool', { tools: [{ name: 'f', ...MARK }] }],
  ['of a part', say({ type: 'text', text: 'a' }, { type: 'text', text: 'b', ...MARK })],
  ['within a result', say({ type: 'tool_result', content: [{ type: 'text', text: 'a', ...MARK }] })],
  ['with OpenAI’s name', say({ type: 'text', text: 'a', prompt_cache_breakpoint: { mode: 'explicit' } })],
];

for (const [where, body] of MARKED)
  test(`a cache mark ${where} is found`, () => assert.equal(isMarked(body), true));

const UNMARKED: readonly (readonly [what: string, body: JsonObject])[] = [
  ['texts, numbers and null', { model: 'm', max_tokens: 5, system: null, ...say({ text: 'cache_control' }) }],
  ['a mark of null', say({ type: 'text', text: 'a', cache_control: null })],
  ['a name in data deeper than any mark', say({ content: [{ data: { cache_control: 'a' } }] })],
];

for (const [what, body] of UNMARKED)
  test(`no cache mark: ${what}`, () => assert.equal(isMarked(body), false));
