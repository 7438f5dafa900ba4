import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base';
import { CLIENT_FORMATS } from '#canonical';
import { getInboundFormat } from './formats.ts';

const MOST = 100_000;

/** The member with the conversation, and a turn in it. */
const TURNS: Record<string, [member: string, turn: JsonObject]> = {
  chat: ['messages', { role: 'user', content: 'x' }],
  messages: ['messages', { role: 'user', content: 'x' }],
  responses: ['input', { role: 'user', content: 'x' }],
  gemini: ['contents', { role: 'user', parts: [{ text: 'x' }] }],
};

for (const id of CLIENT_FORMATS) {
  test(`a ${id} conversation has at most 100,000 turns; one more is refused by the name of the list`, () => {
    const [member, turn] = TURNS[id] ?? assert.fail(id);
    const decode = (count: number): unknown => {
      const turns: JsonObject[] = Array.from({ length: count }, () => ({ ...turn }));
      const body: JsonObject = { model: 'm', max_tokens: 1, [member]: turns };
      return getInboundFormat(id).decodeRequest(body, {});
    };
    assert.ok(decode(MOST));
    assert.throws(() => decode(MOST + 1), { param: new RegExp(`^${member}`) });
  });
}

/** The member with the tools, and one of them. */
const TOOLS: Record<'chat' | 'messages', (number: number) => JsonObject> = {
  chat: (number) => ({ type: 'function', function: { name: `f${number}` } }),
  messages: (number) => ({ name: `f${number}`, input_schema: { type: 'object' } }),
};
const MOST_TOOLS = 10_000;

for (const id of ['chat', 'messages'] as const) {
  test(`a ${id} request has at most 10,000 tools; one more is refused by the name of the list`, () => {
    const [member, turn] = TURNS[id] ?? assert.fail(id);
    const decode = (count: number): unknown => {
      const tools = Array.from({ length: count }, (_, number) => TOOLS[id](number));
      return getInboundFormat(id).decodeRequest({ model: 'm', max_tokens: 1, [member]: [turn], tools }, {});
    };
    assert.ok(decode(MOST_TOOLS));
    assert.throws(() => decode(MOST_TOOLS + 1), { param: /^tools/ });
  });
}
