import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GatewayError } from '#errors';
import { readRule } from './read-rule.ts';

function read(type: string, ...values: string[]): string[] | string {
  try {
    return readRule({ layer: 'organization', type, values });
  } catch (error) {
    assert.ok(error instanceof GatewayError);
    return String(error.facts.param);
  }
}

const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `model-${index}`);

test('values at a limit are accepted, those beyond it are refused', () => {
  assert.deepEqual(read('allow-models', 'm'.repeat(200)), ['m'.repeat(200)]);
  assert.equal(read('allow-models', 'm'.repeat(201)), 'values');
  assert.equal(read('allow-models', ...names(100)).length, 100);
  assert.equal(read('allow-models', ...names(101)), 'values');
  assert.equal(read('allow-models'), 'values');
  assert.deepEqual(read('max-input-price', '0'), ['0']);
  assert.equal(read('max-input-price', '-1'), 'values');
  assert.equal(read('max-input-price', '1', '2'), 'values');
  assert.deepEqual(read('free-only'), []);
  assert.equal(read('free-only', 'yes'), 'values');
});

test('values are compared without case and outer blanks, and stored once', () => {
  assert.deepEqual(read('allow-models', ' GPT-5 ', 'gpt-5', 'o3'), ['gpt-5', 'o3']);
  assert.equal(read('allow-models', '\ud800'), 'values');
  assert.equal(read('regions', 'e1'), 'values');
  assert.equal(read('no-such-type'), 'type');
  assert.deepEqual(read('allow-networks', '10.0.0.0/8', '2001:DB8::1'), ['10.0.0.0/8', '2001:db8::1']);
  assert.equal(read('allow-networks', 'here'), 'values');
});

test('too few or too many values are refused with how many there may be', () => {
  const refuse = (type: string, ...values: string[]) =>
    assert.throws(() => readRule({ layer: 'organization', type, values }), {
      message: type === 'max-input-price' ? /one price/ : /1 to 100 values/,
    });
  refuse('max-input-price', '1', '2');
  refuse('max-input-price');
  refuse('allow-models');
  refuse('allow-models', ...names(101));
});
