import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FailureKind } from '#errors';
import { FORMATS } from '#canonical';
import { getOutboundFormat } from './formats.ts';

const KINDS: Record<number, FailureKind> = {
  401: 'credential-refused',
  402: 'out-of-quota',
  403: 'credential-refused',
  407: 'broken',
  408: 'timed-out',
  421: 'broken',
  425: 'broken',
  426: 'broken',
  429: 'rate-limited',
  503: 'overloaded',
  504: 'timed-out',
  529: 'overloaded',
};

test('the kind of a failure that has only a status is the same in every format', () => {
  for (const id of FORMATS) {
    const { decodeFailure } = getOutboundFormat(id);
    for (let status = 400; status < 600; status += 1) {
      const { kind } = decodeFailure({ status, headers: {}, body: '{"message":"no"}' });
      const isOfModel = id === 'converse' && status === 424; // Bedrock's status for a model that failed
      const usual = status < 500 && !isOfModel ? 'request-refused' : 'broken';
      assert.equal(kind, KINDS[status] ?? usual, `${id} ${status}`);
    }
  }
});

test('of a long failure the caller gets 4096 characters and the operator 2048, in every format', () => {
  const body = JSON.stringify({ message: 'a'.repeat(50_000) });
  for (const id of FORMATS) {
    const { message, detail } = getOutboundFormat(id).decodeFailure({ status: 400, headers: {}, body });
    assert.deepEqual([id, message.length, detail?.length], [id, 4096, 2048]);
  }
});
