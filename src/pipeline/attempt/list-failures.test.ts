import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listFailures } from './list-failures.ts';

type Attempts = Parameters<typeof listFailures>[0];

const call = (providerId: string, rest: Partial<Attempts[number]> = {}): Attempts[number] => ({
  providerId,
  externalId: 'large',
  outcome: 'broken',
  durationMs: 12_345,
  ...rest,
});

test('each provider is listed once, with its last failure; calls that did not fail are left out', () => {
  const attempts = [
    call('openai', { status: 500 }),
    call('azure', { outcome: 'outpaced' }),
    call('groq', { outcome: 'timed-out' }),
    call('openai', { status: 529, outcome: 'overloaded' }),
    call('acme', { status: 200 }),
    call('plain', { outcome: 'unsupported' }),
  ];
  assert.equal(
    listFailures(attempts),
    'openai: 529 overloaded, groq: timed out after 12 s, acme: failed, plain: does not support this request',
  );
});

test('where models differ, each is named', () => {
  const attempts = [
    call('openai', { status: 500 }),
    call('openai', { externalId: 'small', outcome: 'unreachable' }),
  ];
  assert.equal(listFailures(attempts), 'openai/large: 500, openai/small: unreachable');
});

test('a long list is cut, and a single provider is no list', () => {
  const many = Array.from({ length: 8 }, (_, at) => call(`p${at}`, { status: 500 }));
  assert.equal(listFailures(many), 'p0: 500, p1: 500, p2: 500, p3: 500, p4: 500, 3 more');
  assert.equal(listFailures([call('openai'), call('openai')]), undefined);
  assert.equal(listFailures([]), undefined);
});
