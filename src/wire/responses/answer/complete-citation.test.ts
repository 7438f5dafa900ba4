import assert from 'node:assert/strict';
import { test } from 'node:test';
import { completeCitation, completeCitations } from './complete-citation.ts';

const url = { type: 'url_citation', url: 'https://a' } as const;
const place = { start_index: 1, end_index: 2 };

test('a citation of a page gets the title and the place that it lacks', () => {
  const complete = (given: object) => completeCitation({ ...url, ...given }, 9);
  const all = { start_index: 0, end_index: 9 };
  assert.deepEqual(complete({}), { ...url, title: '', ...all });
  assert.deepEqual(complete({ title: 'T' }), { ...url, title: 'T', ...all });
  assert.deepEqual(complete({ title: 'T', start_index: 1 }), { ...url, title: 'T', ...all });
  assert.deepEqual(complete({ title: 'T', end_index: 2 }), { ...url, title: 'T', ...all });
  assert.deepEqual(complete(place), { ...url, title: '', ...place });
  const whole = { ...url, title: 'T', ...place };
  assert.equal(completeCitation(whole, 9), whole);
  const file = { type: 'file_citation', file_id: 'f', index: 0 };
  assert.equal(completeCitation(file, 9), file, 'another kind has members of its own');
});

test('the place of a citation in a message is all of its text', () => {
  const message = (...annotations: object[]) => ({
    type: 'message',
    content: [
      { type: 'output_text', text: 'Hello', annotations },
      { type: 'output_text', annotations },
      { type: 'refusal' },
      'no part',
    ],
  });
  const completed = (end_index: number) => ({ ...url, title: '', start_index: 0, end_index });
  assert.deepEqual(completeCitations(message(url)), {
    ...message(),
    content: [
      { type: 'output_text', text: 'Hello', annotations: [completed(5)] },
      { type: 'output_text', annotations: [completed(0)] },
      { type: 'refusal' },
      'no part',
    ],
  });
  const whole = message({ ...url, title: 'T', ...place });
  assert.equal(completeCitations(whole), whole);
  const empty = { type: 'message' };
  assert.equal(completeCitations(empty), empty);
});
