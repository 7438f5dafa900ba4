import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base';
import { ERRORS, type ErrorCode, GatewayError } from '#errors';
import { encodeError } from './error.ts';

/** Statuses of Google's own (google.rpc.Code); others are INVALID_ARGUMENT. */
const WORDS: Record<number, string> = {
  401: 'UNAUTHENTICATED',
  402: 'FAILED_PRECONDITION',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  405: 'UNIMPLEMENTED',
  408: 'DEADLINE_EXCEEDED',
  409: 'ABORTED',
  429: 'RESOURCE_EXHAUSTED',
  499: 'CANCELLED',
  500: 'INTERNAL',
  502: 'UNAVAILABLE',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

test('every error has the word that Google has for its HTTP status', () => {
  for (const code of Object.keys(ERRORS) as ErrorCode[]) {
    const error = new GatewayError(code, 'no');
    const { status } = encodeError(error)['error'] as JsonObject;
    assert.equal(status, WORDS[error.status] ?? 'INVALID_ARGUMENT', `${code} ${error.status}`);
  }
});
