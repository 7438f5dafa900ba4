import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MappingHealth } from './mapping-health.ts';

const PAUSE = { pauseMs: 1_000 };

test('a mapping that is not trusted again has not been forgiven, however much time has passed', () => {
  const health = new MappingHealth();
  health.fail(0, PAUSE);
  health.fail(10_000_000, { ...PAUSE, startedMs: 9_999_999 });
  assert.equal(health.pausedUntilMs, 10_002_000, 'twice as long');
});

/** The requests, at equal distances, of which each tries it as soon as its pause is over, and fails. */
function listProbes(gapMs: number, count: number): number[] {
  const health = new MappingHealth();
  const probes: number[] = [];
  for (let request = 0; request < count; request += 1) {
    const startedMs = request * gapMs;
    health.see(startedMs);
    if (!['healthy', 'due'].includes(health.stateAt(startedMs)) || health.isLastResortAt(startedMs)) continue;
    health.fail(startedMs + 1_500, { startedMs, pauseMs: 5_000 });
    probes.push(request);
  }
  return probes;
}

test('where requests are rare, few of them are probes of what fails', () => {
  assert.deepEqual(listProbes(60_000, 40), [0, 1, 4, 9, 18, 29]);
  assert.deepEqual(listProbes(600_000, 20), [0, 1, 2, 4, 7, 11, 15, 19]);
  assert.ok(listProbes(60_000, 1_000).length < 110, 'also where it is known to fail every time');
});

test('where requests are not rare, no pause of our own is longer than a minute', () => {
  const probes = listProbes(14_000, 1_000);
  const gaps = probes.map((probe, at) => probe - (probes[at - 1] ?? 0));
  assert.equal(Math.max(...gaps) * 14_000, 70_000);
});
