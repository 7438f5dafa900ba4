import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recallBinding } from './recall-binding.ts';
import type { RoutingChoice } from './routing-choice.ts';

const NOTHING = { rules: null, projectRouting: null, keyRouting: null };
const write = (choice: RoutingChoice): string => JSON.stringify(choice);

test('restrictions of project and key stay in layers of their own, beside the rules', () => {
  const rules = JSON.stringify([{ layer: 'project', type: 'allow-providers', values: ['a'] }]);
  const found = recallBinding({
    rules,
    projectRouting: write({ only: ['B'], zdr: true, max_price: { prompt: 3, request: '0.01', image: 0.05 } }),
    keyRouting: write({
      only: ['c'],
      data_collection: 'deny',
      regions: ['eu'],
      ignore: ['d'],
      quantizations: ['fp8', 'unknown'],
    }),
  });
  assert.deepEqual(
    found.rules?.map(({ layer, type, values }) => [layer, type, ...values].join(' ')),
    [
      'project allow-providers a',
      'project-routing zero-retention',
      'project-routing allow-providers b',
      'project-routing max-input-price 3',
      'project-routing max-request-price 0.01',
      'project-routing max-image-price 0.05',
      'key-routing no-training',
      'key-routing regions eu',
      'key-routing allow-providers c',
      'key-routing deny-providers d',
      'key-routing quantizations fp8 unknown',
    ],
  );
  assert.equal('routing' in found, false);
});

test('a key’s order, strategy and fallback models replace its project’s, a ban on fallbacks adds to it', () => {
  const projectRouting = write({
    order: ['A'],
    sort: 'latency',
    allow_fallbacks: false,
    fallback_models: ['m'],
  });
  assert.deepEqual(recallBinding({ ...NOTHING, projectRouting }).routing, {
    order: ['a'],
    sort: 'latency',
    allowsFallbacks: false,
    fallbackModels: ['m'],
  });
  const keyRouting = write({ order: ['b'], allow_fallbacks: true, fallback_models: ['n'] });
  assert.deepEqual(recallBinding({ ...NOTHING, projectRouting, keyRouting }).routing, {
    order: ['b'],
    sort: 'latency',
    allowsFallbacks: false,
    fallbackModels: ['n'],
  });
});

test('the same texts give the same rules, so that they are compiled once; nothing gives nothing', () => {
  const texts = { ...NOTHING, keyRouting: write({ only: ['a'] }) };
  assert.equal(recallBinding({ ...texts }).rules, recallBinding({ ...texts }).rules);
  assert.deepEqual(recallBinding(NOTHING), {});
});

test('routing that this version cannot read refuses everything', () => {
  for (const keyRouting of ['[', '[]', '{"only":[]}', '{"later":true}'])
    assert.deepEqual(recallBinding({ ...NOTHING, keyRouting }).rules, [
      { layer: 'key-routing', type: 'unreadable', values: [] },
    ]);
});

test('weights and strategy are one setting: the innermost that names one of them replaces both', () => {
  const projectRouting = write({ weights: { Azure: 3, openai: 0 } });
  const recall = (choice: RoutingChoice) =>
    recallBinding({ ...NOTHING, projectRouting, keyRouting: write(choice) }).routing;
  assert.deepEqual(recall({})?.weights, { azure: 3, openai: 0 });
  assert.deepEqual(recall({ order: ['a'] })?.weights, { azure: 3, openai: 0 });
  const sorted = recall({ sort: 'latency' });
  assert.deepEqual([sorted?.sort, sorted?.weights], ['latency', undefined]);
  assert.deepEqual(recall({ weights: { b: 1 } })?.weights, { b: 1 });
});

test('a price cap given as any number is a decimal that rules can compare, and never a higher one', () => {
  const capsOf = (max_price: RoutingChoice['max_price']): unknown =>
    recallBinding({ ...NOTHING, keyRouting: write({ ...(max_price && { max_price }) }) }).rules?.flatMap(
      ({ values }) => values,
    );
  for (const [prompt, cap] of [
    [6e-7, '0'],
    [0.1 + 0.2, '0.3'],
    [2.3, '2.3'],
    [1.9999999, '1.999999'],
    [25, '25'],
  ] as const)
    assert.deepEqual(capsOf({ prompt }), [cap]);
  assert.deepEqual(capsOf({ request: 5e-7, image: 0.0012345678 }), ['0.0000005', '0.0012345678']);
});
