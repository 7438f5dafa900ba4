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

test('what a provider asks for is not made longer by calls that it was silent to before', () => {
  const health = new MappingHealth();
  for (let request = 0; request < 3; request += 1) health.fail(0, { pauseMs: 30_000 });
  health.fail(20_000, { pauseMs: 1_000, retryAfterMs: 22_000 });
  health.fail(41_000, { pauseMs: 5_000, startedMs: 11_000 });
  assert.equal(health.pausedUntilMs, 42_000);
  assert.equal(health.standingAt(42_000), 'due');
});

test('calls that began before a pause neither extend nor end it', () => {
  const health = new MappingHealth();
  for (let request = 0; request < 3; request += 1) health.fail(1_000, PAUSE);
  health.fail(1_900, { ...PAUSE, startedMs: 500 });
  assert.equal(health.pausedUntilMs, 2_000);
  for (let request = 0; request < 20; request += 1) health.succeed(999);
  assert.equal(health.isTrusted, false);
  for (let request = 0; request < 20; request += 1) health.succeed(1_000);
  assert.equal(health.isTrusted, true);
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

test('a report tells what another process may know, and a restored mapping stands as the reported one', () => {
  const health = new MappingHealth();
  assert.equal(health.isCalled, false);
  const nothing = { isTrusted: true, failedShare: 0, pausedMs: 0, hasRetryAfter: false };
  assert.deepEqual(health.report(0), nothing);
  health.measure('firstEvent', 0, 300);
  health.measure('whole', 0, 4_000);
  health.measure('perToken', 0, 20);
  health.fail(0, { pauseMs: 1_000, retryAfterMs: 9_000 });
  assert.equal(health.isCalled, true);
  const told = {
    isTrusted: false,
    failedShare: 1,
    hasRetryAfter: true,
    firstEventMs: 300,
    wholeMs: 4_000,
    msPerToken: 20,
  };
  assert.deepEqual(health.report(2_000), { ...told, pausedMs: 7_000 });
  assert.deepEqual(health.report(9_001), { ...told, pausedMs: 0 });
  const other = new MappingHealth();
  other.restore(health.report(2_000), 50_000);
  assert.deepEqual(other.report(51_000), { ...told, pausedMs: 6_000 });
  assert.deepEqual([other.standingAt(56_999), other.standingAt(57_000)], ['closed', 'due']);
  assert.deepEqual([other.isHopeless, other.expectedMs], [true, 4_300]);
});

test('from another process come the times that are unknown here and the pause that a provider asked for, no failures', () => {
  const heard = {
    isTrusted: false,
    failedShare: 1,
    pausedMs: 5_000,
    hasRetryAfter: true,
    firstEventMs: 100,
    wholeMs: 200,
    msPerToken: 3,
  };
  const health = new MappingHealth();
  health.hear({ ...heard, hasRetryAfter: false }, 1_000);
  assert.deepEqual([health.isTrusted, health.failedShare, health.isCalled], [true, 0, false]);
  assert.deepEqual([health.firstEvent.mean, health.whole.mean, health.perToken.mean], [100, 200, 3]);
  health.hear({ ...heard, firstEventMs: 900, wholeMs: 900, msPerToken: 9 }, 1_000);
  assert.deepEqual([health.firstEvent.mean, health.whole.mean, health.perToken.mean], [100, 200, 3]);
  assert.deepEqual([health.standingAt(5_999), health.standingAt(6_000)], ['closed', 'due']);
  assert.equal(health.report(1_000).hasRetryAfter, false, 'who was told reports it');
  health.hear({ ...heard, pausedMs: 4_000 }, 1_500);
  assert.equal(health.pausedUntilMs, 6_000, 'a shorter one changes nothing');
  health.hear({ ...heard, pausedMs: 0 }, 7_000);
  assert.equal(health.standingAt(7_000), 'due');
  health.fail(7_000, { pauseMs: 0, retryAfterMs: 1_000 });
  assert.equal(health.report(7_000).hasRetryAfter, true);
});

test('what fails every time is the last resort for 15 s, and shorter if its pause is', () => {
  const fail = (pauseMs: number): MappingHealth => {
    const health = new MappingHealth();
    for (let request = 0; request < 10; request += 1) health.fail(0, { pauseMs });
    return health;
  };
  const [long, short] = [fail(30_000), fail(5_000)];
  assert.deepEqual([long.isLastResortAt(14_999), long.isLastResortAt(15_000)], [true, false]);
  assert.deepEqual([short.isLastResortAt(4_999), short.isLastResortAt(5_000)], [true, false]);
  assert.equal(new MappingHealth().isLastResortAt(0), false);
});

test('slower means beyond twice the other and 250 ms; four times with few samples', () => {
  const create = (ms: number, samples: number): MappingHealth => {
    const health = new MappingHealth();
    for (let sample = 0; sample < samples; sample += 1) health.measure('firstEvent', 0, ms);
    return health;
  };
  const isSlower = (ownMs: number, otherMs: number, samples = 3): boolean =>
    create(ownMs, samples).isSlowerThan(create(otherMs, 3));
  assert.deepEqual([isSlower(1_250, 500), isSlower(1_251, 500)], [false, true]);
  assert.deepEqual([isSlower(2_250, 500, 2), isSlower(2_251, 500, 2)], [false, true]);
  assert.equal(isSlower(9_000, 500, 0), false);
});

test('a mapping that is too slow is left alone for 5 s, and its next times are new', () => {
  const health = new MappingHealth();
  for (const timing of ['firstEvent', 'perToken', 'whole'] as const) health.measure(timing, 0, 100);
  health.slowDown(1_000);
  assert.deepEqual([health.failedShare, health.isTrusted], [0.3, false]);
  assert.deepEqual([health.standingAt(5_999), health.standingAt(6_000)], ['poor', 'due']);
  assert.deepEqual([health.firstEvent.count, health.perToken.count, health.whole.count], [0, 0, 1]);
});
