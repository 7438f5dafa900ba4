import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Asked } from './route-clients.ts';
import { type Call, type Seen, findMisses, measure } from './route-figures.ts';

const FAULT_MS = 1_000;
const END_MS = 21_000;

function ask(startedMs: number, tookMs: number, facts: Partial<Asked> = {}): Asked {
  return {
    id: String(startedMs),
    model: 'm',
    stream: true,
    startedMs,
    firstMs: startedMs + tookMs / 2,
    endedMs: startedMs + tookMs,
    outcome: 'whole',
    providerId: 'one',
    ...facts,
  };
}

function see(asked: readonly Asked[], calls: readonly Call[] = []): Seen {
  const places = new Map([
    ['one', 0],
    ['two', 1],
  ]);
  return { asked, calls, places, faultAtMs: FAULT_MS, faultEndMs: END_MS };
}

const everySecond = <Value>(create: (atMs: number, second: number) => Value): Value[] =>
  Array.from({ length: 20 }, (_, second) => create(FAULT_MS + second * 1_000, second));

test('figures are of the requests under fault', () => {
  const before = ask(FAULT_MS - 1, 9_000, { outcome: '500' });
  const asked = everySecond((atMs, second) =>
    ask(atMs, 100 + second, second < 5 ? { outcome: '502' } : { providerId: 'two' }),
  );
  const calls = everySecond((atMs) => ({ place: 1, atMs }));
  const figures = measure(see([before, ...asked], calls), {});
  assert.equal(figures.requests, 20);
  assert.equal(figures.success, 0.75);
  assert.equal(figures.calls, 1);
  assert.deepEqual(figures.shares, [0, 1]);
  assert.deepEqual(figures.whole, { p50: 112, p99: 119 });
  assert.deepEqual(figures.settledWhole, { p50: 114, p99: 119 });
  assert.deepEqual(
    [...figures.outcomes],
    [
      ['502', 5],
      ['whole', 15],
    ],
  );
});

test('traffic has moved when the cheapest is hardly called any more', () => {
  const calls = (until: number): Call[] =>
    Array.from({ length: 200 }, (_, at) => ({ place: at < until ? 0 : 1, atMs: FAULT_MS + at * 100 }));
  assert.equal(measure(see([], calls(25)), {}).movedS, 2.5);
  assert.equal(measure(see([], calls(200)), {}).movedS, undefined);
  assert.equal(measure(see([], calls(0)), {}).movedS, 0);
  assert.equal(measure(see([], []), {}).movedS, undefined, 'nobody was called');
});

test('the cheapest is back when it is called after its first burst', () => {
  const at = (...seconds: number[]): Call[] =>
    seconds.map((second) => ({ place: 0, atMs: FAULT_MS + second * 1_000 }));
  const backOf = (...seconds: number[]) => measure(see([], at(...seconds)), {}).backS;
  assert.equal(backOf(0, 0.5, 1.2, 8.5, 9), 8.5);
  assert.equal(backOf(0, 0.5), undefined);
});

test('each goal is compared', () => {
  const before = ask(FAULT_MS - 1, 100);
  const good = measure(see([before, ...everySecond((atMs) => ask(atMs, 100))]), {});
  const slow = measure(see([before, ...everySecond((atMs) => ask(atMs, 250))]), {});
  assert.deepEqual(findMisses(good, { success: 1, p99: 2, settledP50: 1.2 }, good), []);
  const misses = findMisses(slow, { success: 1, p99: 2, settledP50: 1.2, backAfter: 8 }, good);
  assert.deepEqual(misses, [
    'p99 0.25 > 0.20',
    'p50 of the first event 0.13 > 0.06',
    'p50 0.25 > 0.12',
    'the cheapest was not asked again',
  ]);
  const failed = measure(see(everySecond((atMs) => ask(atMs, 100, { outcome: '500' }))), {});
  assert.deepEqual(findMisses(failed, { success: 0.99 }, good), ['success 0 % < 99.0 %']);
  assert.deepEqual(findMisses(failed, { p99: 2 }, good), ['p99 NaN > 0.20']);
  const refused = measure(see(everySecond((atMs) => ask(atMs, 100, { outcome: '400' }))), { status: '400' });
  assert.deepEqual(findMisses(refused, { success: 1 }, good), []);
});
