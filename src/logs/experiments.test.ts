import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { JsonObject } from '#base';
import { createUsage } from '#canonical';
import { createRow } from '../../test/support/fresh-accounts.ts';
import { shareOpened } from '../../test/support/share-opened.ts';
import { openFreshDatabase } from '../../test/support/fresh-database.ts';
import { toTenants } from './rows/log-filter.ts';
import { type Experiments, createExperiments } from './experiments.ts';
import { experimentsReport } from './reports/experiments.ts';
import type { LogRow } from './rows/log-row.ts';

const BEGIN = Date.UTC(2026, 10, 1);
const LATER = BEGIN + 100 * 86_400_000;
const CALLER = { organizationId: 'org_1', projectId: 'prj_1', keyId: 'key_1', keyLabel: 'k' };

let experiments: Experiments;
const fresh = shareOpened(() => openFreshDatabase());
before(async () => {
  experiments = createExperiments({ database: fresh.database });
  const rows = [
    ...Array.from({ length: 20 }, (_, at) =>
      toRow(`old_${at}`, { experiment: 'canary/control', ms: at + 1 }),
    ),
    toRow('new_1', { experiment: 'canary/new', ms: 5, calls: 3 }),
    toRow('new_2', {
      experiment: 'canary/new',
      ms: 7,
      more: { finishReason: 'upstream_error', firstEventMs: 5 },
    }),
    toRow('other', {
      experiment: 'canary/new',
      ms: 9,
      more: { organizationId: 'org_2', projectId: 'prj_2' },
    }),
    toRow('late', { experiment: 'canary/new', ms: 9, more: { startedAt: BEGIN + 90_000 } }),
    toRow('plain', { ms: 1_000 }),
    toRow('copied', { ms: 30, more: { organizationId: 'org_2', projectId: 'prj_2' } }),
    toRow('copy', { ms: 50, more: { endpoint: 'mirror/small', clientRequestId: 'copied' } }),
    ...listPaidCopies(),
  ];
  await fresh.database.query({ text: 'SELECT request_log_store($1)', values: [JSON.stringify(rows)] });
});

interface Facts {
  experiment?: string;
  ms: number;
  calls?: number;
  more?: Partial<LogRow>;
}

function toRow(requestId: string, { experiment, ms, calls = 1, more }: Facts): LogRow {
  const attempt = { providerId: 'acme', externalId: 'm', outcome: 'answered' as const, durationMs: ms };
  return createRow({ ...CALLER, ...more }, requestId, {
    startedAt: BEGIN,
    firstEventMs: ms,
    durationMs: 10 * ms,
    customer: '100',
    provider: '80',
    usage: createUsage({ inputUncached: 10, inputCacheRead: 4, outputText: 5, outputReasoning: 1 }),
    attempts: Array.from({ length: calls }, () => ({
      ...attempt,
      ...(experiment !== undefined && { experiment }),
    })),
    ...more,
  });
}

/** Later: two projects' requests, whose copies a third project pays for, and one that it mirrors of its own. */
function listPaidCopies(): LogRow[] {
  const startedAt = LATER;
  return ['prj_1', 'prj_3', 'prj_payer'].flatMap((projectId) => [
    toRow(`of_${projectId}`, { ms: 3, more: { startedAt, projectId } }),
    toRow(`copy_of_${projectId}`, {
      ms: 5,
      more: {
        startedAt,
        projectId: 'prj_payer',
        keyId: 'key_payer',
        endpoint: 'mirror/paid',
        clientRequestId: `of_${projectId}`,
      },
    }),
  ]);
}

const summarize = async (filter: Parameters<Experiments['list']>[0], organizationId?: string) =>
  (await experiments.list(filter, toTenants({ organizationId }))).map(
    ({ experiment, variant, requests, answered, calls }) =>
      [experiment, variant, requests, answered, calls].join(' '),
  );

test('variants have their requests, answers, calls, times, tokens and cost', async () => {
  const lines = await experiments.list({ since: BEGIN, until: BEGIN + 60_000, projectId: 'prj_1' }, 'all');
  const [control, canary] = lines;
  assert.deepEqual(control, {
    experiment: 'canary',
    variant: 'control',
    requests: 20,
    answered: 20,
    calls: 20,
    first_event_ms: 10.5,
    first_event_p95_ms: 19.05,
    duration_ms: 105,
    duration_p95_ms: 190.5,
    input_tokens: 280,
    output_tokens: 120,
    customer: 2_000n,
    provider: 1_600n,
  });
  assert.deepEqual([canary?.variant, canary?.requests, canary?.answered, canary?.calls], ['new', 2, 1, 4]);
});

test('copies of a mirror are compared with their originals', async () => {
  assert.deepEqual(await summarize({ since: BEGIN, until: LATER }), [
    'canary control 20 20 20',
    'canary new 4 3 6',
    'mirror/small copy 1 1 1',
    'mirror/small original 1 1 1',
  ]);
});

test('a project has the copies of its requests, whichever project pays, and those that it pays for', async () => {
  for (const organizationId of [undefined, 'org_1']) {
    assert.deepEqual(await summarize({ since: LATER, projectId: 'prj_1' }, organizationId), [
      'mirror/paid copy 1 1 1',
      'mirror/paid original 1 1 1',
    ]);
    assert.deepEqual(await summarize({ since: LATER, projectId: 'prj_payer' }, organizationId), [
      'mirror/paid copy 3 3 3',
      'mirror/paid original 3 3 3',
    ]);
  }
  assert.deepEqual(await summarize({ since: LATER, projectId: 'prj_other' }), []);
  // The copy is another organization's.
  assert.deepEqual(await summarize({ since: BEGIN, until: LATER, projectId: 'prj_2' }), [
    'canary new 1 1 1',
    'mirror/small copy 1 1 1',
    'mirror/small original 1 1 1',
  ]);
  assert.deepEqual(await summarize({ since: BEGIN, until: LATER, projectId: 'prj_2' }, 'org_2'), [
    'canary new 1 1 1',
  ]);
});

test('an organization sees only its own requests, and no cost of providers', async () => {
  assert.deepEqual(await summarize({ since: BEGIN, until: LATER }, 'org_2'), ['canary new 1 1 1']);
  assert.deepEqual(await summarize({ since: BEGIN, until: LATER }, 'org_1'), [
    'canary control 20 20 20',
    'canary new 3 2 5',
    'mirror/small copy 1 1 1',
  ]);
  const lines = await experiments.list({ since: BEGIN }, { organizationId: 'org_2' });
  const { data } = experimentsReport.output.encode(lines, false) as { data: JsonObject[] };
  assert.deepEqual(
    data.map((line) => [line['customer_cost'], 'provider_cost' in line]),
    [['0.0000000001', false]],
  );
});
