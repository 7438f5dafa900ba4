import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type } from 'typebox';
import type { JsonObject } from '#base';
import { GatewayError } from '#errors';
import { createJudge } from './request-body.ts';

const judge = createJudge(
  Type.Object({
    prompt: Type.Optional(Type.String()),
    n: Type.Optional(Type.Integer()),
    speed: Type.Optional(Type.Number()),
    stream: Type.Optional(Type.Boolean()),
    include: Type.Optional(Type.Unknown()),
  }),
);

const judgeForm = (body: JsonObject) => judge({ body, files: new Map(), isForm: true });

test('numbers and booleans of a form are read from their text', () => {
  const body = { prompt: '12', n: '3', speed: '1.5', stream: 'true', include: ['a', 'b'] };
  assert.deepEqual(judgeForm(body), { ...body, n: 3, speed: 1.5, stream: true });
});

test('text longer than any number is not read as one, however large', () => {
  for (const name of ['n', 'speed', 'stream'])
    assert.throws(
      () => judgeForm({ [name]: `${'0'.repeat(1_000_000)}1` }),
      (thrown) => thrown instanceof GatewayError && thrown.param === name,
    );
  const prompt = '1'.repeat(1_000_000);
  assert.deepEqual(judgeForm({ prompt }), { prompt });
});
