import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base';
import type { Dialect, Effort, ReasoningOptions } from '#canonical';
import {
  createChatRequest,
  createMessagesTarget,
  decodeMessages,
} from '../../../test/support/messages-exchange.ts';
import { encodeReasoning } from './request/encode-reasoning.ts';

const BOUND: Partial<Dialect> = { thinkingModes: ['budget', 'disabled'], efforts: [] };
const ADAPTS: Partial<Dialect> = {
  thinkingModes: ['adaptive', 'disabled'],
  efforts: ['low', 'medium', 'high'],
};

const encode = (reasoning: ReasoningOptions, dialect: Partial<Dialect>, maxTokens = 10_000) =>
  encodeReasoning(createChatRequest({ reasoning }), createMessagesTarget(dialect), maxTokens);
const bound = (budget_tokens: number) => ({ thinking: { type: 'enabled', budget_tokens }, isThinking: true });

test('a caller’s thinking is read: off, adaptive, between tools, or a budget, with its effort and display', () => {
  const read = (fields: JsonObject) => decodeMessages({ max_tokens: 4000, ...fields }).reasoning;
  assert.equal(read({}), undefined);
  assert.deepEqual(read({ thinking: { type: 'disabled' } }), { mode: 'off' });
  assert.deepEqual(read({ thinking: { type: 'adaptive', display: 'omitted' } }), {
    mode: 'adaptive',
    display: 'omitted',
  });
  assert.deepEqual(read({ thinking: { type: 'between_tools' } }), { mode: 'between-tools' });
  assert.deepEqual(read({ thinking: { type: 'enabled', budget_tokens: 2000 } }), {
    mode: 'budget',
    budgetTokens: 2000,
  });
  assert.deepEqual(read({ output_config: { effort: 'max' } }), { effort: 'max' });
  assert.equal(read({ output_config: { effort: 'unknown' } }), undefined);
});

test('a budget is at least 1024 and below the limit of the answer; a derived one leaves a quarter', () => {
  const budget = (budgetTokens: number, most: number) =>
    encode({ mode: 'budget', budgetTokens }, BOUND, most);
  assert.deepEqual(budget(5000, 10_000), bound(5000));
  assert.deepEqual(budget(500, 10_000), bound(1024));
  assert.deepEqual(budget(5000, 5000), bound(4999));
  assert.deepEqual(budget(5000, 1025), bound(1024));
  assert.deepEqual(budget(5000, 1024), { isThinking: false });
  const derived = (effort: Effort, most: number) => encode({ effort }, BOUND, most);
  assert.deepEqual(derived('high', 10_000), bound(7500));
  assert.deepEqual(derived('low', 10_000), bound(2048));
  assert.deepEqual(encode({ mode: 'adaptive' }, BOUND, 100_000), bound(8192));
  const budgets = { minimal: 1024, low: 2048, medium: 8192, high: 16_384, xhigh: 24_576, max: 32_768 };
  for (const [effort, tokens] of Object.entries(budgets))
    assert.deepEqual(derived(effort as Effort, 1_000_000), bound(tokens), effort);
});

test('a model that adapts gets an effort in place of a budget, unless it takes budgets too', () => {
  const adaptive = { thinking: { type: 'adaptive' }, isThinking: true };
  const efforts = [1, 2048, 2049, 8192, 8193].map(
    (budgetTokens) => encode({ mode: 'budget', budgetTokens }, ADAPTS).effort,
  );
  assert.deepEqual(efforts, ['low', 'low', 'medium', 'medium', 'high']);
  assert.deepEqual(encode({ mode: 'adaptive' }, ADAPTS), adaptive);
  assert.deepEqual(encode({ effort: 'max' }, ADAPTS), { effort: 'high', ...adaptive });
  assert.deepEqual(encode({ effort: 'minimal' }, { ...ADAPTS, efforts: ['none', 'low'] }).effort, 'low');
  const both: Partial<Dialect> = { ...ADAPTS, thinkingModes: ['adaptive', 'budget'] };
  assert.deepEqual(encode({ mode: 'budget', budgetTokens: 3000 }, both), {
    effort: 'medium',
    ...bound(3000),
  });
  assert.deepEqual(encode({ mode: 'adaptive', display: 'omitted' }, both).thinking, {
    type: 'adaptive',
    display: 'omitted',
  });
});

test('thinking is turned off in words, by the least effort, or not at all', () => {
  const off = (thinkingModes: Dialect['thinkingModes'], efforts: Effort[]) =>
    encode({ mode: 'off' }, { thinkingModes, efforts });
  assert.deepEqual(off(['adaptive', 'disabled'], ['low']), {
    thinking: { type: 'disabled' },
    isThinking: false,
  });
  assert.deepEqual(off(['adaptive'], ['low', 'high']), { effort: 'low', isThinking: false });
  assert.deepEqual(off(['adaptive'], []), { isThinking: false });
  assert.deepEqual(off(['adaptive', 'between_tools'], ['low']), {
    thinking: { type: 'between_tools' },
    isThinking: true,
  });
  assert.deepEqual(encode({ effort: 'none' }, ADAPTS), { thinking: { type: 'disabled' }, isThinking: false });
});

test('thinking between tools is asked for where the model has it, and turned off elsewhere', () => {
  const between = (thinkingModes: Dialect['thinkingModes']) =>
    encode({ mode: 'between-tools' }, { ...ADAPTS, thinkingModes });
  const asked = { thinking: { type: 'between_tools' }, isThinking: true };
  assert.deepEqual(between(['adaptive', 'between_tools']), asked);
  assert.deepEqual(between(['adaptive', 'between_tools', 'disabled']), asked);
  assert.deepEqual(between(['adaptive', 'disabled']), { thinking: { type: 'disabled' }, isThinking: false });
});

test('nothing is asked of a model that has no field for thinking', () => {
  assert.deepEqual(encode({ effort: 'high' }, { ...ADAPTS, reasoningField: 'none' }), { isThinking: false });
  assert.deepEqual(encode({ effort: 'high' }, { thinkingModes: [], efforts: ['high'] }), {
    effort: 'high',
    isThinking: false,
  });
});
