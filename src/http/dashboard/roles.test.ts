import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { JsonObject } from '#base';
import { ENDPOINTS } from '#http';
import { type DashboardBrowser, textOf } from '../../../test/support/dashboard-browser.ts';
import type { InProcessGateway } from '../../../test/support/in-process.ts';
import { openWithIssuer } from '../../../test/support/oidc-gateway.ts';
import { type OidcIssuer, signInAs } from '../../../test/support/oidc-issuer.ts';
import { until } from '../../../test/support/until.ts';
import { answer } from '../../../test/support/upstream-replies.ts';

const LOGINS = { operator: 'olga', admin: 'adam', viewer: 'vera', member: 'mia' } as const;
type Role = keyof typeof LOGINS;
const ROLES = Object.keys(LOGINS) as Role[];

/** A member with a key and a request, both in the session of a client that they share. */
interface Member {
  id: string;
  keyId: string;
  requestId: string;
}

let gateway: InProcessGateway;
let issuer: OidcIssuer;
let organizationId: string;
let projectId: string;
let foreignId: string;
let mia: Member;
let max: Member;
const browsers = {} as Record<Role, DashboardBrowser>;

before(async () => {
  ({ gateway, issuer, organizationId, projectId } = await openWithIssuer());
  await gateway.accounts.directory.updateProject(projectId, { payloadDays: 1 });
  gateway.upstream.script({ reply: answer({ text: 'hello' }) });
  for (const role of ROLES) browsers[role] = (await signInAs({ gateway, issuer }, LOGINS[role])).browser;
  const { browser } = await signInAs({ gateway, issuer }, 'max');
  mia = await useKey(await findMember(browsers.member));
  max = await useKey(await findMember(browser));
  const other = await gateway.createAccount();
  foreignId = await ask(other.apiKey);
  await until('it is kept what was said', async () => {
    const page = await browsers.operator.send('GET', `/admin/v1/logs/${mia.requestId}/payload`);
    return page.json()['request'] !== null;
  });
});
after(async () => {
  await gateway[Symbol.asyncDispose]();
  await issuer[Symbol.asyncDispose]();
});

async function findMember(browser: DashboardBrowser): Promise<string> {
  return textOf((await browser.send('GET', '/admin/v1/session')).json()['member_id']);
}

async function useKey(id: string): Promise<Member> {
  const { secret, key } = await gateway.accounts.directory.createKey({ projectId, label: id, memberId: id });
  return { id, keyId: key.id, requestId: await ask(secret) };
}

const BODY = '{"model":"chat-model","max_tokens":8,"messages":[{"role":"user","content":"hello"}]}';

async function ask(apiKey: string): Promise<string> {
  const headers = { authorization: `Bearer ${apiKey}`, 'x-gateway-session': 'shared' };
  const response = await gateway.post('/v1/chat/completions', BODY, headers);
  assert.equal(response.status, 200, await response.text());
  return response.headers.get('x-request-id') ?? '';
}

/** What a role gets: a status, or what the answer has. */
type Expected = Record<Role, unknown>;

interface Line {
  path: () => string;
  /** POST if it has one. */
  body?: () => JsonObject;
  /** What is compared of an answer with status 200; else only the status is. */
  read?: (answer: JsonObject) => unknown;
  expected: () => Expected;
}

const ids = (answer: JsonObject): unknown => (answer['data'] as { id: string }[]).map(({ id }) => id).sort();
const count = (answer: JsonObject): number => (answer['data'] as unknown[]).length;
const both = () => [mia.keyId, max.keyId].sort();
const everywhere = (
  ...[operator, admin, viewer, member]: [unknown, unknown, unknown, unknown]
): Expected => ({
  operator,
  admin,
  viewer,
  member,
});

