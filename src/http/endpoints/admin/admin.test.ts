import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { JsonObject } from '#base';
import type { InputField } from '#fields';
import { REPORTS } from '#reports';
import { until } from '../../../../test/support/until.ts';
import { sendAdmin } from '../../../../test/support/admin-calls.ts';
import { shareGateway } from '../../../../test/support/share-gateway.ts';

let admin: string;
const gateway = shareGateway();
before(async () => {
  ({ secret: admin } = await gateway.accounts.directory.createAdminKey({ label: 'test' }));
});

interface Answer {
  status: number;
  json: JsonObject;
  headers: Headers;
}

async function ask(line: string, body?: JsonObject, more: Record<string, string> = {}): Promise<Answer> {
  const [method = '', path = ''] = line.split(' ');
  const headers = { authorization: `Bearer ${admin}`, ...more };
  const response = await sendAdmin(gateway, { method, path, ...(body && { body }) }, headers);
  return {
    status: response.status,
    json: (await response.json()) as JsonObject,
    headers: response.headers,
  };
}

const messageOf = ({ json }: Answer) => (json['error'] as { message: string }).message;
const textOf = (value: unknown): string => value as string;
const asAdmin = (secret: string) => ({ authorization: `Bearer ${secret}` });

/** The paths of reports on a span of time, of those whose `since` fits. */
function listSpans(fits: (since: InputField) => boolean = () => true): string[] {
  const ofSpans = REPORTS.filter(
    ({ path, filters: { since, until: end } }) => since && end && !path.includes('{') && fits(since),
  );
  return ofSpans.map(({ path }) => path);
}

async function call(apiKey: string): Promise<number> {
  const body = { model: 'chat-model', max_tokens: 8, messages: [{ role: 'user', content: 'hello' }] };
  const response = await gateway.post('/v1/chat/completions', body, asAdmin(apiKey));
  await response.text();
  return response.status;
}

test('a customer is set up, served and switched off through the API alone', async () => {
  const { json: organization } = await ask('POST /organizations', { name: 'Acme' });
  const id = textOf(organization['id']);
  const { json: project } = await ask('POST /projects', { organization_id: id, name: 'web' });
  const { json: key } = await ask('POST /keys', { project_id: textOf(project['id']), label: 'ci' });
  assert.equal(await call(textOf(key['secret'])), 200);
  assert.equal(
    (await ask(`POST /organizations/${id}/credits`, { amount: '0.000001' })).json['balance'],
    '0.000001',
  );
  assert.equal(await call(textOf(key['secret'])), 402, 'almost nothing is left');
  await ask(`POST /organizations/${id}/plan`, { plan: 'pro' });
  assert.equal(await call(textOf(key['secret'])), 200);
  assert.equal((await ask(`GET /organizations/${id}/plan`)).json['plan'], 'pro');
  await ask('POST /rules', {
    layer: 'organization',
    subject_id: id,
    type: 'deny-models',
    values: ['chat-model'],
  });
  assert.equal(await call(textOf(key['secret'])), 403);
  await ask(`POST /keys/${textOf(key['id'])}`, { disabled: true });
  assert.equal(await call(textOf(key['secret'])), 401);
  const { json: logs } = await ask(`GET /logs?organization_id=${id}`);
  const rows = logs['data'] as JsonObject[];
  assert.deepEqual(
    rows.map((row) => row['status']),
    [403, 200, 402, 200],
  );
  assert.equal((await ask('GET /ledger/check')).json['ok'], true);
  const listed = (await ask(`GET /keys/${textOf(key['id'])}`)).json;
  assert.ok(!('secret' in listed) && listed['masked'] === key['masked']);
});

test('[C9] credits that are sent 100 times at once under one Idempotency-Key are given once', async () => {
  const { organizationId } = await gateway.createAccount();
  const send = () =>
    ask(`POST /organizations/${organizationId}/credits`, { amount: '5' }, { 'idempotency-key': 'payment-1' });
  const answers = await Promise.all(Array.from({ length: 100 }, send));
  const given = answers.filter(({ status }) => status === 200);
  assert.ok(given.length > 0);
  assert.equal(given.filter(({ headers }) => headers.get('idempotent-replayed') === null).length, 1);
  assert.ok(given.every(({ json }) => json['balance'] === '5'));
  assert.ok(answers.every(({ status }) => [200, 409, 503].includes(status))); // 503: an overloaded database
  const repeated = await send();
  assert.deepEqual([repeated.status, repeated.headers.get('idempotent-replayed')], [200, 'true']);
  const { data } = (await ask(`GET /audit_logs?subject_id=${organizationId}&action=credits.added`)).json;
  assert.equal((data as JsonObject[]).length, 1);
  const { json } = await ask(`GET /organizations/${organizationId}`);
  assert.equal(json['balance'], '5');
});

