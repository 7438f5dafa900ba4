import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isJsonObject } from '#base';
import type { Block, Dialect, Turn } from '#canonical';
import { encodeChat, openChat } from '../../../test/support/chat-exchange.ts';
import { createForeignRequest } from '../../../test/support/foreign-request.ts';
import { isFailure } from '../contract.ts';

const dialects: fc.Arbitrary<Partial<Dialect>> = fc.record({
  toolCallId: fc.constantFrom<Dialect['toolCallId']>(
    { maxLength: 64, alphabet: 'word' },
    { maxLength: 40, alphabet: 'word' },
    { maxLength: 12, alphabet: 'alphanumeric' },
    { maxLength: 9, alphabet: 'alphanumeric', exactLength: 9 },
  ),
  maxToolName: fc.constantFrom(32, 64, 128),
  reasoningReplay: fc.constantFrom<Dialect['reasoningReplay']>('none', 'reasoning', 'reasoning_content'),
  midSystem: fc.constantFrom<Dialect['midSystem']>('in-place', 'as-user'),
});

/** Turns whose calls may be unanswered, answered twice or late, or whose results match no call. */
const callIds = fc.oneof(
  fc.constantFrom('a', 'b', 'functions.f:0', `toolu_${'x'.repeat(70)}`, `toolu_${'x'.repeat(71)}`),
  fc.string({ minLength: 1, maxLength: 12 }),
);
const assistantTurn: fc.Arbitrary<Turn> = fc
  .tuple(fc.uniqueArray(callIds, { maxLength: 3 }), fc.string({ maxLength: 5 }))
  .map(([ids, text]) => ({
    role: 'assistant',
    blocks: [
      { type: 'text', text },
      ...ids.map((id): Block => ({
        type: 'tool-call',
        id,
        name: `mcp__${'n'.repeat(80)}${id}`,
        input: { json: '' },
      })),
    ],
  }));
const userTurn: fc.Arbitrary<Turn> = fc.array(callIds, { maxLength: 3 }).map((ids) => ({
  role: 'user',
  blocks: ids.map((callId): Block => ({
    type: 'tool-result',
    callId,
    blocks: [{ type: 'text', text: 'r' }],
    isError: false,
  })),
}));
const systemTurn: fc.Arbitrary<Turn> = fc.constant({ role: 'system', blocks: [{ type: 'text', text: 's' }] });
const turns = fc.array(fc.oneof(assistantTurn, userTurn, systemTurn), { maxLength: 6 });

test('[D-20] [D-84] [D-85] through any dialect every call has exactly one result right behind it, and no id breaks the rule', () => {
  fc.assert(
    fc.property(turns, dialects, (history, dialect) => {
      const { messages } = encodeChat(createForeignRequest({ turns: history }), dialect);
      assert.ok(Array.isArray(messages));
      let open: unknown[] = [];
      for (const message of messages.filter(isJsonObject)) {
        if (message['role'] === 'tool') {
          assert.equal(message['tool_call_id'], open.shift());
          continue;
        }
        assert.deepEqual(open, []);
        const calls = message['tool_calls'];
        open = Array.isArray(calls) ? calls.filter(isJsonObject).map((item) => item['id']) : [];
        assert.equal(new Set(open).size, open.length);
        for (const id of open) assert.ok(String(id).length <= (dialect.toolCallId?.maxLength ?? 0));
      }
      assert.deepEqual(open, []);
    }),
  );
});

test('[D-22] a tool name is restored through any dialect', () => {
  const name = fc.oneof(fc.stringMatching(/^[\w-]{1,128}$/), fc.string({ minLength: 1, maxLength: 80 }));
  fc.assert(
    fc.property(fc.uniqueArray(name, { minLength: 1, maxLength: 6 }), dialects, (names, dialect) => {
      const exchange = openChat(
        createForeignRequest({ tools: names.map((item) => ({ type: 'function', name: item })) }),
        dialect,
      );
      const { tools } = exchange.body;
      assert.ok(Array.isArray(tools));
      const sent = tools.map((tool) => {
        const given =
          isJsonObject(tool) && isJsonObject(tool['function']) ? tool['function']['name'] : undefined;
        return typeof given === 'string' ? given : '';
      });
      assert.equal(new Set(sent).size, names.length);
      const restored = sent.map((item, at) => {
        const called = { id: `c${at}`, function: { name: item, arguments: '{}' } };
        const result = exchange.decodeResult({
          choices: [{ message: { tool_calls: [called] }, finish_reason: 'tool_calls' }],
        });
        return isFailure(result)
          ? ''
          : result.blocks.map((block) => block.type === 'tool-call' && block.name)[0];
      });
      assert.deepEqual(restored, names);
    }),
  );
});

const mark = fc.constantFrom<Block['cache']>(undefined, {}, { ttl: '5m' }, { ttl: '1h' });
const said = fc
  .tuple(fc.constantFrom('a', 'b'), mark)
  .map(([text, cache]): Block => ({ type: 'text', text, ...(cache && { cache }) }));
const supportedSets = fc.array(said, { minLength: 1, maxLength: 3 });

test('[D-75] [D-76] no cache mark is added or lost if the dialect supports them', () => {
  const anyTurns = fc.array(
    fc.tuple(fc.constantFrom<Turn['role']>('user', 'assistant', 'system'), supportedSets),
    {
      maxLength: 4,
    },
  );
  const spellings = fc.constantFrom<Dialect['cacheMarks']>('cache_control', 'prompt_cache_breakpoint');
  fc.assert(
    fc.property(supportedSets, anyTurns, spellings, (system, list, cacheMarks) => {
      const history = list.map(([role, blocks]) => ({ role, blocks }));
      const came = [...system, ...history.flatMap((turn) => turn.blocks)].filter(
        (block) => block.cache,
      ).length;
      const body = JSON.stringify(
        encodeChat(createForeignRequest({ system, turns: history }), { cacheMarks }),
      );
      assert.equal(body.split(`"${cacheMarks}":`).length - 1, came);
      assert.equal(
        JSON.stringify(encodeChat(createForeignRequest({ system, turns: history }))).includes('cache'),
        false,
      );
    }),
  );
});
