import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CLIENT_FORMATS, TEXT_ENDPOINTS } from '#canonical';
import { nameOperation } from './semantic-names.ts';

test('calls in every format of text are chats, but Google’s, whose operation has a name of its own', () => {
  for (const format of CLIENT_FORMATS)
    for (const endpoint of TEXT_ENDPOINTS[format])
      assert.equal(nameOperation(endpoint), format === 'gemini' ? 'generate_content' : 'chat', endpoint);
});
