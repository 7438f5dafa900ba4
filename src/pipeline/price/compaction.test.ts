import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject, JsonValue } from '#base';
import { createForeignRequest } from '../../../test/support/foreign-request.ts';
import { mayCompact } from './compaction.ts';

const may = (context_management: JsonValue, tokens: number, format: 'messages' | 'responses' = 'messages') =>
  mayCompact(createForeignRequest({ origin: { format, body: { context_management } } }), tokens);

test('a prompt may be compacted from its trigger on, or from 150,000 tokens', () => {
  const edits = (...list: JsonObject[]) => ({ edits: list });
  const compact = { type: 'compact_20260112' };
  const early = { ...compact, trigger: { type: 'input_tokens', value: 50_000 } };
  assert.deepEqual([may(edits(compact), 149_999), may(edits(compact), 150_000)], [false, true]);
  assert.deepEqual([may(edits(early), 49_999), may(edits(early), 50_000)], [false, true]);
  assert.equal(may(edits({ type: 'clear_thinking_20251015' }, early), 50_000), true);
  assert.equal(may(edits({ type: 'clear_tool_uses_20250919' }, { type: 7 }), 1e6), false);
  for (const none of [null, [], { edits: 'x' }, { edits: ['x'] }]) assert.equal(may(none, 1e6), false);
  assert.equal(may(edits(early), 1e6, 'responses'), false);
});
