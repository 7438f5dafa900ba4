import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type } from 'typebox';
import type { JsonObject } from '#base';
import { GatewayError } from '#errors';
import { createValidator } from './request-body.ts';

const validate = createValidator(
  Type.Object({
    prompt: Type.Optional(Type.String()),
    n: Type.Optional(Type.Integer()),
    speed: Type.Optional(Type.Number()),
    stream: Type.Optional(Type.Boolean()),
    include: Type.Optional(Type.Unknown()),
  }),
);

const validateForm = (body: JsonObject) => validate({ body, files: new Map(), isForm: true });

test('numbers and booleans of a form are read from their text', () => {
  const body = { prompt: '12', n: '3', speed: '1.5', stream: 'true', include: ['a', 'b'] };
  assert.deepEqual(validateForm(body), { ...body, n: 3, speed: 1.5, stream: true });
});

test('text longer than any number is not read as one, however large', () => {
  for (const name of ['n', 'speed', 'stream'])
    assert.throws(() => validateForm({ [name]: `${'0'.repeat(1_000_000)}1` }), { param: name });
  const prompt = '1'.repeat(1_000_000);
  assert.deepEqual(validateForm({ prompt }), { prompt });
});

function refusalOf(work: () => unknown): string {
  try {
    work();
  } catch (thrown) {
    if (thrown instanceof GatewayError) return thrown.message;
  }
  return '';
}

test('text of a form that is no number is refused, never cut to one or read as 0', () => {
  for (const n of ['2.5', '', ' ', '0x5', '1e1', 'many'])
    assert.equal(
      refusalOf(() => validateForm({ n })),
      'n: must be integer',
      n,
    );
  for (const speed of ['', ' ', '0x5', 'Infinity'])
    assert.equal(
      refusalOf(() => validateForm({ speed })),
      'speed: must be number',
      speed,
    );
  assert.deepEqual(validateForm({ n: '-3', speed: '.5e1' }), { n: -3, speed: 5 });
});

test('a value that a form repeats, or sends as a file, is refused by what is wrong', () => {
  assert.equal(
    refusalOf(() => validateForm({ prompt: ['a', 'b'] })),
    'prompt: must be given once',
  );
  const strict = createValidator(Type.Object({ prompt: Type.String() }));
  const file = { filename: 'a', contentType: 'text/plain', bytes: Buffer.from('a') };
  assert.equal(
    refusalOf(() => strict({ body: {}, files: new Map([['prompt', [file]]]), isForm: true })),
    'prompt: must be text, not a file',
  );
});

test('a member is kept under its exact name; only of an object in a form as name[member]', () => {
  const body = { n: 1, 'n[0]': 10, 'include[a]': 'b' };
  assert.deepEqual(validate({ body, files: new Map(), isForm: false }), { n: 1 });
  assert.deepEqual(validateForm({ ...body, n: '1', 'n[0]': '10' }), { n: 1, 'include[a]': 'b' });
});
