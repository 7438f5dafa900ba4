import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base';
import { CHAT_DIALECT, type CanonicalRequest, MESSAGES_DIALECT } from '#canonical';
import { type Mapping, parsePrice } from '#catalogue';
import { createForeignRequest } from '../../../test/support/foreign-request.ts';
import type { Ports } from '../request/ports.ts';
import type { ToolPlan } from '../request/tool-plan.ts';
import { createTrip } from '../../../test/support/create-trip.ts';
import { type WorstCase, findWorstCase } from './worst-case.ts';

/** A token costs as many micro-USD as its model says. */
const MICRO = 1_000_000n;

function createMapping(modelId: string, usd: string, facts: Partial<Mapping> = {}): Mapping {
  const price = parsePrice({ input: usd, output: usd });
  const common = { modelId, externalId: modelId, providerId: 'p', format: 'messages' };
  return { ...common, dialect: MESSAGES_DIALECT, price, ...facts } as Mapping;
}
const ONE = createMapping('one', '1');
const UNPRICED = {
  modelId: 'free',
  externalId: 'free',
  providerId: 'p',
  format: 'chat',
  dialect: CHAT_DIALECT,
};

interface Scene {
  request?: Partial<CanonicalRequest>;
  body?: JsonObject;
  measured?: { tokens?: number; images?: number };
  plan?: bigint;
  /** Other models that the provider has. */
  others?: Mapping[];
}

function find(mapping: object, { request, body = {}, measured, plan, others = [] }: Scene = {}): WorstCase {
  const origin = { format: 'messages', body } as const;
  const trip = createTrip({
    request: createForeignRequest({ origin, ...request }),
    prompt: {
      bound: 100,
      textBytes: 100,
      recordingTokens: 0,
      images: 0,
      hasDocuments: false,
      estimate: 25,
      parts: ['inputUncached'],
    },
    ...(plan !== undefined && { toolPlans: new Map([[mapping as Mapping, { amount: plan } as ToolPlan]]) }),
  });
  const ids = others.map(({ modelId }) => modelId);
  const catalogue = {
    models: new Map(others.map((other) => [other.modelId, { mappings: [other] }])),
    names: new Map(ids.map((id) => [id, id])),
  };
  const ports = {
    live: () => ({ catalogue }),
    clock: { now: () => 5 },
    prompts: { measure: () => ({ tokens: 100, images: 0, cached: 0, ...measured }) },
  } as unknown as Ports;
  return findWorstCase(ports, trip, { mapping: mapping as Mapping, account: undefined });
}

/** The price of so many output tokens in micro-USD. */
function price(mapping: object, scene: Scene = {}, output = 10): bigint {
  const most = find(mapping, scene).price(output);
  assert.equal(most % MICRO, 0n, 'exact');
  return most / MICRO;
}

test('the most a request may cost is its prompt, its output and its tools, as often as it asks for an answer', () => {
  assert.equal(price(ONE), 110n);
  assert.equal(price(ONE, { request: { choices: 3 } }), 330n);
  assert.equal(price(ONE, { plan: 7n * MICRO }), 117n);
  assert.equal(price(ONE, { plan: 7n * MICRO, request: { choices: 3 } }), 351n);
  assert.equal(price(UNPRICED), 0n);
});

test('an output is bounded by the caller and the catalogue, and is 32,000 tokens if neither does', () => {
  const bound = (maxOutput?: number, maxOutputTokens?: number): number =>
    find(
      { ...ONE, ...(maxOutput !== undefined && { maxOutput }) },
      { request: { ...(maxOutputTokens !== undefined && { maxOutputTokens }) } },
    ).maxOutput;
  assert.deepEqual([bound(), bound(700), bound(700, 800), bound(700, 600)], [32_000, 700, 700, 600]);
  assert.equal(bound(undefined, 64_000), 64_000);
});

test('a prompt is at most its tokens and images, or a context; a million tokens if neither is known', () => {
  const measure = (measured: Scene['measured'], facts: Partial<Mapping> = {}): bigint =>
    price({ ...ONE, ...facts }, { ...(measured && { measured }) }, 0);
  assert.equal(measure({ tokens: 100, images: 2 }), 100n + 2n * 8_192n);
  assert.equal(measure({ tokens: 100, images: 2 }, { imageTokens: 300 }), 700n);
  assert.equal(measure({ tokens: 100, images: 2 }, { contextLength: 500 }), 500n);
  assert.equal(measure({ tokens: Infinity }, { contextLength: 500 }), 500n);
  assert.equal(measure({ tokens: Infinity }), 1_000_000n);
});

test('other models that may run are paid for too, as often as they may, up to limits of their own', () => {
  const others = [createMapping('two', '2')];
  const fall = (fallback: JsonObject): Scene => ({
    others,
    body: { fallbacks: [{ model: 'two', ...fallback }] },
  });
  assert.equal(price(ONE, fall({})), 110n + 2n * 110n);
  assert.equal(price(ONE, fall({ max_tokens: 30 })), 110n + 2n * 130n);
  assert.equal(
    price({ ...ONE, format: 'chat', dialect: CHAT_DIALECT }, fall({})),
    110n,
    'no such field there',
  );
  const value = { type: 'advisor_20260301', model: 'two', max_uses: 4, max_tokens: 30 };
  const request = { tools: [{ type: 'native', format: 'messages', value }] } satisfies Scene['request'];
  assert.equal(price(ONE, { others, request }), 110n + 4n * 2n * 130n);
});

test('if the provider chooses the other model, it is the most expensive of those it has for text', () => {
  const others = [
    createMapping('two', '2'),
    createMapping('three', '3'),
    createMapping('elsewhere', '20', { providerId: 'other' }),
    createMapping('gone', '30', { deactivatedAt: 5 }),
    createMapping('painter', '40', { operations: ['images'] }),
  ];
  assert.equal(price(ONE, { others, body: { fallbacks: 'auto' } }), 110n + 3n * 110n);
});

test('another model without a price is named by where the request names it', () => {
  const body = { fallbacks: ['unknown'] };
  assert.deepEqual(find(ONE, { body }).unpriced, { path: 'fallbacks.0', value: 'unknown' });
  assert.equal('unpriced' in find(ONE), false);
});