test('a repeated creation of a key gives the same text again, which is nowhere in the database in clear', async () => {
  const { projectId } = gateway.account;
  const make = () =>
    ask('POST /keys', { project_id: projectId, label: 'twice' }, { 'idempotency-key': 'k-1' });
  const [first, second] = [await make(), await make()];
  assert.deepEqual(second.json, first.json);
  assert.equal(await call(textOf(second.json['secret'])), 200);
  const { rows } = await gateway.database.query<{ line: string }>({
    text: `
      SELECT encode(sealed, 'escape') AS line FROM idempotent_answer
      UNION ALL SELECT a::text FROM audit_log a UNION ALL SELECT k::text FROM api_key k`,
  });
  const secret = textOf(first.json['secret']).slice(20, 40);
  for (const { line } of rows) assert.ok(!line.includes(secret));
});

test('a change is applied completely or not at all', async () => {
  const { keyId } = await gateway.createAccount();
  const change = { disabled: true, limit: '7', recurring_limit: { amount: '5', period: 'day' } };
  const headers = { 'idempotency-key': 'whole-1' };
  const broken = await gateway.withoutTable('recurring_limit', () =>
    ask(`POST /keys/${keyId}`, change, headers),
  );
  assert.equal(broken.status, 500);
  const { json: before } = await ask(`GET /keys/${keyId}`);
  assert.deepEqual([before['disabled'], before['limit'], before['recurring_limit']], [false, null, null]);
  const { json } = await ask(`POST /keys/${keyId}`, change, headers);
  assert.deepEqual(
    [json['disabled'], json['limit'], json['recurring_limit']],
    [true, '7', { amount: '5', period: 'day' }],
  );
});

test('the state of a gateway without other requests has no open request', async () => {
  const countOpen = async () => (await ask('GET /status')).json['open_requests'];
  await until('no other open request', async () => (await countOpen()) === 0);
});

test('an invalid body or query is refused with its path and what is expected', async () => {
  const { organizationId, projectId, keyId } = await gateway.createAccount();
  const label = 'x';
  const cases: [string, JsonObject | undefined, RegExp][] = [
    ['POST /organizations', {}, /^name: is missing$/],
    ['POST /organizations', { name: 7 }, /^name: must be a text of 1 to 200 characters$/],
    ['POST /organizations', { name: ' ' }, /^name: must be 1 to 200 characters/],
    ['POST /keys', { project_id: projectId, label, limit: true }, /^limit: must be an amount of USD/],
    ['POST /keys', { project_id: projectId, label, limit: '-5' }, /^limit: must be an amount of USD/],
    [
      'POST /keys',
      { project_id: projectId, label, expires_at: 'soon' },
      /^expires_at: must be a time in ISO 8601/,
    ],
    [
      'POST /keys',
      { project_id: projectId, label, expires_at: '2027-02-31T00:00:00Z' },
      /^expires_at: must be a time in ISO 8601/,
    ],
    [
      'POST /keys',
      { project_id: projectId, label, expires_at: '2020-01-01T00:00:00Z' },
      /^expires_at: must be a time in the future/,
    ],
    [
      `POST /keys/${keyId}`,
      { expires_at: '2020-01-01T00:00:00Z' },
      /^expires_at: must be a time in the future/,
    ],
    [
      'POST /keys',
      { project_id: projectId, label, recurring_limit: { amount: '5', period: 'year' } },
      /^recurring_limit\.period: must be one of hour, day, week, month$/,
    ],
    [
      'POST /keys',
      { project_id: projectId, label, rate_limits: { rpm: 1 } },
      /^rate_limits\.rpm: is not known here; known are requests_per_minute, /,
    ],
    [
      'POST /session_tokens',
      { key_id: keyId, budget: '1' },
      /^budget: is not known here; it is called limit now$/,
    ],
    [`POST /keys/${keyId}`, { recurring_limit: { amount: '5' } }, /^recurring_limit/],
    [`POST /keys/${keyId}`, { limit: 0.1 + 0.2 }, /^limit: must be an amount of USD/],
    [`POST /keys/${keyId}`, { limit: -1 }, /^limit: must be an amount of USD/],
    [`POST /keys/${keyId}`, { limit: false }, /^limit: must be .*, or null for no limit$/],
    [
      'POST /rules',
      { layer: 'key', subject_id: keyId, type: 'x', values: [] },
      /^type: must be one of no-training, /,
    ],
    [
      'POST /rules',
      { layer: 'key', subject_id: keyId, type: 'deny-models', values: [1] },
      /^values\[0\]: must be an array of names/,
    ],
    [
      'POST /admin_keys',
      { label, scopes: ['x'] },
      /^(scopes\[0\]: must be one of all, |this admin key lacks)/,
    ],
    ['GET /keys?limit=0', undefined, /^limit: must be a whole number from 1 to 100$/],
    ['GET /keys?limit=2&limit=3', undefined, /^limit: is given twice$/],
    ['GET /logs?since=yesterday', undefined, /^since: must be a time in ISO 8601/],
    ...listSpans().map((path): [string, undefined, RegExp] => [
      `GET /${path}?since=2026-11-02T00:00:00Z&until=2026-11-01T00:00:00Z${path === 'what_if' ? '&model=x' : ''}`,
      undefined,
      /^since: must not be after until$/,
    ]),
    ...listSpans(({ usualDays }) => usualDays !== undefined).map((path): [string, undefined, RegExp] => [
      `GET /${path}?until=2020-01-01T00:00:00Z${path === 'what_if' ? '&model=x' : ''}`,
      undefined,
      /^since: is missing, and its default is after until$/,
    ]),
    ['GET /logs?finish_reason=x', undefined, /^finish_reason: must be one of completed, /],
    ['GET /logs?after=req_x', undefined, /^after: must be the `last_id` of a page$/],
  ];
  const credits = `POST /organizations/${organizationId}/credits`;
  assert.equal((await ask(credits, { amount: '5', grant: 'g-1' })).status, 200);
  cases.push([
    credits,
    { amount: '6', grant: 'g-1' },
    /^grant: must be a key that was not used for another amount/,
  ]);
  for (const [line, body, message] of cases) {
    const answer = await ask(line, body);
    assert.equal(answer.status, 400, line);
    assert.match(messageOf(answer), message);
  }
});