const LINES: Record<string, Line> = {
  'keys of the organization': {
    path: () => `/keys?organization_id=${organizationId}`,
    read: ids,
    expected: () => everywhere(both(), both(), both(), [mia.keyId]),
  },
  'keys of another member': {
    path: () => `/keys?member_id=${max.id}`,
    read: ids,
    expected: () => everywhere([max.keyId], [max.keyId], [max.keyId], []),
  },
  'keys of another organization': {
    path: () => `/keys?organization_id=${gateway.account.organizationId}`,
    read: count,
    expected: () => everywhere(1, 0, 0, 0),
  },
  'an own key': { path: () => `/keys/${mia.keyId}`, expected: () => everywhere(200, 200, 200, 200) },
  'the key of another member': {
    path: () => `/keys/${max.keyId}`,
    expected: () => everywhere(200, 200, 200, 404),
  },
  'oneself as a member': { path: () => `/members/${mia.id}`, expected: () => everywhere(200, 200, 200, 200) },
  'another member': { path: () => `/members/${max.id}`, expected: () => everywhere(200, 200, 200, 404) },
  'all members': { path: () => '/members', expected: () => everywhere(200, 200, 200, 403) },
  organizations: {
    path: () => '/organizations',
    read: count,
    expected: () => everywhere(3, 1, 1, 403),
  },
  projects: {
    path: () => `/projects?organization_id=${organizationId}`,
    read: ids,
    expected: () => everywhere([projectId], [projectId], [projectId], 403),
  },
  requests: { path: () => '/logs', read: count, expected: () => everywhere(3, 2, 2, 1) },
  'requests of another member': {
    path: () => `/logs?member_id=${max.id}`,
    read: count,
    expected: () => everywhere(1, 1, 1, 0),
  },
  'a page of requests after that of another member': {
    path: () => `/logs?after=${max.requestId}`,
    expected: () => everywhere(200, 200, 200, 400),
  },
  'an own request': { path: () => `/logs/${mia.requestId}`, expected: () => everywhere(200, 200, 200, 200) },
  'the request of another member': {
    path: () => `/logs/${max.requestId}`,
    expected: () => everywhere(200, 200, 200, 404),
  },
  'the bill of an own request': {
    path: () => `/logs/${mia.requestId}/bill`,
    expected: () => everywhere(200, 200, 200, 200),
  },
  'the bill of the request of another member': {
    path: () => `/logs/${max.requestId}/bill`,
    expected: () => everywhere(200, 200, 200, 404),
  },
  'the bill of a request of another organization': {
    path: () => `/logs/${foreignId}/bill`,
    expected: () => everywhere(200, 404, 404, 404),
  },
  'what was said in an own request': {
    path: () => `/logs/${mia.requestId}/payload`,
    read: ({ request }) => (request as JsonObject)['text'],
    expected: () => everywhere(BODY, BODY, 403, BODY),
  },
  'what was said in the request of another member': {
    path: () => `/logs/${max.requestId}/payload`,
    expected: () => everywhere(200, 200, 403, 404),
  },
  'what was said in another organization': {
    path: () => `/logs/${foreignId}/payload`,
    expected: () => everywhere(200, 404, 403, 404),
  },
  usage: {
    path: () => '/usage',
    read: ({ total }) => (total as JsonObject)['requests'],
    expected: () => everywhere(3, 2, 2, 1),
  },
  'usage by key': {
    path: () => `/usage?by=key&organization_id=${organizationId}`,
    read: count,
    expected: () => everywhere(2, 2, 2, 1),
  },
  'usage of another member': {
    path: () => `/usage?member_id=${max.id}`,
    read: count,
    expected: () => everywhere(1, 1, 1, 0),
  },
  'sessions of clients': {
    path: () => `/sessions?organization_id=${organizationId}`,
    read: ({ data }) => (data as JsonObject[]).map((line) => line['requests']),
    expected: () => everywhere([2], [2], [2], [1]),
  },
  'a session that members share': {
    path: () => `/sessions/shared?organization_id=${organizationId}`,
    read: (tree) => tree['requests'],
    expected: () => everywhere(2, 2, 2, 1),
  },
  'the audit log': { path: () => '/audit_logs', expected: () => everywhere(200, 200, 403, 403) },
  'sessions of the dashboard': {
    path: () => '/dashboard_sessions',
    read: count,
    expected: () => everywhere(5, 4, 403, 403),
  },
  'the ledger check': { path: () => '/ledger/check', expected: () => everywhere(200, 403, 403, 403) },
  'a new key': {
    path: () => '/keys',
    body: () => ({ project_id: projectId, label: 'new' }),
    expected: () => everywhere(200, 200, 403, 403),
  },
  'a new key of another organization': {
    path: () => '/keys',
    body: () => ({ project_id: gateway.account.projectId, label: 'new' }),
    expected: () => everywhere(200, 404, 403, 403),
  },
  'a new organization': {
    path: () => '/organizations',
    body: () => ({ name: 'New' }),
    expected: () => everywhere(200, 403, 403, 403),
  },
  credits: {
    path: () => `/organizations/${organizationId}/credits`,
    body: () => ({ amount: '1', grant: 'once' }),
    expected: () => everywhere(200, 403, 403, 403),
  },
};

