import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DashboardBrowser, textOf } from '../../../../../test/support/dashboard-browser.ts';
import { shareGateway } from '../../../../../test/support/share-gateway.ts';

const gateway = shareGateway();

const SECURE = 'https://gateway.example';
const makeLink = async (more: { scopes?: readonly string[]; organizationId?: string } = {}) =>
  gateway.accounts.directory.createDashboardSession({ label: 'test', ...more });
const codeOf = (page: { json(): object }): unknown =>
  (page.json() as { error?: { code?: string } }).error?.code;

test('200: a link signs one browser in, with the rights it was made with', async () => {
  const { secret, session } = await makeLink({
    scopes: ['read'],
    organizationId: gateway.account.organizationId,
  });
  const browser = new DashboardBrowser(gateway);
  const page = await browser.signIn({ link: secret }, { 'user-agent': 'Firefox' });
  assert.equal(page.status, 200, page.body);
  const rights = {
    object: 'session',
    id: session.id,
    scopes: ['read'],
    organization_id: gateway.account.organizationId,
    member_id: null,
    person: null,
    role: null,
    sign_in: null,
  };
  const { expires_at: end, ...answer } = page.json();
  assert.deepEqual(answer, rights);
  assert.ok(Date.parse(textOf(end)) > session.createdAt);
  assert.equal((await browser.send('GET', '/admin/v1/keys')).status, 200);
  const organizations = await browser.send('GET', '/admin/v1/organizations');
  assert.deepEqual(
    (organizations.json()['data'] as { id: string }[]).map(({ id }) => id),
    [gateway.account.organizationId],
  );
  const made = await browser.send('POST', '/admin/v1/keys', {
    body: { project_id: gateway.account.projectId, label: 'x' },
  });
  assert.deepEqual([made.status, codeOf(made)], [403, 'missing_scope']);
});

test('200: an admin key signs in with its own scopes, and the session ends with the key', async () => {
  const { directory } = gateway.accounts;
  const { secret, key } = await directory.createAdminKey({ label: 'ops', scopes: ['accounts:read'] });
  const browser = new DashboardBrowser(gateway);
  const page = await browser.signIn({ admin_key: secret });
  assert.deepEqual([page.status, page.json()['scopes']], [200, ['accounts:read']]);
  assert.equal((await browser.send('GET', '/admin/v1/keys')).status, 200);
  assert.equal((await browser.send('GET', '/admin/v1/logs')).status, 403);
  await directory.setAdminKeyDisabled(key.id, true);
  assert.deepEqual(codeOf(await browser.send('GET', '/admin/v1/keys')), 'invalid_credential');
});

test('200: on localhost the cookie is HttpOnly, SameSite=Strict, and has the name of its port', async () => {
  const { secret } = await makeLink();
  const browser = new DashboardBrowser(gateway);
  const page = await browser.signIn({ link: secret });
  const port = new URL(gateway.url).port;
  assert.match(
    String(page.headers['set-cookie']),
    new RegExp(`^sluice_session_${port}=[0-9A-Za-z]{43}; HttpOnly; SameSite=Strict; Path=/; Max-Age=604800$`),
  );
  assert.equal(page.headers['cache-control'], 'no-store');
});

test('200: over TLS the cookie is __Host- and Secure, and is not accepted under the plain name', async () => {
  const { secret } = await makeLink();
  const browser = new DashboardBrowser(gateway, SECURE);
  const page = await browser.signIn({ link: secret });
  assert.match(
    String(page.headers['set-cookie']),
    /^__Host-sluice_session=\w{43}; HttpOnly; SameSite=Strict; Path=\/; Max-Age=604800; Secure$/,
  );
  assert.equal((await browser.send('GET', '/admin/v1/keys')).status, 200);
  const [value = ''] = browser.cookies.values();
  browser.cookies.clear();
  browser.cookies.set('sluice_session_80', value);
  assert.deepEqual(codeOf(await browser.send('GET', '/admin/v1/keys')), 'missing_credential');
});

test('200: signing in makes a new secret and ends the session the browser had, so that none can be planted', async () => {
  const [planted, own] = [await makeLink(), await makeLink()];
  const attacker = new DashboardBrowser(gateway);
  await attacker.signIn({ link: planted.secret });
  const victim = new DashboardBrowser(gateway);
  for (const [name, value] of attacker.cookies) victim.cookies.set(name, value);
  assert.equal((await victim.signIn({ link: own.secret })).json()['id'], own.session.id);
  assert.notDeepEqual([...victim.cookies.values()], [...attacker.cookies.values()]);
  assert.equal((await attacker.send('GET', '/admin/v1/keys')).status, 401);
  assert.equal((await victim.send('GET', '/admin/v1/keys')).status, 200);
});

test('200: of many browsers that use one link at once, one gets in', async () => {
  const { secret } = await makeLink();
  const pages = await Promise.all(
    Array.from({ length: 8 }, () => new DashboardBrowser(gateway).signIn({ link: secret })),
  );
  assert.deepEqual(pages.map(({ status }) => status).sort(), [200, ...Array<number>(7).fill(401)]);
});

