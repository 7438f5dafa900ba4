import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { ask } from './ask.ts';

test('a question that is left with Ctrl-C or Ctrl-D is answered no, and the next message has its own line', async () => {
  for (const [typed, expected] of [
    ['y\r', true],
    ['Yes\r', true],
    ['\r', false],
    ['n\r', false],
    ['\u0003', false],
    ['\u0004', false],
  ] as const) {
    const [input, output] = [new PassThrough(), new PassThrough()];
    let shown = '';
    output.on('data', (bytes: Buffer) => (shown += bytes.toString()));
    const answered = ask('go on?', { input, output });
    input.write(typed);
    assert.equal(await answered, expected, JSON.stringify(typed));
    await setImmediate();
    assert.match(shown, /go on\? \[y\/N\] [\s\S]*\n$/);
  }
});