test('a customer’s own admin key sees the customer’s requests without what they cost the operator, and no others', async () => {
  const [one, two] = [await gateway.createAccount(), await gateway.createAccount()];
  for (const { apiKey } of [one, two]) await call(apiKey);
  const { json } = await ask('POST /admin_keys', { label: 'theirs', organization_id: one.organizationId });
  const bound = asAdmin(textOf(json['secret']));
  const { data } = (await ask('GET /logs', undefined, bound)).json as { data: JsonObject[] };
  assert.deepEqual(
    data.map((row) => row['organization_id']),
    [one.organizationId],
  );
  assert.ok(data.every((row) => !('provider_cost' in row)));
  const other = await ask(`GET /logs?organization_id=${two.organizationId}`, undefined, bound);
  assert.deepEqual(other.json['data'], []);
  const { data: rows } = (await ask(`GET /logs?organization_id=${two.organizationId}`)).json as {
    data: JsonObject[];
  };
  const foreign = await ask(`GET /logs/${textOf(rows[0]?.['id'])}`, undefined, bound);
  const unknown = await ask('GET /logs/req_unknown', undefined, bound);
  assert.deepEqual([foreign.status, foreign.json], [404, unknown.json]);
  assert.ok('provider_cost' in (rows[0] ?? {}));
  assert.equal((await ask('GET /ledger/check', undefined, bound)).status, 403);
  assert.equal((await ask('POST /organizations', { name: 'x' }, bound)).status, 403);
});

test('the audit log records the request and key of a change', async () => {
  const { keyId } = await gateway.createAccount();
  const { headers } = await ask(`POST /keys/${keyId}`, { limit: '3' });
  const requestId = headers.get('x-request-id') ?? '';
  const { data } = (await ask(`GET /audit_logs?request_id=${requestId}`)).json as { data: JsonObject[] };
  const { actorId } = await gateway.accounts.administration.identify(admin);
  assert.deepEqual(
    data.map(({ actor, action, subject_id: subject, before, after }) => [
      actor,
      action,
      subject,
      before,
      after,
    ]),
    [[actorId, 'key.updated', keyId, { limit: null }, { limit: '3' }]],
  );
});

test('a NUL in an id, a filter or a body is refused as the client’s error', async () => {
  const answers = await Promise.all([
    ask('GET /keys/%00'),
    ask('GET /logs?model=%00'),
    ask('GET /logs?tag=team%3D%00'),
    ask('POST /keys', { project_id: 'prj_\u0000', label: 'x' }),
  ]);
  for (const answer of answers) {
    assert.equal(answer.status, 400);
    assert.match(messageOf(answer), /U\+0000/);
  }
});
