import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { assignVariant } from './experiment.ts';

const anyExperiment = fc.record({
  name: fc.stringMatching(/^[a-z]{1,10}$/),
  variants: fc
    .array(fc.integer({ min: 0, max: 33 }), { minLength: 1, maxLength: 3 })
    .map((percents) => percents.map((percent, at) => ({ name: `v${at}`, to: `m${at}`, percent }))),
});

test('property: a unit keeps its variant, and one with 0 percent gets none', () => {
  fc.assert(
    fc.property(anyExperiment, fc.string(), (experiment, unit) => {
      const variant = assignVariant(experiment, unit);
      assert.equal(assignVariant(experiment, unit), variant);
      assert.notEqual(variant?.percent, 0);
    }),
  );
});

test('property: more percent for the last variant take units from the control group alone', () => {
  fc.assert(
    fc.property(anyExperiment, fc.integer({ min: 1, max: 60 }), fc.string(), (experiment, more, unit) => {
      const last = experiment.variants.at(-1) ?? assert.fail();
      const grown = {
        ...experiment,
        variants: [...experiment.variants.slice(0, -1), { ...last, percent: last.percent + more }],
      };
      const [before, after] = [assignVariant(experiment, unit), assignVariant(grown, unit)];
      if (before) assert.equal(after?.name, before.name);
      else assert.ok(after === undefined || after.name === last.name);
    }),
  );
});

test('each variant gets its share of the units, and two experiments assign them independently', () => {
  const half = [{ name: 'half', to: 'm', percent: 50 }];
  const [one, two] = [
    { name: 'one', variants: half },
    { name: 'two', variants: half },
  ];
  const count = 10_000;
  const seen = { one: 0, two: 0, both: 0 };
  for (let unit = 0; unit < count; unit += 1) {
    const [inOne, inTwo] = [assignVariant(one, `u${unit}`), assignVariant(two, `u${unit}`)];
    seen.one += Number(inOne !== undefined);
    seen.two += Number(inTwo !== undefined);
    seen.both += Number(inOne !== undefined && inTwo !== undefined);
  }
  const isNear = (value: number, expected: number): boolean => Math.abs(value / count - expected) < 0.03;
  assert.ok(isNear(seen.one, 0.5) && isNear(seen.two, 0.5) && isNear(seen.both, 0.25), JSON.stringify(seen));
});

test('property: a variant with 100 percent gets every unit', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (name, unit) => {
      const all = { name: 'all', to: 'm', percent: 100 };
      assert.equal(assignVariant({ name, variants: [all] }, unit), all);
    }),
  );
});

test('of a thousand units none gets a variant with 0 percent, first or last', () => {
  const [none, some] = [
    { name: 'none', to: 'm', percent: 0 },
    { name: 'some', to: 'm', percent: 50 },
  ];
  for (const variants of [[none], [none, some], [some, none]])
    for (let unit = 0; unit < 1_000; unit += 1)
      assert.notEqual(assignVariant({ name: 'x', variants }, `u${unit}`)?.name, 'none');
});
