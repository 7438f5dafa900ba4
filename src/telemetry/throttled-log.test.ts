import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createThrottledLog } from './throttled-log.ts';
import { type LogFacts, silentLog } from './log.ts';

function createRecorder() {
  const lines: LogFacts[] = [];
  const write = (facts: LogFacts, message: string): void => void lines.push({ ...facts, message });
  return { lines, log: createThrottledLog({ ...silentLog, info: write, warn: write, error: write }) };
}

test('an error that each of many requests meets is written twenty times and then counted, others at once', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { lines, log } = createRecorder();
  for (let count = 0; count < 1_000; count += 1)
    log.error({ requestId: `req_${count}`, detail: 'no disk' }, 'settlement failed');
  log.error({ requestId: 'req_other', detail: 'no server' }, 'settlement failed');
  assert.equal(lines.length, 21);
  assert.equal(lines.at(-1)?.['detail'], 'no server');
  t.mock.timers.tick(10_000);
  assert.deepEqual(lines.slice(21), [
    { requestId: 'req_999', detail: 'no disk', repeated: 980, message: 'settlement failed' },
  ]);
  log.error({ requestId: 'req_next', detail: 'no disk' }, 'settlement failed');
  assert.equal(lines.length, 23);
});

test('what is no warning is always written', () => {
  const { lines, log } = createRecorder();
  for (let count = 0; count < 100; count += 1) log.info({}, 'stopping');
  assert.equal(lines.length, 100);
});
