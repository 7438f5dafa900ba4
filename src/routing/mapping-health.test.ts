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

test('pauses double while every probe fails', () => {
  assert.deepEqual(listPauses(8), [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
});

test('where every call fails one request a second finds out, and nobody else calls', () => {
  const health = new MappingHealth();
  for (let request = 0; request < 12; request += 1) health.fail(0, { pauseMs: 30_000 });
  assert.equal(health.standingAt(999), 'closed');
  assert.equal(health.standingAt(1_000), 'due');
  health.probe(1_000);
  assert.equal(health.standingAt(1_001), 'closed');
  health.fail(1_100, { pauseMs: 30_000 });
  assert.equal(health.standingAt(2_099), 'closed');
  health.succeed(2_100);
  assert.equal(health.standingAt(2_101), 'poor', 'called where nothing is better');
});

test('calls that began before a pause neither extend nor end it', () => {
  const health = new MappingHealth();
  for (let request = 0; request < 3; request += 1) health.fail(1_000, PAUSE);
  health.fail(1_900, { ...PAUSE, startedMs: 500 });
  assert.equal(health.pausedUntilMs, 2_000);
  for (let request = 0; request < 20; request += 1) health.succeed(999);
  assert.equal(health.isTrusted, false);
});

test('a sporadic failure among successes is no reason to pause, two in a row are', () => {
  const health = new MappingHealth();
  for (let request = 0; request < 10; request += 1) health.succeed(request);
  health.fail(20, { ...PAUSE, isSporadic: true });
  assert.equal(health.isTrusted, true);
  health.fail(21, { ...PAUSE, isSporadic: true });
  assert.equal(health.isTrusted, false);
  const unknown = new MappingHealth();
  unknown.fail(0, { ...PAUSE, isSporadic: true });
  assert.equal(unknown.isTrusted, false, 'nothing else to go by');
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
  for (let request = 0; request < 5; request += 1) health.fail(request, { ...PAUSE, startedMs: -1 });
  assert.equal(health.pausedUntilMs, 1_000);
});

test('a mapping is trusted again after enough successes, and its next pause is short after a good minute', () => {
  const health = new MappingHealth();
  health.fail(0, PAUSE);
  let count = 0;
  for (; !health.isTrusted; count += 1) health.succeed(1_000);
  assert.ok(count >= 3 && count <= 10, String(count));
  health.fail(2_000, PAUSE);
  assert.equal(health.pausedUntilMs, 4_000, 'soon after: twice as long');
  for (let request = 0; request < 10; request += 1) health.succeed(5_000);
  health.fail(200_000, PAUSE);
  assert.equal(health.pausedUntilMs, 201_000);
});

test('nobody calls a provider before the time it named', () => {
  const told = new MappingHealth();
  told.fail(0, { pauseMs: 1_000, retryAfterMs: 60_000 });
  assert.equal(told.standingAt(59_999), 'closed');
  assert.equal(told.standingAt(60_000), 'due');
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
  assert.equal(health.standingAt(5_999), 'poor');
  assert.equal(health.standingAt(6_000), 'due');
});

test('what a provider asks for replaces a longer pause of our own, and no shorter wish shortens it', () => {
  const health = new MappingHealth();
  health.fail(0, { pauseMs: 60_000 });
  health.fail(1_000, { pauseMs: 1_000, retryAfterMs: 9_000 });
  assert.equal(health.standingAt(9_999), 'closed');
  assert.equal(health.standingAt(10_000), 'due');
  health.fail(2_000, { pauseMs: 1_000, retryAfterMs: 2_000 });
  assert.equal(health.standingAt(9_999), 'closed');
});

test('an answer that begins lets others call what failed every time', () => {
  const health = new MappingHealth();
  for (let request = 0; request < 12; request += 1) health.fail(0, { pauseMs: 30_000 });
  health.probe(1_000);
  assert.equal(health.isProbedAt(1_999), true);
  assert.equal(health.isProbedAt(2_000), false, 'it has no result soon');
  assert.equal(health.standingAt(1_200), 'closed');
  health.noteAnswer();
  assert.equal(health.standingAt(1_200), 'poor');
  assert.equal(health.isTrusted, false);
});

test('a few probes that succeed end the distrust', () => {
  const health = new MappingHealth();
  for (let request = 0; request < 30; request += 1) health.fail(0, PAUSE);
  let probes = 0;
  for (let nowMs = 2_000; !health.isTrusted; nowMs += 60_000, probes += 1) health.succeed(nowMs);
  assert.equal(probes, 3);
});

test('a mapping is compared with one whose first stream has not ended by the first event alone', () => {
  const [known, begun] = [new MappingHealth(), new MappingHealth()];
  for (let request = 0; request < 5; request += 1) {
    known.measure('firstEvent', 0, 100);
    known.measure('perToken', 0, 10);
    begun.measure('firstEvent', 0, 90);
  }
  assert.equal(known.isSlowerThan(begun), false);
  begun.measure('perToken', 0, 1);
  assert.equal(known.isSlowerThan(begun), true);
});

test('after a pause the times are measured anew, and what began before it does not count as new', () => {
  const health = new MappingHealth();
  for (let request = 0; request < 5; request += 1) health.measure('perToken', 0, 100);
  health.fail(1_000, PAUSE);
  health.measure('perToken', 500, 100);
  assert.equal(health.perToken.mean, 100);
  health.measure('perToken', 2_000, 10);
  assert.equal(health.perToken.mean, 10);
  health.measure('perToken', 2_001, 20);
  assert.equal(health.perToken.mean, 12);
});
