import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base';
import { type Dialect, FORMATS } from '#canonical';
import { getOutboundFormat } from '#wire';
import { createTarget } from '../../../../test/support/exchanges.ts';
import {
  createMessagesTarget,
  decodeMessages,
  encodeFor,
} from '../../../../test/support/messages-exchange.ts';
import { listSentToolNames } from '../../../../test/support/sent-tool-names.ts';
import { applyToolChanges } from './tool-changes.ts';

const BETA = 'mid-conversation-tool-changes-2026-07-01';
const define = (name: string, more: JsonObject = {}): JsonObject => ({
  name,
  description: `Does ${name}.`,
  input_schema: { type: 'object', properties: {} },
  ...more,
});
const refer = (name: string): JsonObject => ({ type: 'tool_reference', name });
const add = (tool: JsonObject): JsonObject => ({ type: 'tool_addition', tool });
const inline = (definition: JsonObject): JsonObject => add({ type: 'tool_definition', definition });
const remove = (name: string): JsonObject => ({ type: 'tool_removal', tool: refer(name) });

const converse = (...content: JsonObject[]): JsonObject[] => [
  { role: 'user', content: 'Hi' },
  { role: 'assistant', content: 'Hello' },
  { role: 'system', content },
  { role: 'user', content: 'Go on' },
];
const TOOLS = [define('read'), define('write')];
const DECODED = (messages: JsonObject[], tools: JsonObject[] = TOOLS) =>
  decodeMessages({ tools, messages }, { 'anthropic-beta': BETA });

for (const format of FORMATS.filter((other) => other !== 'messages')) {
  const namesFor = (content: JsonObject[], tools?: JsonObject[]) => {
    const request = DECODED(converse(...content), tools);
    const { body } = getOutboundFormat(format).openExchange(request, createTarget(format));
    return listSentToolNames(format, body);
  };

  test(`${format} is offered the tools that the conversation adds, and none that it withdraws`, () => {
    assert.deepEqual(namesFor([inline(define('find')), remove('write')]), ['read', 'find']);
    assert.deepEqual(namesFor([inline(define('find'))], []), ['find']);
  });

  test(`${format} is offered a tool that was withdrawn and added again, in its latest definition`, () => {
    assert.deepEqual(namesFor([remove('read'), add(refer('read'))]), ['read', 'write']);
    assert.deepEqual(namesFor([inline(define('read', { description: 'Newer.' }))]), ['write', 'read']);
  });

  test(`${format} is offered a tool of which only a summary of the conversation has the definition`, () => {
    const summary = { type: 'compaction', content: 'So far.', tool_changes: [inline(define('find'))] };
    assert.deepEqual(namesFor([summary, remove('read')]), ['write', 'find']);
  });

  test(`${format} is sent no tool of a block that is not as Anthropic declares it`, () => {
    const malformed = [
      { type: 'tool_addition' },
      inline({ name: 'find' }),
      inline({ input_schema: {} }),
      add({ type: 'tool_definition', definition: 'find' }),
      { type: 'tool_removal', tool: { type: 'mcp_toolset_reference', server_name: 'read' } },
      { type: 'compaction', content: 'So far.', tool_changes: 'none' },
    ] as JsonObject[];
    assert.deepEqual(namesFor(malformed), ['read', 'write']);
  });
}

test('a tool that is defined again and again is read in linear time: a search for each would not end', () => {
  const definition = define('find');
  const changes = Array.from({ length: 300_000 }, (_, at) => ({
    name: `tool ${at % 150_000}`,
    isWithdrawn: false,
    definition: { ...definition, name: `tool ${at % 150_000}` },
  }));
  const tools = applyToolChanges([], changes, (tool) => tool);
  assert.equal(tools.length, 150_000);
});

const CHANGES = converse(inline(define('find', { cache_control: null })), remove('write'));
const forward = (dialect: Partial<Dialect>): JsonObject =>
  encodeFor(DECODED(CHANGES), createMessagesTarget(dialect));

test('Anthropic and clouds with the feature get the blocks as they came', () => {
  for (const dialect of [{}, { betas: 'listed', allowedBetas: [BETA] }] as Partial<Dialect>[]) {
    const { messages, tools } = forward(dialect);
    assert.deepEqual([messages, tools], [CHANGES, TOOLS]);
  }
});

test('an upstream of the format without the feature gets the tools that remain, and no such block', () => {
  for (const dialect of [{ betas: 'none' }, { betas: 'listed', allowedBetas: [] }] as Partial<Dialect>[]) {
    const { messages, tools } = forward(dialect);
    assert.deepEqual(
      messages,
      CHANGES.filter(({ role }) => role !== 'system'),
    );
    assert.deepEqual(
      (tools as JsonObject[]).map(({ name }) => name),
      ['read', 'find'],
    );
  }
});
