import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type BlockStart,
  type GenerationEvent,
  type PriceOptions,
  type ToolUse,
  type Usage,
  createUsage,
  sumUsages,
} from '#canonical';
import { type HostedTool, type Mapping, parsePrice } from '#catalogue';
import { createForeignRequest } from '../../../test/support/foreign-request.ts';
import { TestClock } from '../../../test/support/test-clock.ts';
import { TokenRates } from '../request/memory/token-rates.ts';
import type { ToolPlan } from '../request/tool-plan.ts';
import { createTrip } from '../../../test/support/create-trip.ts';
import { Meter, boundTokens } from './meter.ts';

/** In micro-USD: a token of input costs 1, of output 2, of reasoning 3, a search 5. */
const MICRO = 1_000_000n;
const SEARCH = { tool: 'web_search', amounts: { '': 5n * MICRO } } as unknown as HostedTool;
const price = parsePrice({ input: '1', output: '2', reasoning: '3' }, [SEARCH]);
const PROMPT = 10;

const start = (usage?: Usage): GenerationEvent => ({
  type: 'generation-start',
  id: '',
  model: 'm',
  ...(usage && { usage }),
});
const block = (type: 'text' | 'reasoning'): GenerationEvent => ({
  type: 'block-start',
  index: 0,
  block: { type, text: '' },
});
const IMAGE: BlockStart['block'] = {
  type: 'media',
  kind: 'image',
  mediaType: 'image/png',
  source: { base64: '' },
};
const delta = (bytes: number): GenerationEvent => ({
  type: 'block-delta',
  index: 0,
  text: 'x'.repeat(bytes),
});
const close: GenerationEvent = { type: 'block-end', index: 0 };
const end = (usage?: Usage, tools?: ToolUse[]): GenerationEvent => ({
  type: 'generation-end',
  finish: { reason: 'stop' },
  ...(usage && { usage }),
  ...(tools && { tools }),
});

interface Scene {
  held?: bigint;
  stream?: boolean;
  maxOutputTokens?: number;
  mapping?: Partial<Mapping>;
  plan?: Partial<ToolPlan>;
}

function open({ held = 1_000n, stream = true, maxOutputTokens, mapping: facts, plan }: Scene = {}) {
  const mapping = { modelId: 'm', format: 'chat', price, ...facts } as Mapping;
  const request = createForeignRequest({ stream, ...(maxOutputTokens !== undefined && { maxOutputTokens }) });
  const trip = createTrip({
    request,
    inputEstimate: PROMPT,
    hold: { requestId: 'r', amount: held * MICRO },
    ...(plan && { toolPlans: new Map([[mapping, plan as ToolPlan]]) }),
  });
  const clock = new TestClock();
  const rates = new TokenRates();
  const meter = new Meter(trip, mapping, { requested: {}, findModel: () => undefined, clock, rates });
  const see = (...events: GenerationEvent[]): void => events.forEach((event) => meter.observe(event));
  /** What the customer and the operator pay, in micro-USD. */
  const pay = (): [customer: bigint, provider: bigint, estimated: boolean] => {
    const { customer, provider, estimated } = meter.bill;
    assert.deepEqual([customer % MICRO, provider % MICRO], [0n, 0n], 'exact');
    return [customer / MICRO, provider / MICRO, estimated];
  };
  return { meter, mapping, clock, rates, see, pay };
}

test('a bill follows the answer: nothing, the prompt for the operator, what was relayed, what is reported', () => {
  const { meter, see, pay } = open();
  assert.deepEqual(pay(), [0n, 0n, false]);
  see(start(createUsage({ inputUncached: 20 })));
  assert.deepEqual(pay(), [0n, 20n, true], 'nothing arrived that a customer pays for');
  see(block('text'), delta(8), close, block('reasoning'), delta(5), close);
  assert.deepEqual(pay(), [20n + 2n * 2n + 2n * 3n, 20n + 2n * 2n + 2n * 3n, true]);
  assert.equal(meter.isEnded, false);
  see({ type: 'block-start', index: 2, block: IMAGE }, close);
  assert.equal(meter.usage.outputImage, 1_290);
  see(end(createUsage({ inputUncached: 21, outputText: 7 })));
  assert.deepEqual(pay(), [35n, 35n, false]);
  assert.deepEqual(meter.usage, createUsage({ inputUncached: 21, outputText: 7 }));
  assert.equal(meter.isEnded, true);
  assert.deepEqual(meter.finish, { reason: 'stop' });
});

