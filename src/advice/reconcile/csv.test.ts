import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCsv } from './csv.ts';

test('fields have quotes, commas and line breaks only in quotes', () => {
  assert.deepEqual(readCsv('f', '\uFEFFa,"b ""c"",\r\nd",\r\n\r\n"",e'), [
    { line: 1, cells: ['a', 'b "c",\r\nd', ''] },
    { line: 4, cells: ['', 'e'] },
  ]);
  for (const [text, line] of [
    ['a"b', 1],
    ['a\n"b" c', 2],
    ['"a', 1],
    ['"a""', 1],
  ] as const)
    assert.throws(() => readCsv('f', text), { message: new RegExp(`line ${line}`) });
});

test('a quoted field of 20 million characters is read', () => {
  const [record] = readCsv('f', `"${'""'.repeat(10_000_000)}",b`);
  assert.deepEqual(
    record?.cells.map(({ length }) => length),
    [10_000_000, 1],
  );
});
