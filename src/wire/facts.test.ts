import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CLIENT_FORMATS, TEXT_ENDPOINTS } from '#canonical';
import { CLIENT_FACTS } from './facts.ts';

for (const format of CLIENT_FORMATS)
  test(`${format}: the paths of its endpoints are its own, so that its clients can read every refusal`, () => {
    for (const endpoint of TEXT_ENDPOINTS[format]) {
      const guessed = CLIENT_FORMATS.findLast((other) => CLIENT_FACTS[other].path?.test(endpoint));
      assert.equal(guessed ?? 'chat', format, endpoint);
    }
  });
