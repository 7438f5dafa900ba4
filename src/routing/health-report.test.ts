import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MappingHealth } from './mapping-health.ts';

test('a report has what another process may know, and a restored mapping is in the reported state', () => {
  const health = new MappingHealth();
  assert.equal(health.isCalled, false);
  const nothing = { isTrusted: true, failedShare: 0, pausedMs: 0, hasRetryAfter: false };
  assert.deepEqual(health.report(0), nothing);
  health.measure('firstEvent', 0, 300);
  health.measure('whole', 0, 4_000);
  health.measure('perToken', 0, 20);
  health.fail(0, { pauseMs: 1_000, retryAfterMs: 9_000 });
  assert.equal(health.isCalled, true);
  const expected = {
    isTrusted: false,
    failedShare: 1,
    hasRetryAfter: true,
    firstEventMs: 300,
    wholeMs: 4_000,
    msPerToken: 20,
  };
  assert.deepEqual(health.report(2_000), { ...expected, pausedMs: 7_000 });
  assert.deepEqual(health.report(9_001), { ...expected, pausedMs: 0 });
  const other = new MappingHealth();
  other.restore(health.report(2_000), 50_000);
  assert.deepEqual(other.report(51_000), { ...expected, pausedMs: 6_000 });
  assert.deepEqual([other.stateAt(56_999), other.stateAt(57_000)], ['closed', 'due']);
  assert.deepEqual([other.isFailing, other.expectedMs], [true, 4_300]);
});

test('from another process come the times that are unknown here and the pause that a provider asked for, no failures', () => {
  const reported = {
    isTrusted: false,
    failedShare: 1,
    pausedMs: 5_000,
    hasRetryAfter: true,
    firstEventMs: 100,
    wholeMs: 200,
    msPerToken: 3,
  };
  const health = new MappingHealth();
  health.adopt({ ...reported, hasRetryAfter: false }, 1_000);
  assert.deepEqual([health.isTrusted, health.failedShare, health.isCalled], [true, 0, false]);
  assert.deepEqual([health.firstEvent.mean, health.whole.mean, health.perToken.mean], [100, 200, 3]);
  health.adopt({ ...reported, firstEventMs: 900, wholeMs: 900, msPerToken: 9 }, 1_000);
  assert.deepEqual([health.firstEvent.mean, health.whole.mean, health.perToken.mean], [100, 200, 3]);
  assert.deepEqual([health.stateAt(5_999), health.stateAt(6_000)], ['closed', 'due']);
  assert.equal(health.report(1_000).hasRetryAfter, false, 'the process that was asked to wait reports it');
  health.adopt({ ...reported, pausedMs: 4_000 }, 1_500);
  assert.equal(health.pausedUntilMs, 6_000, 'a shorter one changes nothing');
  health.adopt({ ...reported, pausedMs: 0 }, 7_000);
  assert.equal(health.stateAt(7_000), 'due');
  health.fail(7_000, { pauseMs: 0, retryAfterMs: 1_000 });
  assert.equal(health.report(7_000).hasRetryAfter, true);
});

test('the pause that another process was asked for replaces a shorter one', () => {
  const health = new MappingHealth();
  health.fail(0, { pauseMs: 1_000 });
  const reported = { isTrusted: false, failedShare: 1, hasRetryAfter: true };
  health.adopt({ ...reported, pausedMs: 60_000 }, 500);
  assert.equal(health.pausedUntilMs, 60_500);
});

test('a pause that another process was asked for takes nothing from one of here that is at least as long', () => {
  const reported = { isTrusted: false, failedShare: 1, hasRetryAfter: true };
  for (const pausedMs of [4_000, 5_000]) {
    const health = new MappingHealth();
    health.fail(0, { pauseMs: 1_000, retryAfterMs: 5_000 });
    health.adopt({ ...reported, pausedMs }, 0);
    assert.equal(health.report(0).hasRetryAfter, true, 'this process still reports it');
  }
});

test('a pause of another process that is over takes no trust, one of a millisecond does', () => {
  const isTrustedAfter = (pausedMs: number): boolean => {
    const health = new MappingHealth();
    health.adopt({ isTrusted: false, failedShare: 1, hasRetryAfter: true, pausedMs }, 1_000);
    return health.isTrusted;
  };
  assert.deepEqual([isTrustedAfter(-1), isTrustedAfter(0), isTrustedAfter(1)], [true, true, false]);
});

test('a restored mapping that fails nine times of ten is probed every second', () => {
  const restore = (failedShare: number): MappingHealth => {
    const health = new MappingHealth();
    health.restore({ isTrusted: false, failedShare, pausedMs: 30_000, hasRetryAfter: false }, 50_000);
    return health;
  };
  const [failing, poor] = [restore(0.9), restore(0.89)];
  assert.deepEqual([failing.stateAt(50_999), failing.stateAt(51_000)], ['closed', 'due']);
  assert.equal(poor.stateAt(51_000), 'poor');
});

test('a pause that another process was asked for is not ended by what other credentials of the provider show', () => {
  const health = new MappingHealth();
  health.adopt({ isTrusted: false, failedShare: 1, hasRetryAfter: true, pausedMs: 60_000 }, 0);
  assert.equal(health.heedsPeers, false);
});
