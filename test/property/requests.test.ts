import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { JsonObject } from '#base';
import type { Dialect } from '#canonical';
import { getInboundFormat, getOutboundFormat } from '#wire';
import {
  type Conversation,
  anyConversation,
  toChatBody,
  toMessagesBody,
  toResponsesBody,
} from '../support/arbitrary-requests.ts';
import { FORMATS, type Format, createTarget } from '../support/exchanges.ts';
import { repetitions } from '../support/repetitions.ts';

const BODIES: Record<Format, (conversation: Conversation) => JsonObject> = {
  chat: toChatBody,
  messages: toMessagesBody,
  responses: toResponsesBody,
};

/** What an upstream of a format receives for a client's body. */
function translate(
  body: JsonObject,
  [from, to]: readonly [Format, Format],
  dialect: Partial<Dialect> = {},
): JsonObject {
  const request = getInboundFormat(from).decodeRequest(body, {});
  const exchange = getOutboundFormat(to).openExchange(request, createTarget(to, dialect));
  return JSON.parse(JSON.stringify(exchange.body)) as JsonObject;
}

const PAIRS = FORMATS.flatMap((from) => FORMATS.map((to) => [from, to] as const));

for (const [from, to] of PAIRS) {
  test(`a ${from} request encoded as ${to}, decoded and encoded again is unchanged`, () => {
    fc.assert(
      fc.property(anyConversation(), (conversation) => {
        const once = translate(BODIES[from](conversation), [from, to]);
        assert.deepEqual(translate(once, [to, to]), once);
      }),
      { numRuns: repetitions(300) },
    );
  });
}

test('a request converted to the other format and back keeps its text', () => {
  for (const [from, to] of PAIRS.filter(([a, b]) => a !== b)) {
    fc.assert(
      fc.property(anyConversation(), (conversation) => {
        const straight = translate(BODIES[from](conversation), [from, from]);
        const round = translate(translate(BODIES[from](conversation), [from, to]), [to, from]);
        assert.deepEqual(wordsOf(round), wordsOf(straight));
      }),
      { numRuns: repetitions(300) },
    );
  }
});

const WORDS: ReadonlySet<string> = new Set(['text', 'content', 'system', 'instructions', 'output']);

/** Every text of the messages in order, in whichever field the format has it. */
function wordsOf(body: JsonObject): string {
  const words: string[] = [];
  const walk = (value: unknown, key: string): void => {
    if (typeof value === 'string') {
      if (WORDS.has(key)) words.push(value);
    } else if (Array.isArray(value)) value.forEach((item) => walk(item, key));
    else if (typeof value === 'object' && value !== null) {
      for (const [name, item] of Object.entries(value)) walk(item, name);
    }
  };
  walk(body['system'], 'system');
  walk(body['instructions'], 'instructions');
  walk(body['messages'], 'messages');
  walk(body['input'], 'input');
  return words.join('').replaceAll('\n', '');
}

function countKeys(value: unknown, key: string): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + countKeys(item, key), 0);
  if (typeof value !== 'object' || value === null) return 0;
  return Object.entries(value).reduce(
    (sum, [name, item]) => sum + (name === key && item ? 1 : 0) + countKeys(item, key),
    0,
  );
}

const MARKS: {
  pair: readonly [Format, Format];
  dialect: Partial<Dialect>;
  read: string;
  written: string;
  tools: boolean;
}[] = [
  {
    pair: ['messages', 'messages'],
    dialect: {},
    read: 'cache_control',
    written: 'cache_control',
    tools: true,
  },
  {
    pair: ['messages', 'chat'],
    dialect: { cacheMarks: 'cache_control' },
    read: 'cache_control',
    written: 'cache_control',
    tools: false,
  },
  {
    pair: ['messages', 'chat'],
    dialect: { cacheMarks: 'prompt_cache_breakpoint' },
    read: 'cache_control',
    written: 'prompt_cache_breakpoint',
    tools: false,
  },
  {
    pair: ['chat', 'chat'],
    dialect: { cacheMarks: 'prompt_cache_breakpoint' },
    read: 'prompt_cache_breakpoint',
    written: 'prompt_cache_breakpoint',
    tools: false,
  },
  {
    pair: ['chat', 'messages'],
    dialect: {},
    read: 'prompt_cache_breakpoint',
    written: 'cache_control',
    tools: false,
  },
  {
    pair: ['messages', 'responses'],
    dialect: { cacheMarks: 'prompt_cache_breakpoint' },
    read: 'cache_control',
    written: 'prompt_cache_breakpoint',
    tools: false,
  },
  {
    pair: ['responses', 'responses'],
    dialect: { cacheMarks: 'prompt_cache_breakpoint' },
    read: 'prompt_cache_breakpoint',
    written: 'prompt_cache_breakpoint',
    tools: false,
  },
  {
    pair: ['responses', 'messages'],
    dialect: {},
    read: 'prompt_cache_breakpoint',
    written: 'cache_control',
    tools: false,
  },
];