test('200: only digests are stored, and neither the log nor the audit log has a secret', async () => {
  const { secret, session } = await makeLink();
  const browser = new DashboardBrowser(gateway);
  await browser.signIn({ link: secret });
  const [cookie = ''] = browser.cookies.values();
  const { rows } = await gateway.database.query<{ text: string }>({
    text: `SELECT (SELECT jsonb_agg(s)::text FROM dashboard_session s) || (SELECT jsonb_agg(a)::text FROM audit_log a) AS text`,
  });
  for (const text of [rows[0]?.text ?? '', gateway.logLines.join('\n')])
    for (const hidden of [secret, cookie]) assert.ok(!text.includes(hidden));
  const started = await gateway.accounts.directory.listAudit({ subjectId: session.id });
  assert.deepEqual(
    started.map(({ action, actor }) => [action, actor]),
    [
      ['dashboard_session.updated', session.id],
      ['dashboard_session.created', 'sluice gateway'],
    ],
  );
});

test('200: what a session changes, the audit log names it for; a repeated request gets the first answer', async () => {
  const { secret, session } = await makeLink();
  const browser = new DashboardBrowser(gateway);
  await browser.signIn({ link: secret });
  const body = { project_id: gateway.account.projectId, label: 'from the dashboard' };
  const headers = { 'idempotency-key': 'once' };
  const [first, again] = [
    await browser.send('POST', '/admin/v1/keys', { body, headers }),
    await browser.send('POST', '/admin/v1/keys', { body, headers }),
  ];
  assert.equal(first.status, 200, first.body);
  assert.deepEqual([again.headers['idempotent-replayed'], again.body], ['true', first.body]);
  const [entry] = await gateway.accounts.directory.listAudit({ subjectId: first.json()['id'] as string });
  assert.deepEqual([entry?.action, entry?.actor], ['key.created', session.id]);
});

test('400: a body with neither or both credentials is refused', async () => {
  for (const body of [{}, { link: 'x', admin_key: 'y' }, { password: 'x' }]) {
    const page = await new DashboardBrowser(gateway).signIn(body);
    assert.deepEqual([page.status, codeOf(page)], [400, 'invalid_request'], page.body);
  }
});

test('401: a link that is used, expired, ended or unknown, and a wrong admin key', async () => {
  const [used, expired, ended] = [await makeLink(), await makeLink(), await makeLink()];
  await new DashboardBrowser(gateway).signIn({ link: used.secret });
  await gateway.database.query({
    text: `UPDATE dashboard_session SET expires_at = now() - interval '1 second' WHERE id = $1`,
    values: [expired.session.id],
  });
  await gateway.accounts.directory.endDashboardSession(ended.session.id);
  assert.ok(Math.abs(expired.session.expiresAt - expired.session.createdAt - 600_000) < 5_000);
  for (const link of [used.secret, expired.secret, ended.secret, 'x'.repeat(43)]) {
    const page = await new DashboardBrowser(gateway).signIn({ link });
    assert.deepEqual([page.status, page.headers['set-cookie']], [401, undefined]);
    assert.match(page.body, /npx sluice dashboard/);
  }
  const page = await new DashboardBrowser(gateway).signIn({ admin_key: 'slcadm_wrong' });
  assert.deepEqual([page.status, codeOf(page)], [401, 'invalid_credential']);
});

test('403: a page of another site cannot sign a browser in', async () => {
  const { secret } = await makeLink();
  const browser = new DashboardBrowser(gateway);
  for (const headers of [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': undefined, origin: 'http://evil.example' },
    { 'sec-fetch-site': undefined, origin: undefined },
    { 'x-sluice-dashboard': undefined },
  ])
    assert.deepEqual(codeOf(await browser.signIn({ link: secret }, headers)), 'cross_site_request');
  assert.equal((await browser.signIn({ link: secret })).status, 200);
});

test('403: without TLS only pages of this machine sign in', async () => {
  const { secret } = await makeLink();
  const page = await new DashboardBrowser(gateway, 'http://gateway.example').signIn({ link: secret });
  assert.deepEqual([page.status, codeOf(page)], [403, 'cross_site_request']);
});

test('421: a name that another site gives this machine is refused (DNS rebinding), also with a cookie', async () => {
  const [one, two] = [await makeLink(), await makeLink()];
  const rebound = new DashboardBrowser(gateway, 'https://x'); // the gateway serves the name to keys
  assert.equal((await rebound.signIn({ link: one.secret })).status, 421);
  const browser = new DashboardBrowser(gateway, SECURE);
  await browser.signIn({ link: two.secret });
  for (const [name, value] of browser.cookies) rebound.cookies.set(name, value);
  assert.deepEqual(codeOf(await rebound.send('GET', '/admin/v1/keys')), 'unknown_host');
});

test('413: more than a credential takes, as an announcement or as it arrives, from anyone', async () => {
  const body = JSON.stringify({ link: 'x'.repeat(5_000) });
  const browser = new DashboardBrowser(gateway);
  const page = await browser.signIn({ link: 'x'.repeat(5_000) });
  assert.deepEqual([page.status, codeOf(page)], [413, 'body_too_large']);
  const response = await fetch(`${gateway.url}/admin/v1/session`, {
    method: 'POST',
    duplex: 'half',
    headers: { origin: gateway.url, 'x-sluice-dashboard': '1', 'content-type': 'application/json' },
    body: new Blob([body]).stream(),
  });
  assert.equal(response.status, 413, await response.text());
});
