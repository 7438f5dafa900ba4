import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { findJsonFault } from './find-json-fault.ts';
import { parseJson } from './json.ts';

const FAULTS: [text: string, line: number, column: number, problem: string][] = [
  ['{"a":x}', 1, 6, 'expected a value, found x'],
  ['{"a":1,}', 1, 8, 'expected a name in double quotes, found }'],
  ["{'a':1}", 1, 2, "expected a name in double quotes or }, found '"],
  ['{\n  "a": [1, 2,]\n}', 2, 14, 'expected a value, found ]'],
  ['{"a":1\n "b":2}', 2, 2, 'expected , or }, found "'],
  ['{"a":[1 2]}', 1, 9, 'expected , or ], found 2'],
  ['{"a" 1}', 1, 6, 'expected :, found 1'],
  ['{"a":1', 1, 7, 'expected , or }, found the end'],
  ['{"a":"b', 1, 8, 'the string has no end'],
  ['{"a":"b\nc"}', 1, 8, 'U+000A must be escaped in a string'],
  [String.raw`{"a":"b\x"}`, 1, 8, 'unknown escape in a string'],
  ['{"a":1}}', 1, 8, 'expected nothing after the value, found }'],
  ['[v]', 1, 2, 'expected a value or ], found v'],
  ['{"a":NaN}', 1, 6, 'expected a value, found N'],
  ['\ufeff{}', 1, 1, 'expected a value, found U+FEFF'],
  ['[', 1, 2, 'expected a value or ], found the end'],
];

test('the place and the problem of a fault are named, with one character of the text', () => {
  for (const [text, line, column, problem] of FAULTS)
    assert.deepEqual(findJsonFault(text), { line, column, problem }, text);
});

test('a string may be longer than what a regular expression can go back', () => {
  const long = `{"a":"${'a'.repeat(40_000_000)}`;
  assert.deepEqual(findJsonFault(long), {
    line: 1,
    column: long.length + 1,
    problem: 'the string has no end',
  });
  const escaped = `{"a":"${String.raw`\"`.repeat(10_000_000)}" 1}`;
  assert.equal(findJsonFault(escaped)?.problem, 'expected , or }, found 1');
});

test('a text has a fault if and only if it is not JSON, and not before its damage', () => {
  const damaged = fc
    .tuple(fc.json({ maxDepth: 4 }), fc.nat(), fc.string({ maxLength: 2 }), fc.nat(2))
    .map(([json, where, inserted, removed]) => {
      const at = where % (json.length + 1);
      return { text: json.slice(0, at) + inserted + json.slice(at + removed), at };
    });
  fc.assert(
    fc.property(damaged, ({ text, at }) => {
      const fault = findJsonFault(text);
      assert.equal(fault === undefined, parseJson(text) !== undefined);
      // A fault may begin with the scalar or escape that was damaged further on.
      if (fault?.line === 1)
        assert.ok(fault.column > Math.min(at, text.length) - 6, JSON.stringify([text, at]));
    }),
    { numRuns: 2_000 },
  );
});

test('the longest text that is searched is, whatever it is made of', () => {
  const most = 1024 * 1024;
  for (const filler of ['1', ' ', '\n']) assert.ok(findJsonFault(`[${filler.repeat(most)}x`), filler);
  for (const filler of ['x', String.raw`\n`])
    assert.equal(findJsonFault(`"${filler.repeat(most / filler.length)}`)?.column, most + 2);
});
