import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import type { ModelEntry } from '#app';
import { GatewayError } from '#errors';
import { describeFailure } from './terminal/failure.ts';
import { formatExports, formatUnset } from './machine/env.ts';
import { formatModels, formatPerMillion } from './models/models.ts';
import { formatChange } from '#app';
import { readAmount, readAmountFrom, readWhole } from './terminal/read-amount.ts';
import { readSince } from './terminal/read-time.ts';
import { printTexts, toJson } from './terminal/output.ts';
import { createTable, formatTable } from './terminal/table.ts';

test('variables are quoted so that a shell reads them unchanged', () => {
  const variables = { A: 'slc_1', B: "it's $HOME" };
  assert.deepEqual(formatExports(variables, 'sh'), ['export A=slc_1', `export B='it'\\''s $HOME'`]);
  assert.deepEqual(formatExports(variables, 'fish'), [`set -gx A 'slc_1'`, `set -gx B 'it\\'s $HOME'`]);
  assert.deepEqual(formatExports(variables, 'powershell'), [`$env:A = 'slc_1'`, `$env:B = 'it''s $HOME'`]);
  assert.equal(formatUnset('A', 'fish'), 'set -e A');
});

test('text is printed without what a terminal would interpret, and a cell of a table stays in its row', (t) => {
  const written = t.mock.method(process.stdout, 'write', () => true);
  printTexts(formatTable(['model', 'status'], [['\u001B[2Jm\nreq_2\t\u009B1m', '200']]));
  const text = written.mock.calls.map(({ arguments: [part] }) => String(part)).join('');
  written.mock.restore();
  assert.deepEqual(text.split('\n').slice(1), ['�[2Jm req_2 �1m  200', '']);
});

test('a price per token becomes one per million without a rounding', () => {
  const cases = {
    '0.000003': '3',
    '0.00000025': '0.25',
    '0': '0',
    '0.0000375': '37.5',
    '1': '1000000',
    '0.000000000001': '0.000001',
  };
  for (const [perToken, perMillion] of Object.entries(cases))
    assert.equal(formatPerMillion(perToken), perMillion);
});

test('the difference of two amounts is rounded to the nearest tenth of a percent, up and down alike', () => {
  const cases: [now: bigint, was: bigint, text: string][] = [
    [22_232_500n, 467_940_000n, '-95.2 %'],
    [471n, 10_000n, '-95.3 %'],
    [10_009n, 10_000n, '+0.1 %'],
    [9_991n, 10_000n, '-0.1 %'],
    [10_004n, 10_000n, '0.0 %'],
    [9_996n, 10_000n, '0.0 %'],
    [20n, 10n, '+100.0 %'],
    [5n, 0n, '–'],
  ];
  for (const [now, was, text] of cases) assert.equal(formatChange(now, was), text, `${now} of ${was}`);
});

test('a provider that offers a model under several names is listed once', () => {
  const providers = ['anthropic', 'amazon-bedrock', 'amazon-bedrock'].map((providerId) => ({ providerId }));
  const pricing = { prompt: '0.000003', completion: '0.000015' };
  const entry = { id: 'm', context_length: 1, max_output: 1, pricing, providers } as unknown as ModelEntry;
  const [, line] = formatModels([entry]);
  assert.match(line ?? '', /^m +1 +1 +3 +15 +anthropic, amazon-bedrock$/);
});

test('amounts are read exactly or refused', () => {
  assert.equal(readAmount('0.50'), 500_000_000_000n);
  assert.equal(readAmount('$25'), 25_000_000_000_000n);
  for (const text of ['-1', '1e3', 'ten', '', '1,5']) assert.throws(() => readAmount(text), /decimal amount/);
  assert.equal(readAmountFrom(1n)('0.000000000001'), 1n);
  for (const text of ['0', '0.00']) assert.throws(() => readAmountFrom(1n)(text), /positive amount/);
  assert.throws(() => readWhole(10, 20)('9'), /from 10 to 20/);
});

test('a time is read as an age or as a date', () => {
  assert.equal(readSince('2026-01-02T03:04:05Z'), Date.UTC(2026, 0, 2, 3, 4, 5));
  const beforeMs = Date.now();
  const since = readSince('2h') + 7_200_000;
  assert.ok(since >= beforeMs && since <= Date.now());
  assert.throws(() => readSince('yesterday'), /30m, 2h, 7d/);
});

test('columns line up', () => {
  assert.deepEqual(
    formatTable(
      ['a', 'b'],
      [
        ['long', 'x'],
        ['s', 'y'],
      ],
    ),
    ['A     B', 'long  x', 's     y'],
  );
});

test('a row that is wider than the terminal wraps, aligned, and no line is longer', () => {
  const rows = [
    ['2026-11-22', 'key_7Cg4IVzLkWN6', 'one word became another'],
    ['2026-11-23', 'key_1', 'none'],
  ];
  const heading = ['time', 'subject', 'change'];
  assert.deepEqual(formatTable(heading, rows, 30), [
    'TIME        SUBJECT',
    '  CHANGE',
    '2026-11-22  key_7Cg4IVzLkWN6',
    '  one word became another',
    '2026-11-23  key_1',
    '  none',
  ]);
  assert.deepEqual(formatTable(heading, rows, 45).slice(0, 3), [
    'TIME        SUBJECT           CHANGE',
    '2026-11-22  key_7Cg4IVzLkWN6  one word became',
    '                              another',
  ]);
  assert.deepEqual(formatTable(['id'], [['x'.repeat(40)]], 30), ['ID', 'x'.repeat(40)], 'ids stay whole');
});

test('later rows are aligned with the heading of the first', () => {
  const table = createTable(['model', 'ms']);
  assert.deepEqual(table.push([['a-long-name', '1']]), ['MODEL        MS', 'a-long-name  1']);
  assert.deepEqual(table.push([['short', '2']]), ['short        2']);
});

test('a failure is a sentence; the gateway’s own carries its first line of detail', () => {
  assert.equal(describeFailure(new Error('it broke')), 'error: it broke');
  const broken = (code: string): Error =>
    Object.assign(new Error(`${code}: stat 'a.csv'`), { code, path: 'a.csv' });
  assert.equal(describeFailure(broken('ENOENT')), 'error: there is no file a.csv');
  assert.equal(describeFailure(broken('EACCES')), 'error: this user has no access to a.csv');
  assert.equal(describeFailure(broken('EIO')), "error: EIO: stat 'a.csv'");
  const error = new GatewayError('internal_error', 'it broke', { detail: 'no such column\n  at x' });
  assert.equal(describeFailure(error), 'error: it broke (no such column)');
});

test('a file that cannot be written for lack of its folder, or is a folder, is named as such', () => {
  const caught = (work: () => unknown): string => {
    try {
      work();
    } catch (error) {
      return describeFailure(error);
    }
    return '';
  };
  const folder = import.meta.dirname;
  assert.equal(
    caught(() => writeFileSync(`${folder}/none/x`, '')),
    `error: there is no folder ${folder}/none`,
  );
  assert.match(
    caught(() => readFileSync(folder)),
    /is a folder, not a file$/,
  );
  const inside = `${import.meta.filename}/x`;
  assert.equal(
    caught(() => readFileSync(inside)),
    `error: ${import.meta.filename} is not a folder`,
  );
});

test('an amount in JSON is its digits', () => {
  assert.equal(toJson({ amount: 10n ** 20n }), '{"amount":"100000000000000000000"}');
});
