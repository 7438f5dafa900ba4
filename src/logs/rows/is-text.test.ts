import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openFreshDatabase } from '../../../test/support/fresh-database.ts';
import { IS_TEXT } from './is-text.ts';

test('rows of text generation are distinguished from those of other media', async () => {
  await using fresh = await openFreshDatabase();
  const isText = {
    '/v1/chat/completions': true,
    '/v1/responses': true,
    '/v1/messages': true,
    '/v1/messages/count_tokens': true,
    '/v1beta/models/{model}:streamGenerateContent': true,
    'mirror/cheaper': true,
    '/v1/embeddings': false,
    '/v1/moderations': false,
    '/v1/rerank': false,
    '/v1/images/generations': false,
    '/v1/audio/speech': false,
    '/v1/audio/transcriptions': false,
    '/v1/videos': false,
  };
  for (const [endpoint, expected] of Object.entries(isText)) {
    const text = `SELECT ${IS_TEXT} AS is FROM (SELECT $1::text AS endpoint) AS request_log`;
    const { rows } = await fresh.database.query<{ is: boolean }>({ text, values: [endpoint] });
    assert.deepEqual(rows, [{ is: expected }], endpoint);
  }
});
