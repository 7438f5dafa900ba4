import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { AdminCaller, Directory } from '#accounts';
import { openFreshAccounts } from '../../../test/support/fresh-accounts.ts';
import { shareOpened } from '../../../test/support/share-opened.ts';
import { useDirectory } from '../../../test/support/use-directory.ts';

const USD = 1_000_000_000_000n;

const fresh = shareOpened(() => openFreshAccounts());
let caller: AdminCaller;
let secrets: string[];

before(async () => {
  const { secret } = await fresh.accounts.directory.createAdminKey({ label: 'operator' });
  caller = await fresh.accounts.administration.identify(secret);
  secrets = [fresh.secret, secret];
});

/** The audit log entries of a change, oldest first. */
async function audit<Value>(requestId: string, change: (directory: Directory) => Promise<Value>) {
  let value: Value | undefined;
  await fresh.accounts.administration.change({ caller, requestId }, async (perform) => {
    value = await useDirectory(perform, change);
    return '';
  });
  const entries = await fresh.accounts.directory.listAudit({ requestId });
  return { value: value as Value, entries: entries.reverse() };
}

test('every change of the account tree records actor, time, action, subject, and the old and new values', async () => {
  const created = await audit('req_organization', (directory) => directory.createOrganization('Acme'));
  const { id: organizationId, name } = created.value;
  assert.equal(created.entries.length, 1);
  const [entry] = created.entries;
  assert.ok(entry && Math.abs(entry.recordedAt - Date.now()) < 60_000);
  assert.deepEqual(
    { ...entry, id: '', recordedAt: 0, after: entry.after?.['name'] },
    {
      id: '',
      recordedAt: 0,
      actor: caller.actorId,
      requestId: 'req_organization',
      action: 'organization.created',
      subjectId: organizationId,
      organizationId,
      after: name,
    },
  );
  const { value: project } = await audit('req_project', (to) =>
    to.createProject({ organizationId, name: 'web' }),
  );
  const { value, entries: keyEntries } = await audit('req_key', (to) =>
    to.createKey({
      projectId: project.id,
      label: 'ci',
      limit: 5n * USD,
      recurringLimit: { amount: 2n * USD, period: 'day' },
    }),
  );
  secrets.push(value.secret);
  const keyId = value.key.id;
  assert.deepEqual(keyEntries.map(({ action }) => action).sort(), [
    'key.created',
    'key.updated',
    'recurring_limit.created',
  ]);
  assert.ok(keyEntries.every((each) => each.organizationId === organizationId && each.subjectId === keyId));
  const { value: rule } = await audit('req_rule', (to) =>
    to.addRule({ layer: 'key', subjectId: keyId, type: 'deny-models', values: ['gpt-*'] }),
  );
  const terms = { price: 79n * USD, credits: 237n * USD, premiumWeekly: 35n * USD };
  const { value: admin } = await audit('req_admin', (to) =>
    to.createAdminKey({ label: 'x', organizationId }),
  );
  secrets.push(admin.secret);
  const changes: [string, (to: Directory) => Promise<unknown>, object][] = [
    [
      'key.updated',
      (to) => to.updateKey(keyId, { limit: 7n * USD }),
      { before: { limit: '5' }, after: { limit: '7' } },
    ],
    [
      'key.updated',
      (to) => to.updateKey(keyId, { limit: null }),
      { before: { limit: '7' }, after: { limit: null } },
    ],
    [
      'recurring_limit.updated',
      (to) => to.updateKey(keyId, { recurringLimit: { amount: USD / 2n, period: 'day' } }),
      { before: { limit: '2' }, after: { limit: '0.5' } },
    ],
    [
      'key.updated',
      (to) => to.updateKey(keyId, { rateLimits: { requestsPerMinute: 60 } }),
      { before: { rate_limits: null }, after: { rate_limits: { requestsPerMinute: 60 } } },
    ],
    [
      'organization.updated',
      (to) => to.updateOrganization(organizationId, { rateLimits: { concurrency: 3 } }),
      { before: { rate_limits: null }, after: { rate_limits: { concurrency: 3 } } },
    ],
    [
      'project.updated',
      (to) => to.updateProject(project.id, { cacheTtlSeconds: 60 }),
      { before: { cache_ttl_seconds: null }, after: { cache_ttl_seconds: 60 } },
    ],
    [
      'credits.added',
      (to) => to.addCredits({ organizationId, amount: 1n, idempotencyKey: 'invoice-17' }),
      { after: { amount: '0.000000000001', grant: 'invoice-17' } },
    ],
    ['plan.created', (to) => to.setPlan({ organizationId, plan: 'pro', terms }), {}],
    [
      'plan.updated',
      (to) => to.setPlan({ organizationId, plan: 'pro', terms: { ...terms, price: USD }, overflow: true }),
      { before: { price: '79', overflow: false }, after: { price: '1', overflow: true } },
    ],
    ['plan.deleted', (to) => to.endPlan(organizationId), {}],
    ['rule.deleted', (to) => to.removeRule(rule.id), {}],
    ['admin_key.updated', (to) => to.setAdminKeyDisabled(admin.key.id, true), {}],
    ['key.updated', (to) => to.updateKey(keyId, { disabled: true }), {}],
    ['key.updated', (to) => to.updateKey(keyId, { disabled: false }), {}],
  ];
  for (const [index, [action, change, shown]] of changes.entries()) {
    const { entries } = await audit(`req_change_${index}`, change);
    assert.deepEqual(
      entries.map((each) => each.action),
      [action],
      `change ${index}`,
    );
    const [only] = entries;
    assert.deepEqual({ ...only, ...shown }, only, `change ${index}`);
    assert.equal(only?.organizationId, organizationId);
  }
  const again = await audit('req_again', (to) =>
    to.addCredits({ organizationId, amount: 1n, idempotencyKey: 'invoice-17' }),
  );
  const same = await audit('req_same', (to) => to.updateKey(keyId, { disabled: false }));
  assert.deepEqual([...again.entries, ...same.entries], [], 'an update without effect is not audited');
});

