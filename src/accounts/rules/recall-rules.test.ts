import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recallRules } from './recall-rules.ts';

const write = (name: string): string =>
  JSON.stringify([{ layer: 'key', type: 'allow-models', values: [name] }]);

test('one text of rules is parsed once, as long as it is among the last 2,000', () => {
  const [first, second] = [recallRules(write('first')), recallRules(write('second'))];
  assert.deepEqual(first, [{ layer: 'key', type: 'allow-models', values: ['first'] }]);
  for (let count = 0; count < 1_998; count += 1) recallRules(write(`more-${count}`));
  assert.equal(recallRules(write('second')), second);
  assert.equal(recallRules(write('first')), first);
  for (let count = 0; count < 2_000; count += 1) recallRules(write(`later-${count}`));
  assert.notEqual(recallRules(write('first')), first);
});

test('text that is no list of rules refuses everything', () => {
  for (const text of ['', '{}', 'null', '"x"', '[']) {
    assert.deepEqual(recallRules(text), [{ layer: 'organization', type: 'unreadable', values: [] }]);
  }
});
