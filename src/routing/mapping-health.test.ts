import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MappingHealth } from './mapping-health.ts';

const PAUSE = { pauseMs: 1_000 };

/** An answer that begins and ends at once. */
function answer(health: MappingHealth, startedMs: number): void {
  health.begin(startedMs);
  health.succeed(startedMs);
}

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

test('where every call fails, one request a second probes and no other calls', () => {
  const health = new MappingHealth();
  for (let request = 0; request < 12; request += 1) health.fail(0, { pauseMs: 30_000 });
  assert.equal(health.stateAt(999), 'closed');
  assert.equal(health.stateAt(1_000), 'due');
  health.probe(1_000);
  assert.equal(health.stateAt(1_001), 'closed');
  health.fail(1_100, { pauseMs: 30_000 });
  assert.equal(health.stateAt(2_099), 'closed');
  answer(health, 2_100);
  assert.equal(health.stateAt(2_101), 'poor', 'called where nothing is better');
});

test('what a provider asks for is not made longer by calls that it was silent to before', () => {
  const health = new MappingHealth();
  for (let request = 0; request < 3; request += 1) health.fail(0, { pauseMs: 30_000 });
  health.fail(20_000, { pauseMs: 1_000, retryAfterMs: 22_000 });
  health.fail(41_000, { pauseMs: 5_000, startedMs: 11_000 });
  assert.equal(health.pausedUntilMs, 42_000);
  assert.equal(health.stateAt(42_000), 'due');
});

test('calls that began before a pause neither extend nor end it', () => {
  const health = new MappingHealth();
  for (let request = 0; request < 3; request += 1) health.fail(1_000, PAUSE);
  health.fail(1_900, { ...PAUSE, startedMs: 500 });
  assert.equal(health.pausedUntilMs, 2_000);
  for (let request = 0; request < 20; request += 1) answer(health, 999);
  assert.equal(health.isTrusted, false);
  for (let request = 0; request < 20; request += 1) answer(health, 1_000);
  assert.equal(health.isTrusted, true);
  health.fail(5_000, PAUSE);
  health.fail(5_000, PAUSE);
  const { pausedUntilMs } = health;
  health.fail(9_000, { ...PAUSE, startedMs: 5_000 });
  assert.notEqual(health.pausedUntilMs, pausedUntilMs, 'one that began with the pause counts');
});

test('a sporadic failure among successes is no reason to pause, two in a row are', () => {
  const health = new MappingHealth();
  for (let request = 0; request < 10; request += 1) answer(health, request);
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
  health.measure('perToken', 0, 100);
  health.slowDown(1_000);
  health.measure('firstEvent', 999, 3_000);
  health.measure('perToken', 999, 100);
  assert.equal(health.expectedMs, undefined);
  health.measure('firstEvent', 1_000, 80);
  assert.equal(health.expectedMs, 80);
});

test('a success supersedes attempts that began before it', () => {
  const health = new MappingHealth();
  answer(health, 1_000);
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
  for (; !health.isTrusted && count < 20; count += 1) answer(health, 1_000);
  assert.ok(count >= 3 && count <= 10, String(count));
  health.fail(2_000, PAUSE);
  assert.equal(health.pausedUntilMs, 4_000, 'soon after: twice as long');
  for (let request = 0; request < 10; request += 1) answer(health, 5_000);
  health.fail(200_000, PAUSE);
  assert.equal(health.pausedUntilMs, 201_000);
});

test('a provider is not called before the time it named', () => {
  const warned = new MappingHealth();
  warned.fail(0, { pauseMs: 1_000, retryAfterMs: 60_000 });
  assert.equal(warned.stateAt(59_999), 'closed');
  assert.equal(warned.stateAt(60_000), 'due');
});

test('a provider that asks for a pause of a day is called again after ten minutes', () => {
  const health = new MappingHealth();
  health.fail(0, { pauseMs: 1_000, retryAfterMs: 86_400_000 });
  assert.equal(health.stateAt(600_000), 'due');
});

test('a probe without a result keeps others away for a while only', () => {
  const health = new MappingHealth();
  health.fail(0, PAUSE);
  health.probe(1_000);
  assert.equal(health.stateAt(5_999), 'poor');
  assert.equal(health.stateAt(6_000), 'due');
});

test('what a provider asks for replaces a longer pause of our own, and no shorter request shortens it', () => {
  const health = new MappingHealth();
  health.fail(0, { pauseMs: 60_000 });
  health.fail(1_000, { pauseMs: 1_000, retryAfterMs: 9_000 });
  assert.equal(health.stateAt(9_999), 'closed');
  assert.equal(health.stateAt(10_000), 'due');
  health.fail(2_000, { pauseMs: 1_000, retryAfterMs: 2_000 });
  assert.equal(health.stateAt(9_999), 'closed');
});

test('an answer that begins lets others call what failed every time', () => {
  const health = new MappingHealth();
  for (let request = 0; request < 12; request += 1) health.fail(0, { pauseMs: 30_000 });
  health.probe(1_000);
  assert.equal(health.isProbedAt(1_999), true);
  assert.equal(health.isProbedAt(2_000), false, 'it has no result soon');
  assert.equal(health.stateAt(1_200), 'closed');
  health.begin(1_000);
  assert.equal(health.stateAt(1_200), 'poor');
  assert.equal(health.isTrusted, false);
  assert.equal(health.failedShare.toFixed(2), '0.64', 'it still fails more than others');
});