for (const [name, { path, body, read, expected }] of Object.entries(LINES)) {
  for (const role of ROLES) {
    test(`${role}: ${name}`, async () => {
      const given = body && { body: body() };
      const page = await browsers[role].send(given ? 'POST' : 'GET', `/admin/v1${path()}`, given);
      const seen = page.status === 200 && read ? read(page.json()) : page.status;
      assert.deepEqual(seen, expected()[role], page.body);
    });
  }
}

const ADMIN = ENDPOINTS.filter(({ auth }) => auth === 'admin');

test('a viewer can change nothing: every endpoint that changes something refuses', async () => {
  const changes = ADMIN.filter(({ method }) => method !== 'GET');
  assert.ok(changes.length > 20);
  for (const { method, path } of changes) {
    const page = await browsers.viewer.send(method, path.replace(':id', 'x'), {
      ...(method === 'POST' && { body: {} }),
    });
    assert.equal(page.status, 403, `${method} ${path} ${page.body}`);
  }
});

test('a member reaches only what is made for members; any other endpoint refuses, also one that is new', async () => {
  const open = ADMIN.filter(({ isForMembers }) => isForMembers).map(
    ({ method, path }) => `${method} ${path}`,
  );
  assert.deepEqual(open.sort(), [
    'GET /admin/v1/budgets',
    'GET /admin/v1/holds',
    'GET /admin/v1/keys',
    'GET /admin/v1/keys/:id',
    'GET /admin/v1/latency',
    'GET /admin/v1/logs',
    'GET /admin/v1/logs/:id',
    'GET /admin/v1/logs/:id/bill',
    'GET /admin/v1/logs/:id/payload',
    'GET /admin/v1/logs/stream',
    'GET /admin/v1/members/:id',
    'GET /admin/v1/names',
    'GET /admin/v1/sessions',
    'GET /admin/v1/sessions/:id',
    'GET /admin/v1/usage',
  ]);
  for (const { method, path } of ADMIN.filter(({ isForMembers }) => !isForMembers)) {
    const page = await browsers.member.send(method, path.replace(':id', mia.id), {
      ...(method === 'POST' && { body: {} }),
    });
    const { code } = page.json()['error'] as { code: string };
    assert.deepEqual([page.status, code], [403, 'role_not_allowed'], `${method} ${path}`);
  }
});

test('requests as they end are those that the role sees in the list', async () => {
  const { operator, admin, viewer, member } = browsers;
  const seen = await Promise.all(
    [operator, admin, viewer, member].map(async (browser) => {
      const { body } = await browser.send('GET', '/admin/v1/logs/stream?last=100&seconds=0');
      return [mia.requestId, max.requestId, foreignId].map((id) => body.includes(id));
    }),
  );
  const [own, both, all] = [
    [true, false, false],
    [true, true, false],
    [true, true, true],
  ];
  assert.deepEqual(seen, [all, both, both, own]);
  const other = await member.send('GET', `/admin/v1/logs/stream?last=100&seconds=0&member_id=${max.id}`);
  assert.deepEqual([other.status, other.body], [200, 'retry: 2000\n\n']);
});

test('only an operator sees what a request cost the operator', async () => {
  for (const role of ROLES) {
    const { body } = await browsers[role].send('GET', `/admin/v1/logs/${mia.requestId}`);
    assert.equal(body.includes('provider_cost'), role === 'operator', role);
  }
});

test('an administrator cannot make a key or a link with more rights than the role has', async () => {
  for (const path of ['/admin/v1/admin_keys', '/admin/v1/dashboard_sessions']) {
    const page = await browsers.admin.send('POST', path, { body: { label: 'x', scopes: ['all'] } });
    assert.equal(page.status, 403, page.body);
  }
});

test('the audit log names the person of each change, by all of the roles that can make one', async () => {
  for (const [role, person] of [
    ['operator', 'Olga Op <olga@acme.example>'],
    ['admin', 'Adam Admin <adam@acme.example>'],
  ] as const) {
    const made = await browsers[role].send('POST', '/admin/v1/keys', {
      body: { project_id: projectId, label: `by ${role}` },
    });
    const [entry] = await gateway.accounts.directory.listAudit({ subjectId: made.json()['id'] as string });
    assert.deepEqual([entry?.action, entry?.person], ['key.created', person]);
    assert.match(entry?.actor ?? '', /^dash_/);
  }
});