for (const { pair, dialect, read, written, tools } of MARKS) {
  test(`as many cache marks leave as came: ${pair.join(' → ')} as ${written}`, () => {
    fc.assert(
      fc.property(anyConversation({ marks: true }), (conversation) => {
        const marked = tools
          ? conversation
          : { ...conversation, tools: conversation.tools.map((tool) => ({ ...tool, mark: false })) };
        const body = BODIES[pair[0]](marked);
        assert.equal(countKeys(translate(body, pair, dialect), written), countKeys(body, read));
      }),
      { numRuns: repetitions(300) },
    );
  });
}

for (const to of ['chat', 'responses'] as const) {
  for (const from of FORMATS) {
    test(`a dialect without cache marks gets no marks: ${from} → ${to}`, () => {
      fc.assert(
        fc.property(anyConversation({ marks: true }), (conversation) => {
          const sent = translate(BODIES[from](conversation), [from, to], { cacheMarks: 'none' });
          assert.equal(countKeys(sent, 'cache_control') + countKeys(sent, 'prompt_cache_breakpoint'), 0);
        }),
      );
    });
  }
}

interface CallBlock {
  type: string;
  id: string;
  tool_use_id: string;
}

interface AnyMessage {
  role: string;
  tool_call_id: string;
  tool_calls?: { id: string }[];
  content: string | CallBlock[];
}

/** The tool calls of a body and the calls its results answer, in order. */
function readPairs(format: Format, body: JsonObject): { calls: string[]; results: string[] } {
  if (format === 'responses') {
    const items = body['input'] as unknown as { type: string; call_id: string }[];
    const idsOf = (type: string): string[] =>
      items.filter((item) => item.type === type).map((item) => item.call_id);
    return { calls: idsOf('function_call'), results: idsOf('function_call_output') };
  }
  const messages = body['messages'] as unknown as AnyMessage[];
  if (format === 'chat') {
    return {
      calls: messages.flatMap((message) => (message.tool_calls ?? []).map((call) => call.id)),
      results: messages.flatMap((message) => (message.role === 'tool' ? [message.tool_call_id] : [])),
    };
  }
  const blocks = messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content));
  return {
    calls: blocks.flatMap((block) => (block.type === 'tool_use' ? [block.id] : [])),
    results: blocks.flatMap((block) => (block.type === 'tool_result' ? [block.tool_use_id] : [])),
  };
}

const ID_RULES: { name: string; dialect: Partial<Dialect>; rule: RegExp }[] = [
  { name: 'the usual ids', dialect: {}, rule: /^[A-Za-z0-9_-]{1,256}$/ },
  {
    name: 'short ids',
    dialect: { toolCallId: { maxLength: 40, alphabet: 'word' } },
    rule: /^[A-Za-z0-9_-]{1,40}$/,
  },
  {
    name: 'ids of nine letters and digits',
    dialect: { toolCallId: { maxLength: 9, alphabet: 'alphanumeric', exactLength: 9 } },
    rule: /^[A-Za-z0-9]{9}$/,
  },
];

for (const { name, dialect, rule } of ID_RULES) {
  const pairs = PAIRS.filter(([, to]) => to === 'chat' || dialect.toolCallId?.exactLength === undefined); // Mistral's rule, of Chat
  for (const pair of pairs) {
    test(`calls and results stay paired: ${pair.join(' → ')} with ${name}`, () => {
      fc.assert(
        fc.property(anyConversation({ ids: pair[0] === 'chat' ? 'wild' : 'plain' }), (conversation) => {
          const count = conversation.turns.reduce((sum, turn) => sum + turn.calls.length, 0);
          const { calls, results } = readPairs(
            pair[1],
            translate(BODIES[pair[0]](conversation), pair, dialect),
          );
          assert.equal(calls.length, count);
          assert.equal(new Set(calls).size, count, 'distinct ids stay distinct');
          assert.deepEqual(results, calls, 'every result answers the call it answered');
          for (const id of calls) assert.match(id, rule);
        }),
        { numRuns: repetitions(200) },
      );
    });
  }
}
