import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RouteCandidate } from '#app';
import { formatRoute } from './format-route.ts';

const RULE =
  'a rule of the project (allow-models) does not allow claudish-1: only gpt-* is. ' +
  'Ask an administrator of the project to allow it; GET /v1/models lists what this key may use';

const createCandidate = (more: Partial<RouteCandidate>): RouteCandidate => ({
  provider: 'acme',
  model: 'claudish-1',
  credential: null,
  weight: null,
  input: '3',
  output: '15',
  health: 'unknown',
  failed_share: null,
  paused_seconds: null,
  first_event_ms: null,
  tokens_per_second: null,
  score: null,
  reason: null,
  ...more,
});

const format = (candidates: RouteCandidate[]): string[] =>
  formatRoute({
    model: 'claudish-1',
    strategy: 'balanced',
    measure: 'USD',
    first: null,
    experiment: null,
    candidates,
  });

test('why a provider is not called is below the table, once for all, and as an operator needs it', () => {
  const [head = '', ...lines] = format([
    createCandidate({ reason: RULE }),
    createCandidate({ provider: 'other', reason: RULE }),
    createCandidate({ provider: 'third', reason: 'no THIRD_KEY' }),
  ]);
  assert.ok([head, ...lines.slice(0, 3)].every(({ length }) => length <= 100));
  assert.match(lines[0] ?? '', /^– +acme .* not called \(1\)$/);
  assert.match(lines[2] ?? '', / not called \(2\)$/);
  assert.deepEqual(lines.slice(3), [
    '',
    '(1) a rule of the project (allow-models) does not allow claudish-1: only gpt-* is',
    '(2) no THIRD_KEY',
  ]);
});

test('a state that does not explain itself is explained below the table, if it is there', () => {
  const text = format([
    createCandidate({ health: 'healthy' }),
    createCandidate({ health: 'due', provider: 'other' }),
    createCandidate({ provider: 'new' }),
  ]).join('\n');
  assert.match(text, /^due its pause is over: the next request tries it$/m);
  assert.match(text, /^unknown not called lately by a running gateway$/m);
  assert.doesNotMatch(text, /^(healthy|poor|closed) /m);
});
