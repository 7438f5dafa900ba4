import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MappingHealth } from './mapping-health.ts';

const PAUSE = { pauseMs: 1_000 };

/** An answer that begins and ends at once. */
function answer(health: MappingHealth, startedMs: number): void {
  health.begin(startedMs);
  health.succeed(startedMs);
}

test('answers of a burst count beside its failures, which are known earlier; those of calls before it do not', () => {
  const shareAfter = (startedMs: number): number => {
    const health = new MappingHealth();
    for (let nowMs = 0; nowMs < 40_000; nowMs += 2_000) {
      for (let failure = 0; failure < 3; failure += 1)
        health.fail(nowMs + 5, { startedMs: nowMs, pauseMs: 1_000, retryAfterMs: 1_000 });
      for (let success = 0; success < 9; success += 1) answer(health, nowMs + startedMs);
      assert.equal(health.stateAt(nowMs + 900), 'closed', 'the pause is not ended');
    }
    return health.failedShare;
  };
  assert.ok(shareAfter(1) < 0.3);
  assert.ok(shareAfter(-1) > 0.7);
});

test('answers count when they begin, as failures do, however long they take', () => {
  const health = new MappingHealth();
  for (let nowMs = 0; nowMs < 20_000; nowMs += 100) {
    if (nowMs % 500 === 0) health.fail(nowMs, { ...PAUSE, isSporadic: true });
    else health.begin(nowMs);
    assert.equal(health.isFailing && nowMs > 1_000, false, 'no answer has ended yet');
  }
  assert.ok(health.failedShare < 0.4, String(health.failedShare));
});

test('an answer that is cut is a failure and no success', () => {
  const cut = new MappingHealth();
  const failed = new MappingHealth();
  for (const health of [cut, failed]) for (let request = 0; request < 20; request += 1) answer(health, 0);
  cut.begin(1_000);
  for (const [health, hasBegun] of [
    [cut, true],
    [failed, false],
  ] as const)
    health.fail(2_000, { ...PAUSE, startedMs: 1_000, isSporadic: true, hasBegun });
  assert.equal(cut.failedShare, failed.failedShare);
  const probed = new MappingHealth();
  probed.fail(0, PAUSE);
  probed.begin(1_000);
  probed.fail(2_000, { ...PAUSE, startedMs: 1_000, hasBegun: true });
  assert.equal(probed.failedShare, 1, 'a probe counts at its end');
});

test('what fails now and then is not left alone for longer each time: after ten answers, after fifty where a failure cost more', () => {
  const pauseAfter = (answers: number, failure: { isSporadic?: boolean; hasBegun?: boolean }): number => {
    const health = new MappingHealth();
    let nowMs = 0;
    for (let round = 0; round < 5; round += 1) {
      for (let request = 0; request < answers; request += 1) answer(health, nowMs);
      for (let count = 0; count < 2; count += 1) health.fail(nowMs, { ...PAUSE, ...failure });
      nowMs = health.pausedUntilMs;
    }
    return nowMs;
  };
  const sporadic = { isSporadic: true };
  assert.ok(pauseAfter(9, sporadic) > 15_000);
  assert.ok(pauseAfter(12, sporadic) < 8_000);
  for (const failure of [{}, { ...sporadic, hasBegun: true }]) {
    assert.ok(pauseAfter(40, failure) > 15_000);
    assert.ok(pauseAfter(54, failure) < 8_000);
  }
});

test('after failures before the answer a probe counts with its first event, after cuts only at its end', () => {
  const trustsWhileProbed = (failure: { hasBegun?: boolean }): boolean => {
    const health = new MappingHealth();
    health.begin(0);
    health.fail(10, { ...PAUSE, startedMs: 0, ...failure });
    for (let probe = 0; probe < 5; probe += 1) health.begin(2_000 + probe);
    return health.isTrusted;
  };
  assert.equal(trustsWhileProbed({}), true);
  assert.equal(trustsWhileProbed({ hasBegun: true }), false);
});

test('streams that were open at a cut and end well restore trust once the pause is over; those that failed before an answer began do not', () => {
  const trustsAt = (endMs: number, failure: { hasBegun?: boolean }): boolean => {
    const health = new MappingHealth();
    for (let stream = 0; stream < 40; stream += 1) health.begin(stream);
    health.fail(50, { ...PAUSE, startedMs: 40, ...failure });
    for (let stream = 0; stream < 40; stream += 1) health.succeed(stream, endMs);
    return health.isTrusted;
  };
  assert.equal(trustsAt(1_049, { hasBegun: true }), false);
  assert.equal(trustsAt(1_050, { hasBegun: true }), true);
  assert.equal(trustsAt(1_050, {}), false);
});

test('how long a model thinks in silence is known after one stream and a pause, or it would be paused again and again', () => {
  const health = new MappingHealth();
  for (const startedMs of [0, 60_000]) {
    health.begin(startedMs);
    health.fail(startedMs + 20_000, { startedMs, hasBegun: true, pauseMs: 5_000 });
    health.measure('silence', startedMs, 45_000);
    health.succeed(startedMs, startedMs + 50_000);
  }
  assert.deepEqual([health.silence.count, health.silence.mean], [2, 45_000]);
});
