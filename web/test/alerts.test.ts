import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeAlert } from '../src/operations/describe-alert.ts';

const NAMES = new Map([['org_1', 'Acme']]);

test('an alert is a sentence with names and amounts; one of an unknown type has none', () => {
  const budget = {
    subject_id: 'key_1',
    subject_name: 'ci',
    organization_id: 'org_1',
    threshold_percent: 80,
    used: '0.091632',
    limit: '0.1',
  };
  for (const [type, data, sentence] of [
    ['budget.threshold_reached', budget, 'ci (Acme) has used 80 % of its budget: $0.091632 of $0.1.'],
    [
      'provider.outage',
      { provider: 'acme', models: ['acme-fail'] },
      'All calls of acme (acme-fail) have failed lately.',
    ],
    ['provider.recovered', { provider: 'acme', models: [] }, 'acme answers again.'],
    ['ledger.disagreement', { count: 1 }, 'The ledger check found 1 difference.'],
    ['unheard.of', {}, undefined],
  ] as const)
    assert.equal(describeAlert(type, data, NAMES), sentence);
  const outage = { provider: 'acme', models: [], since: '2026-03-01T10:00:00Z' };
  assert.match(describeAlert('provider.outage', outage, NAMES) ?? '', / since .*10:00:00 UTC\)?\.$/);
});
