import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GatewayError } from '#errors';
import { BodyMemory } from './body-memory.ts';

function codeOf(work: () => unknown): string {
  try {
    work();
    return 'accepted';
  } catch (thrown) {
    assert.ok(thrown instanceof GatewayError);
    assert.equal(thrown.facts.retryAfterSeconds, 2);
    return thrown.code;
  }
}

test('the bodies of one organization take three quarters of what others leave', () => {
  const memory = new BodyMemory(96);
  memory.open(32, 'one').take(32);
  const second = memory.open(32, 'one');
  second.take(32);
  memory.open(8, 'one').take(8);
  assert.equal(
    codeOf(() => memory.open(1, 'one')),
    'bodies_too_large',
  );
  memory.open(12, 'two').take(12);
  assert.equal(
    codeOf(() => memory.open(2, 'two')),
    'accepted',
  );
  second.release();
  assert.equal(
    codeOf(() => memory.open(22, 'one')),
    'accepted',
  );
});

test('a body may take half of what the others leave, whether its length was announced or not', () => {
  const memory = new BodyMemory(100);
  const first = memory.open(50, 'one');
  first.take(50);
  assert.equal(
    codeOf(() => memory.open(26)),
    'bodies_too_large',
  );
  const second = memory.open(25, 'two');
  second.take(20);
  const third = memory.open(0, 'three');
  assert.equal(
    codeOf(() => third.take(16)),
    'bodies_too_large',
  );
  third.take(10);
  assert.equal(
    codeOf(() => third.take(6)),
    'bodies_too_large',
    'its own bytes count',
  );
  first.release();
  third.take(25);
});

test('a share of body memory is released once and takes nothing afterwards', () => {
  const memory = new BodyMemory(100);
  const share = memory.open(0);
  share.take(40);
  share.release();
  share.release();
  share.take(40);
  assert.equal(
    codeOf(() => memory.open(50)),
    'accepted',
  );
  assert.equal(
    codeOf(() => memory.open(51)),
    'bodies_too_large',
  );
});
