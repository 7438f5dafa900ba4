import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type JsonSize, JsonMeter } from './json-size.ts';

const NO_LIMITS = { depth: 1_000, values: Infinity, names: Infinity };

function measure(text: string, limits = NO_LIMITS, step = Infinity): JsonSize {
  const meter = new JsonMeter(Buffer.from(text), limits);
  while (meter.advance(step));
  return meter.size;
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

/** With one more for each text, and each array or object that is empty, as the meter has it. */
function valuesOf(value: unknown): number {
  if (typeof value === 'string') return 2;
  if (typeof value !== 'object' || value === null) return 1;
  const inner: unknown[] = Object.values(value);
  return 1 + (inner.length === 0 ? 1 : inner.reduce<number>((sum, one) => sum + valuesOf(one), 0));
}

test('depth and values measured in bytes are those of the value, whatever its strings hold, in steps of any length', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 12 }), fc.integer({ min: 1, max: 50 }), (value, step) => {
      const { depth, values } = measure(JSON.stringify(value), NO_LIMITS, step);
      assert.deepEqual([depth, values], [depthOf(value), valuesOf(value)]);
    }),
  );
});

test('brackets and escaped quotes inside strings do not count', () => {
  assert.equal(measure(JSON.stringify({ a: '[[[{{{"\\"[[', b: ['\\'] })).depth, 2);
});

test('measuring stops at the limits and survives anything', () => {
  assert.equal(measure('['.repeat(1_000_000), { ...NO_LIMITS, depth: 128 }).depth, 129);
  assert.ok(measure(`[${'1,'.repeat(1_000_000)}1]`, { ...NO_LIMITS, values: 1_000 }, 100).values < 1_200);
  fc.assert(
    fc.property(
      fc.uint8Array(),
      (bytes) => new JsonMeter(Buffer.from(bytes), NO_LIMITS).advance(1_000) || true,
    ),
  );
});

test('the outermost member with most values is named', () => {
  const { largest } = measure('{"a":[1,2],"b\\"":{"x":[1,2,3]},"c":1}');
  assert.equal(largest.name, 'b\\"');
  assert.deepEqual(measure('[1,2]').largest, { name: '', values: 0 });
});

test('names are counted where they differ, and only beyond the first 10,000', () => {
  const list = (count: number, name: (at: number) => string): string =>
    `{${Array.from({ length: count }, (_, at) => `"${name(at)}":1`).join()}}`;
  assert.equal(measure(list(10_000, (at) => `k${at}`)).names, 0);
  const { names } = measure(list(40_000, (at) => `k${at}`));
  assert.ok(names > 29_000 && names <= 30_000, String(names));
  assert.equal(measure(list(40_000, (at) => `k${at % 2}`)).names, 2);
});

test('of colons that follow one another, each is looked at once: together they would take minutes', () => {
  for (const start of ['', '"a"', '{"a"', `"${'a'.repeat(1_000)}"`])
    assert.ok(measure(start + ':'.repeat(20_000)).names <= 2, start.slice(0, 10));
});

test('a string is measured in steps too, however its quotes are escaped', () => {
  for (const inner of [String.raw`\"`, String.raw`\\`, String.raw`\\\"`, 'ab']) {
    const text = `{"a":["${inner.repeat(5_000)}",1],"b":2}`;
    for (const step of [1, 7, 64, 1_000]) {
      const meter = new JsonMeter(Buffer.from(text), NO_LIMITS);
      let steps = 1;
      while (meter.advance(step)) steps += 1;
      assert.deepEqual(meter.size, measure(text));
      assert.equal(meter.size.values, valuesOf(JSON.parse(text)));
      if (inner.endsWith('"')) assert.ok(steps > 5, String(steps));
    }
  }
});
