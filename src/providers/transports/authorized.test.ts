import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { UpstreamFailure } from '#errors';
import type { AnswerSink, Transport, UpstreamRequest } from '../transport.ts';
import { AuthorizedTransport } from './authorized.ts';
import { CredentialError } from './credential-error.ts';
import { TokenRefusal } from './oauth-token.ts';

const REQUEST: UpstreamRequest = { path: '/x', headers: { a: '1' }, body: '{}' };

/** A transport that records its requests. */
function createRecorder() {
  const reported: string[] = [];
  const requests: UpstreamRequest[] = [];
  const transport: Transport = {
    send(request) {
      requests.push(request);
      return {
        abort: () => void reported.push('abort'),
        pause: () => void reported.push('pause'),
        resume: () => void reported.push('resume'),
      };
    },
    drain: async () => void reported.push('drain'),
    close: async () => void reported.push('close'),
  };
  return { reported, requests, transport };
}

function createSink(): { sink: AnswerSink; failures: UpstreamFailure[] } {
  const failures: UpstreamFailure[] = [];
  const sink = { onHead: () => undefined, onData: () => undefined, onEnd: () => undefined };
  return { failures, sink: { ...sink, onFailure: (failure) => void failures.push(failure) } };
}

test('a request is sent with the headers that authorize it', async () => {
  const { transport, requests, reported } = createRecorder();
  const authorized = new AuthorizedTransport(transport, async () => ({ authorization: 'Bearer t' }));
  authorized.send(REQUEST, createSink().sink).pause();
  await authorized.drain();
  assert.deepEqual(requests, [{ ...REQUEST, headers: { a: '1', authorization: 'Bearer t' } }]);
  assert.deepEqual(reported, ['pause', 'drain'], 'a pause that came early still counts, and draining waits');
});

test('a call aborted early is never sent and reports no failure', async () => {
  const { transport, requests } = createRecorder();
  const { sink, failures } = createSink();
  new AuthorizedTransport(transport, async () => ({})).send(REQUEST, sink).abort();
  new AuthorizedTransport(transport, () => Promise.reject(new Error('no'))).send(REQUEST, sink).abort();
  await new Promise(setImmediate);
  assert.deepEqual([requests, failures], [[], []]);
});

test('a refused credential is distinguished from an unreachable token endpoint', async () => {
  const cases: [Error, UpstreamFailure['kind']][] = [
    [new TokenRefusal(400, 'invalid_grant'), 'credential-refused'],
    [new TokenRefusal(429, 'slow'), 'unreachable'],
    [new TokenRefusal(500, 'oops'), 'unreachable'],
    [new CredentialError('no key'), 'credential-refused'],
    [Object.assign(new Error('x'), { response: { status: 401 } }), 'credential-refused'],
    [new Error('connect ECONNREFUSED'), 'unreachable'],
  ];
  for (const [error, kind] of cases) {
    const { sink, failures } = createSink();
    const authorized = new AuthorizedTransport(createRecorder().transport, () => Promise.reject(error));
    authorized.send(REQUEST, sink);
    await authorized.drain();
    assert.deepEqual(
      failures.map((failure) => failure.kind),
      [kind],
      error.message,
    );
  }
});