test('a usage that the upstream reports is passed on as it is, one that it does not is filled in', () => {
  const [reported, missing] = [end(createUsage({ inputUncached: 1, outputText: 7 })), end()];
  const one = open();
  assert.equal(one.meter.observe(reported), reported);
  const { meter, see, pay } = open();
  see(start(), block('text'), delta(9));
  const filled = meter.observe(missing);
  const usage = createUsage({ inputUncached: PROMPT, outputText: 3 });
  assert.deepEqual(filled, { ...missing, usage });
  assert.deepEqual(pay(), [16n, 16n, true]);
  assert.equal(meter.reportedUsage, undefined);
});

test('an answer is billed as it was served: as its end says, else its start', () => {
  const modifiers = { service_tier: { values: { priority: { factor: '2' } } } };
  const usage = createUsage({ inputUncached: 20 });
  const pay = (first: PriceOptions, last?: PriceOptions): bigint => {
    const scene = open({ mapping: { modifiers } });
    scene.see({ ...start(), served: first } as GenerationEvent);
    scene.see({ ...end(usage), ...(last && { served: last }) });
    return scene.pay()[0];
  };
  assert.equal(pay({ service_tier: 'priority' }), 40n);
  assert.equal(pay({ service_tier: 'default' }, { service_tier: 'priority' }), 40n);
  assert.equal(pay({ service_tier: 'priority' }, { service_tier: 'default' }), 20n);
});

test('a customer pays no more than its hold', () => {
  const { see, pay } = open({ held: 5n });
  see(start(), block('text'), delta(40), end(createUsage({ inputUncached: 4, outputText: 9 })));
  assert.deepEqual(pay(), [5n, 22n, false]);
});

test('a customer that leaves owes what had begun, and nothing before', () => {
  const early = open();
  early.meter.leave();
  early.see(start(), block('text'), delta(4));
  assert.deepEqual(early.pay(), [0n, 12n, true]);
  const late = open();
  late.see(start());
  assert.deepEqual(late.pay(), [0n, 10n, true]);
  late.meter.leave();
  assert.deepEqual(late.pay(), [10n, 10n, true]);
});

test('the operator owes the prompt of an attempt without an answer only where it may be billed', () => {
  const [billed, free] = [open(), open()];
  billed.meter.stop(true);
  free.meter.stop(false);
  assert.deepEqual(billed.pay(), [0n, 10n, true]);
  assert.deepEqual(free.pay(), [0n, 0n, false]);
  assert.deepEqual(free.meter.bill.parts, []);
});

test('a usage beyond 32 readings of the context or 10,000 searches is estimated', () => {
  const isEstimated = (usage: Partial<Usage>, contextLength?: number): boolean => {
    const { meter, see } = open({ mapping: { ...(contextLength !== undefined && { contextLength }) } });
    see(start(), block('text'), delta(4), end(createUsage({ inputUncached: 1, outputText: 1, ...usage })));
    return meter.bill.estimated;
  };
  for (const part of ['inputUncached', 'outputText'] as const) {
    assert.deepEqual(
      [32_000_000, 32_000_001].map((count) => isEstimated({ [part]: count })),
      [false, true],
    );
    assert.equal(isEstimated({ [part]: 64_000_000 }, 2_000_000), false);
    assert.equal(isEstimated({ [part]: 64_000_001 }, 2_000_000), true);
    assert.equal(isEstimated({ [part]: 32_000_000 }, 1_000), false, 'no context is thought shorter than 1M');
  }
  assert.deepEqual(
    [10_000, 10_001].map((webSearches) => isEstimated({ webSearches })),
    [false, true],
  );
});

test('the bound of an output is a token for three bytes, and more for each image', () => {
  assert.deepEqual(['xxx', 'xxxx'].map(boundTokens), [1, 2]);
  const { meter, see } = open();
  see(start(), block('text'), delta(3), close, block('reasoning'), delta(1), close);
  assert.equal(meter.outputBound, 2);
  see({ type: 'block-start', index: 2, block: IMAGE });
  assert.equal(meter.outputBound, 1_292);
});

test('an answer is a runaway from 24 bytes a token and 64 KiB more, whatever its blocks are', () => {
  for (const type of ['text', 'reasoning'] as const) {
    const { meter, see } = open({ maxOutputTokens: 100 });
    see(start(), block(type), delta(100 * 24 + 65_536));
    assert.equal(meter.isRunaway, false);
    see(delta(1));
    assert.equal(meter.isRunaway, true);
  }
});

test('an answer that has arrived as a whole is no runaway, however long it is', () => {
  const { meter, see } = open({ maxOutputTokens: 100 });
  meter.receiveWhole();
  see(start(), block('text'), delta(1_000_000));
  assert.equal(meter.isRunaway, false);
});

test('a request that is sent with a lower limit is bounded by that', () => {
  const { meter, clock, see } = open({ stream: false, maxOutputTokens: 1_000 });
  meter.boundOutput(100);
  meter.send();
  clock.advance(60_000);
  assert.equal(meter.outputBound, 100);
  see(start(), block('text'), delta(100 * 24 + 65_536));
  assert.equal(meter.isRunaway, false);
  see(delta(1));
  assert.equal(meter.isRunaway, true);
});

