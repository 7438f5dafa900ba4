import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MappingHealth } from './mapping-health.ts';

const PAUSE = { pauseMs: 1_000 };

/** How long it is left alone after each of some failures, each as soon as the pause before is over. */
function listPauses(count: number): number[] {
  const health = new MappingHealth();
  let nowMs = 0;
  return Array.from({ length: count }, () => {
    health.fail(nowMs, PAUSE);
    const pauseMs = health.pausedUntilMs - nowMs;
    nowMs = health.pausedUntilMs;
    return pauseMs;
  });
}

test('pauses double while every probe fails, and are shorter again where nothing is left but to wait', () => {
  assert.deepEqual(listPauses(8), [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
  assert.equal(listPauses(12).at(-1), 15_000);
});

test('a long pause becomes short when more failures leave no hope: a provider that is back must not be refused for a minute', () => {
  const health = new MappingHealth();
  let nowMs = 0;
  for (let pause = 0; pause < 7; pause += 1) {
    health.fail(nowMs, PAUSE);
    nowMs = health.pausedUntilMs;
  }
  health.fail(nowMs, PAUSE);
  for (let request = 0; request < 12; request += 1) health.fail(nowMs + 1, PAUSE);
  assert.equal(health.pausedUntilMs, nowMs + 1 + 15_000);
});

test('streams that began before a provider was found slow do not count against its next probes', () => {
  const health = new MappingHealth();
  health.measure('firstEvent', 0, 3_000);
  health.slowDown(1_000);
  health.measure('firstEvent', 999, 3_000);
  health.measure('perToken', 999, 100);
  assert.equal(health.expectedMs, undefined);
  health.measure('firstEvent', 1_000, 80);
  assert.equal(health.expectedMs, 80);
});

test('a success tells that attempts which began before it are old news', () => {
  const health = new MappingHealth();
  health.succeed(1_000);
  assert.equal(health.hasSucceededSince(999), true);
  assert.equal(health.hasSucceededSince(1_000), false);
});

test('failures at the same time are one reason to pause', () => {
  const health = new MappingHealth();
  for (let request = 0; request < 5; request += 1) health.fail(request, PAUSE);
  assert.equal(health.pausedUntilMs, 1_004);
});

test('a mapping is trusted again after enough successes, and its next pause is short after a good minute', () => {
  const health = new MappingHealth();
  for (let time = 0; time < 3; time += 1) health.fail(0, PAUSE);
  const untilTrusted = () => {
    let count = 0;
    for (; health.standingAt(1_000) !== 'healthy'; count += 1) health.succeed(0);
    return count;
  };
  assert.equal(untilTrusted(), 6);
  health.fail(2_000, PAUSE);
  assert.equal(health.pausedUntilMs, 4_000, 'soon after: twice as long');
  health.fail(200_000, PAUSE);
  assert.equal(health.pausedUntilMs, 201_000);
});

test('nobody calls a provider before the time it named, or one of which nothing is expected', () => {
  const told = new MappingHealth();
  told.fail(0, { pauseMs: 1_000, retryAfterMs: 60_000 });
  assert.equal(told.standingAt(59_999), 'closed');
  assert.equal(told.standingAt(60_000), 'due');
  const hopeless = new MappingHealth();
  for (let time = 0; time < 10; time += 1) hopeless.fail(0, PAUSE);
  assert.equal(hopeless.standingAt(999), 'poor');
  hopeless.fail(0, PAUSE);
  assert.equal(hopeless.standingAt(999), 'closed');
});

test('a provider that asks for a day is asked again after ten minutes', () => {
  const health = new MappingHealth();
  health.fail(0, { pauseMs: 1_000, retryAfterMs: 86_400_000 });
  assert.equal(health.standingAt(600_000), 'due');
});

test('a probe without a result keeps others away for a while only', () => {
  const health = new MappingHealth();
  health.fail(0, PAUSE);
  health.probe(1_000);
  assert.equal(health.standingAt(30_999), 'poor');
  assert.equal(health.standingAt(31_000), 'due');
});
