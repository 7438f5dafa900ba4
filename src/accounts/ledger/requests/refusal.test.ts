import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRefusal } from './refusal.ts';
import type { MeterKind } from '../../meters/subject.ts';
import type { MeterFigures } from '../store/store-codec.ts';

const USD = 1_000_000_000_000n;

function explain(figures: Partial<MeterFigures> = {}): [code: string, message: string] {
  const { code, message } = createRefusal(
    { kind: 'key', limit: 10n * USD, used: 4n * USD, held: 0n, ...figures },
    { missing: 7n * USD },
  );
  return [code, message];
}

test('a refusal names the limit, what is used, what is left, what is reserved and what is needed', () => {
  const [, plain] = explain();
  assert.equal(
    plain,
    'This API key has a limit of 10 USD and has used 4 USD: 6 USD is left, and this request may cost up to 7 USD. The limit does not reset; it can be raised by the organization.',
  );
  assert.match(
    explain({ held: 1n })[1],
    /6 USD is left \(of it 0\.000000000001 USD is reserved by requests in progress\)/,
  );
  assert.match(explain({ used: 10n * USD - 1n })[1], /: 0\.000000000001 USD is left, and/);
  assert.match(explain({ used: 11n * USD })[1], /: 0 USD is left, and/);
});

test('what a request holds itself is part of what it needs, and not in its way', () => {
  assert.match(
    explain({ held: 5n * USD, own: 5n * USD })[1],
    /6 USD is left, and this request may cost up to 12 USD\./,
  );
  assert.match(
    explain({ held: 6n * USD, own: 5n * USD })[1],
    /6 USD is left \(of it 1 USD is reserved by requests in progress\), and this request may cost up to 12 USD\./,
  );
});

test('a recurring limit names its period', () => {
  const meter = { kind: 'recurring', limit: 5n * USD, used: 4n * USD, held: 0n } as const;
  const { message } = createRefusal(meter, { missing: 2n * USD, period: 'day' });
  assert.match(message, /^This API key has a recurring limit of 5 USD per day and has used 4 USD: /);
});

test('a retry is offered when the period ends, unless the whole limit is too little', () => {
  const nowMs = Date.UTC(2026, 10, 24);
  const meter = { kind: 'recurring', limit: 5n * USD, used: 4n * USD, held: 0n } as const;
  const offer = (resetsAt: number | undefined, missing: bigint): number | undefined =>
    createRefusal({ ...meter, ...(resetsAt !== undefined && { resetsAt }) }, { missing, nowMs }).facts
      .retryAfterSeconds;
  assert.equal(offer(nowMs + 59_001, 2n * USD), 60);
  assert.equal(offer(nowMs - 5_000, 2n * USD), 1);
  assert.equal(offer(nowMs + 59_001, 5n * USD + 1n), undefined);
  assert.equal(offer(undefined, 2n * USD), undefined);
  assert.equal(offer(nowMs + 59_001, USD), undefined, 'only open holds are in the way');
  const { message } = createRefusal({ ...meter, resetsAt: nowMs }, { missing: 6n * USD });
  assert.match(message, /\.000Z\. Waiting does not help: it may cost more than the whole limit\.$/);
});

test('each meter has its code and says whether a reset helps', () => {
  const resetsAt = Date.UTC(2026, 10, 24);
  const reset = /2026-11-24T00:00:00\.000Z/;
  const expected: Record<MeterKind, [code: string, withReset: RegExp, without: RegExp]> = {
    key: ['key_limit_reached', /does not reset/, /does not reset/],
    recurring: ['key_limit_reached', reset, /has not begun; the limit/],
    plan: ['plan_credits_exhausted', reset, /the end of its cycle/],
    premium: ['premium_allowance_exhausted', reset, /No week is running/],
    credits: ['credits_exhausted', /topped up/, /topped up/],
    member: ['member_budget_reached', /does not reset/, /does not reset/],
    member_recurring: ['member_budget_reached', reset, /has not begun; the budget/],
    session: ['session_budget_reached', /a new token/, /a new token/],
    project: ['project_limit_reached', /does not reset/, /does not reset/],
    project_recurring: ['project_limit_reached', reset, /has not begun; the limit/],
    organization_recurring: ['organization_limit_reached', reset, /has not begun; the limit/],
  };
  for (const [kind, [code, withReset, without]] of Object.entries(expected) as [
    MeterKind,
    [string, RegExp, RegExp],
  ][]) {
    const running = explain({ kind, resetsAt });
    assert.equal(running[0], code);
    assert.match(running[1], withReset);
    assert.match(explain({ kind })[1], without);
  }
});