test('uses of hosted tools that are reported within an answer replace those seen', () => {
  const count: ToolPlan['count'] = (uses) =>
    uses.map(({ tool, count: times }) => ({ unit: 'tool', kind: tool, count: times }));
  const { see, pay } = open({ plan: { count } });
  see(start(), { type: 'tools-used', tools: [{ tool: 'web_search', count: 4 }] });
  assert.deepEqual(pay(), [0n, 10n + 20n, true]);
});

test('hosted tools are billed as reported at the end, until then as seen, and not before an answer begins', () => {
  const asked: [uses: readonly ToolUse[], elapsedMs: number][] = [];
  const count: ToolPlan['count'] = (uses, elapsedMs) => {
    asked.push([uses, elapsedMs]);
    return uses.map(({ tool, count: times }) => ({ unit: 'tool', kind: tool, count: times }));
  };
  const run = (last: GenerationEvent) => {
    const scene = open({ plan: { count } });
    assert.equal('units' in scene.meter.bill, false);
    const value = { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search' } };
    scene.see(start(), {
      type: 'block-start',
      index: 0,
      block: { type: 'native', format: 'responses', value },
    });
    scene.clock.advance(250);
    assert.deepEqual(scene.pay(), [0n, 10n + 5n, true]);
    assert.deepEqual(scene.meter.bill.units, [{ unit: 'tool', kind: 'web_search', count: 1 }]);
    assert.deepEqual(asked.at(-1), [[{ tool: 'web_search', count: 1 }], 250]);
    scene.see(last);
    return scene.pay();
  };
  const usage = createUsage({ inputUncached: 10 });
  const reported = [{ tool: 'web_search', count: 3 }];
  assert.deepEqual(run(end(usage)), [15n, 15n, false]);
  assert.deepEqual(run(end(usage, reported)), [25n, 25n, false]);
  assert.deepEqual(run(end(undefined, reported)), [25n, 25n, true]);
  const absurd = createUsage({ inputUncached: 10 ** 9 });
  assert.deepEqual(
    run(end(absurd, reported)),
    [15n, 15n, true],
    'with a usage that cannot be, nothing is believed',
  );
});

test('hidden work of a whole answer is estimated by its time if it is not read to the end', () => {
  const unanswered = open({ stream: false });
  unanswered.meter.send();
  unanswered.clock.advance(2_000);
  unanswered.meter.stop(true);
  unanswered.clock.advance(2_000);
  // 50 tokens a second.
  assert.deepEqual(unanswered.pay(), [0n, 10n + 2n * 100n, true]);
  assert.equal(unanswered.meter.outputBound, 100);

  const read = open({ stream: false });
  read.meter.send();
  read.clock.advance(2_000);
  read.see(start(), block('text'), delta(4));
  assert.deepEqual(read.pay(), [12n, 12n, true]);
  read.meter.leave();
  assert.deepEqual(read.pay(), [10n + 200n, 10n + 200n, true]);
});

test('between its blocks a stream reasons out of sight', () => {
  const { meter, clock, see } = open({ mapping: { reasoning: true } });
  meter.send();
  clock.advance(1_000);
  see(start(), block('text'));
  clock.advance(1_000);
  see(delta(3), close);
  assert.equal(meter.outputBound, 51);
  clock.advance(1_000);
  see(block('reasoning'));
  clock.advance(1_000);
  assert.equal(meter.outputBound, 151, 'summaries stand for more than they show');
});

test('a complete answer teaches how fast its model is', () => {
  const { meter, mapping, clock, rates, see } = open();
  meter.send();
  clock.advance(1_000);
  see(start(), end(createUsage({ inputUncached: 1, outputText: 100, outputReasoning: 100 })));
  assert.equal(rates.find(mapping), 200);
});

test('an answer that is cut is billed by the length of each reading of its prompt', () => {
  const tiers = [{ aboveInputTokens: 50, input: '5', output: '10' }];
  const plan = { count: () => [] };
  const { meter, see, pay } = open({
    mapping: { price: parsePrice({ input: '1', output: '2', tiers }) },
    plan,
  });
  const use = (value: string): GenerationEvent => ({
    type: 'block-start',
    index: 0,
    block: { type: 'native', format: 'messages', value: { type: value, name: 'web_search' } },
  });
  see(start(createUsage({ inputUncached: 30 })), use('server_tool_use'), close);
  see(block('text'), delta(4), close);
  assert.deepEqual(pay()[0], 30n + 30n + 2n);
  assert.deepEqual(meter.bill.usage, sumUsages((meter.bill.parts ?? []).map(({ usage }) => usage)));
});