test('a few probes that succeed end the distrust', () => {
  const health = new MappingHealth();
  for (let request = 0; request < 30; request += 1) health.fail(0, PAUSE);
  let probes = 0;
  for (; !health.isTrusted && probes < 20; probes += 1) answer(health, 2_000 + probes * 60_000);
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

test('after a pause the times are measured again, and what began before it does not count as new', () => {
  const health = new MappingHealth();
  for (let request = 0; request < 5; request += 1) health.measure('perToken', 0, 100);
  health.fail(1_000, PAUSE);
  health.measure('perToken', 500, 100);
  assert.equal(health.perToken.mean, 100);
  health.measure('perToken', 1_000, 10);
  assert.equal(health.perToken.mean, 10, 'one that began with the pause is new');
  health.measure('perToken', 2_000, 20);
  assert.equal(health.perToken.mean, 12);
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
  assert.deepEqual([health.stateAt(5_999), health.stateAt(6_000)], ['poor', 'due']);
  assert.deepEqual([health.firstEvent.count, health.perToken.count, health.whole.count], [0, 0, 1]);
});

test('what is known of the speed before a mapping was too slow does not count in a comparison', () => {
  const [slowed, other] = [new MappingHealth(), new MappingHealth()];
  slowed.measure('perToken', 0, 100);
  slowed.slowDown(1_000);
  slowed.measure('firstEvent', 6_000, 100);
  other.measure('firstEvent', 0, 100);
  other.measure('perToken', 0, 1);
  assert.equal(slowed.isSlowerThan(other), false);
});

test('the speed counts from its first sample, and not at all where the other has none', () => {
  const [one, two] = [new MappingHealth(), new MappingHealth()];
  one.measure('firstEvent', 0, 650);
  one.measure('perToken', 0, 100);
  two.measure('firstEvent', 0, 100);
  assert.equal(one.isSlowerThan(two), false, 'just within four times and 250 ms');
  two.measure('perToken', 0, 1);
  assert.equal(one.isSlowerThan(two), true);
});

test('a pause is about the credential alone while a failure of it still holds, or once one comes', () => {
  const health = new MappingHealth();
  health.slowDown(0);
  assert.equal(health.heedsPeers, true, 'the speed is the provider’s');
  health.fail(5_000, PAUSE);
  assert.equal(health.heedsPeers, true);
  health.fail(5_100, { ...PAUSE, isOfCredential: true });
  assert.equal(health.heedsPeers, false);
  health.fail(health.pausedUntilMs - 1, PAUSE);
  assert.equal(health.heedsPeers, false);
  health.fail(health.pausedUntilMs, PAUSE);
  assert.equal(health.heedsPeers, true, 'the pause about the credential is over');
});

test('what is trusted again after a failure of its credential heeds what other credentials show', () => {
  const health = new MappingHealth();
  health.fail(0, { ...PAUSE, isOfCredential: true });
  for (let probe = 0; probe < 5; probe += 1) answer(health, 1_000);
  assert.deepEqual([health.isTrusted, health.heedsPeers], [true, true]);
  health.slowDown(2_000);
  assert.equal(health.heedsPeers, true, 'its speed is not about the credential');
});

test('after a probe that succeeds the next may follow at once, after one that fails when its pause is over', () => {
  const health = new MappingHealth();
  health.fail(0, PAUSE);
  health.probe(1_000);
  assert.equal(health.stateAt(1_001), 'poor');
  answer(health, 1_000);
  assert.deepEqual([health.isTrusted, health.stateAt(1_001)], [false, 'due']);
  health.probe(1_001);
  health.fail(1_002, PAUSE);
  assert.deepEqual([health.stateAt(3_001), health.stateAt(3_002)], ['poor', 'due']);
});

test('while a request probes what a provider asked to be left alone, others may call it if nothing is better', () => {
  const health = new MappingHealth();
  health.fail(0, { ...PAUSE, retryAfterMs: 2_000 });
  health.probe(2_000);
  assert.equal(health.stateAt(2_000), 'poor');
});

test('a success weighs half as a probe after the pause, else a fifth', () => {
  const weigh = (startedMs: number): number => {
    const health = new MappingHealth();
    for (let request = 0; request < 10; request += 1) health.fail(0, PAUSE);
    answer(health, startedMs);
    return health.failedShare;
  };
  assert.deepEqual([weigh(999).toFixed(2), weigh(1_000)], ['0.64', 0.4]);
  const trusted = new MappingHealth();
  for (let request = 0; request < 10; request += 1) answer(trusted, request);
  trusted.fail(20, { ...PAUSE, isSporadic: true });
  answer(trusted, 30);
  assert.equal(trusted.failedShare.toFixed(3), '0.160', 'one that is trusted is not probed');
});

test('what was too slow is trusted again after two probes that succeed', () => {
  const health = new MappingHealth();
  for (let request = 0; request < 5; request += 1) answer(health, 0);
  health.slowDown(1_000);
  answer(health, 6_000);
  assert.equal(health.isTrusted, false);
  answer(health, 6_001);
  assert.equal(health.isTrusted, true);
});

test('the next pause is short again a minute after the end of the last, also of one that took no time', () => {
  const pauseAfter = (failure: { pauseMs: number; retryAfterMs?: number }, ms: number): number => {
    const health = new MappingHealth();
    health.fail(10_000, failure);
    for (let request = 0; request < 5; request += 1) answer(health, 11_000);
    assert.equal(health.isTrusted, true);
    health.fail(10_000 + ms, PAUSE);
    return health.pausedUntilMs - 10_000 - ms;
  };
  assert.deepEqual([pauseAfter(PAUSE, 60_999), pauseAfter(PAUSE, 61_000)], [2_000, 1_000]);
  const atOnce = { ...PAUSE, retryAfterMs: 0 };
  assert.deepEqual([pauseAfter(atOnce, 59_999), pauseAfter(atOnce, 60_000)], [2_000, 1_000]);
});
