import assert from 'node:assert/strict';
import { test } from 'node:test';
import { simulate } from '../../../../test/support/scale-run.ts';
import { createOneOrganization } from '../../../../test/support/scale-scenarios.ts';

// In simulated time; the long form is `npm run test:long -- scale`.
test('thirty processes share an organization: nearly all requests are on leases, with far fewer statements than requests', () => {
  const { steady } = simulate(createOneOrganization(30, { perSecond: 50 }), 3);
  assert.ok(steady.requests > 10_000);
  assert.ok(steady.onLease > 0.95 * steady.requests, `${steady.onLease} of ${steady.requests}`);
  assert.ok(steady.reports + steady.steps < steady.requests / 3, `${steady.reports} and ${steady.steps}`);
});

test('thirty processes spend a budget to its end: never more, and no request is refused that it could pay', () => {
  const figures = simulate(createOneOrganization(30, { perSecond: 20, budgetSeconds: 15 }), 4);
  assert.ok(figures.recalls > 0);
  assert.ok(figures.refused > 0);
  assert.equal(figures.overspent, 0);
  assert.equal(figures.affordable, 0);
});