test('a change outside the admin API is attributed to the program: the command line or the connected client', async () => {
  const { directory } = fresh.accounts;
  const { id } = await directory.createOrganization('Direct');
  const [entry] = await directory.listAudit({ subjectId: id });
  assert.equal(entry?.actor, 'sluice test');
  assert.equal(entry.requestId, undefined);
  await fresh.database.transaction(async (client) => {
    await client.query({ text: `SET LOCAL application_name = 'sluice command'` });
    await client.query({ text: `UPDATE organization SET name = 'By hand' WHERE id = '${id}'` });
  });
  const [latest] = await directory.listAudit({ actor: 'command line' });
  assert.deepEqual(
    [latest?.subjectId, latest?.before, latest?.after],
    [id, { name: 'Direct' }, { name: 'By hand' }],
  );
});

test('the audit log cannot be changed, shortened or emptied', async () => {
  for (const text of [`UPDATE audit_log SET actor = 'nobody'`, 'DELETE FROM audit_log', 'TRUNCATE audit_log'])
    await assert.rejects(fresh.database.query({ text }), /append-only/);
});

test('no secret is in it, nor the trace of one', async () => {
  const { rows } = await fresh.database.query<{ line: string }>({
    text: 'SELECT a::text AS line FROM audit_log a',
  });
  const log = rows.map(({ line }) => line).join('\n');
  assert.ok(log.includes('(not shown)'));
  for (const secret of secrets) assert.ok(!log.includes(secret.slice(20, 40)));
  const { rows: digests } = await fresh.database.query<{ digest: string }>({
    text: `SELECT encode(digest, 'hex') AS digest FROM api_key UNION ALL SELECT encode(digest, 'hex') FROM admin_key`,
  });
  assert.ok(digests.length > 2);
  for (const { digest } of digests) assert.ok(!log.includes(digest.slice(0, 16)));
});

/** Tables whose changes are not operator decisions, each with the reason. */
const NOT_AUDITED = {
  account_object: 'what callers made at providers',
  alert_event: 'notices under way',
  alert_state: 'what alerts are about',
  audit_log: 'it is the log',
  catalogue_feed: 'what the publisher of the feed signed',
  hold: 'money in flight',
  idempotent_answer: 'a copy of an answer; its change is audited',
  instance: 'facts about the installation',
  latency_hour: 'sums of log rows',
  latency_day: 'sums of log rows',
  latency_day_model: 'sums of log rows',
  log_export: 'how far exports have come',
  log_state: 'how far the upkeep of the log has come',
  mapping_health: 'what processes learn of providers',
  request_payload: 'requests and answers, where a project keeps them',
  usage_hour: 'sums of log rows',
  usage_day: 'sums of log rows',
  usage_day_client: 'sums of log rows',
  usage_day_tag: 'sums of log rows',
  usage_day_session: 'sums of log rows',
  usage_day_agent: 'sums of log rows',
  usage_day_agent_name: 'sums of log rows',
  usage_day_run: 'sums of log rows',
  usage_day_tag_agent: 'sums of log rows',
  usage_day_tag_parent: 'sums of log rows',
  usage_day_tag_user: 'sums of log rows',
  usage_day_tag_token: 'sums of log rows',
  usage_day_rank: 'what ranks sums of log rows',
  usage_repeated_agent: 'what ranks sums of log rows',
  usage_hour_unnamed: 'sums of log rows',
  usage_hour_client: 'sums of log rows',
  usage_hour_tag: 'sums of log rows',
  usage_detail: 'sums of log rows',
  usage_late: 'hours to sum anew',
  usage_open: 'days to sum up',
  video_content: 'the bytes of videos that no provider keeps',
  video_event: 'notices under way',
  video_job: 'what callers order',
  ledger_entry: 'its grants are audited, charges are the ledger itself',
  budget_refusal: 'what the gateway saw, not a decision',
  meter: 'limits of keys are audited, use is not a decision',
  owner: 'processes that hold money',
  price_version: 'prices as they were seen',
  request_log: 'one row per request',
  schema_migration: 'the schema',
  session_token: 'made by keys, for end users',
  stored_response: 'what callers keep',
};

test('every table is audited or listed here with a reason', async () => {
  const { rows } = await fresh.database.query<{ name: string }>({
    text: `
      SELECT c.relname AS name FROM pg_class c
      WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace AND NOT c.relispartition
        AND NOT EXISTS (
          SELECT FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid
          WHERE t.tgrelid = c.oid AND p.proname = 'audit_change' AND t.tgtype & 28 = 28) -- insert, update and delete
      ORDER BY 1`,
  });
  const unknown = rows.map(({ name }) => name).filter((name) => !(name in NOT_AUDITED));
  assert.deepEqual(
    unknown,
    [],
    'give the table a trigger that runs audit_change (0001_audit.sql), or a line above',
  );
});
