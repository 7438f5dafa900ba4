import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DashboardBrowser, type Page, textOf } from '../../../../../test/support/dashboard-browser.ts';
import { openInProcess } from '../../../../../test/support/in-process.ts';
import { openWithIssuer } from '../../../../../test/support/oidc-gateway.ts';
import { shareOpened } from '../../../../../test/support/share-opened.ts';
import { arrive, followIssuer, signInAs } from '../../../../../test/support/oidc-issuer.ts';

const scene = shareOpened(() => openWithIssuer());

const signIn = (login: string, browser?: DashboardBrowser) => signInAs(scene, login, browser);
const rightsOf = async (browser: DashboardBrowser) => (await browser.send('GET', '/admin/v1/session')).json();

/** A refusal is a page with a sentence, and no session. */
async function assertRefused(page: Page, browser: DashboardBrowser, [status, text]: [number, RegExp]) {
  assert.equal(page.status, status, page.body);
  assert.match(page.headers['content-type'] ?? '', /^text\/html/);
  assert.doesNotMatch(String(page.headers['content-security-policy']), /unsafe/);
  assert.match(page.body, text);
  assert.equal(page.headers['set-cookie'], undefined);
  assert.equal((await rightsOf(browser))['id'], null);
}

async function begin(login: string, browser = new DashboardBrowser(scene.gateway)) {
  scene.issuer.next = login;
  const start = await browser.send('GET', '/dashboard/login');
  return { browser, callback: await followIssuer(start, '/dashboard/callback') };
}

test('303: an operator signs in with all rights, without becoming a member', async () => {
  const { browser, page } = await signIn('olga');
  assert.deepEqual([page.status, page.headers.location], [303, './'], page.body);
  const { id: _, expires_at: end, ...rights } = await rightsOf(browser);
  assert.deepEqual(rights, {
    object: 'session',
    scopes: ['all'],
    organization_id: null,
    member_id: null,
    person: 'Olga Op <olga@acme.example>',
    role: 'operator',
    sign_in: { name: 'Test Issuer', url: 'login' },
  });
  assert.ok(Date.parse(textOf(end)) > 0);
  const members = await scene.gateway.accounts.directory.listMembers({});
  assert.ok(!members.some(({ email }) => email === 'olga@acme.example'));
});

test('303: a first sign-in makes a member, the next one finds it, and the role follows the groups', async () => {
  const list = async () =>
    (await scene.gateway.accounts.directory.listMembers({ organizationId: scene.organizationId })).filter(
      ({ email }) => email === 'mia@acme.example',
    );
  const { browser } = await signIn('mia');
  const [made] = await list();
  assert.deepEqual([made?.name, made?.role], ['Mia Member', 'member']);
  assert.equal((await rightsOf(browser))['member_id'], made?.id);
  Object.assign(scene.issuer.people, { mia: { ...scene.issuer.people['mia'], groups: ['finance'] } });
  const again = await signIn('mia');
  assert.equal((await rightsOf(again.browser))['role'], 'viewer');
  assert.deepEqual(
    (await list()).map(({ id, role }) => [id, role]),
    [[made?.id, 'viewer']],
  );
  Object.assign(scene.issuer.people, { mia: { ...scene.issuer.people['mia'], groups: ['data'] } });
});

test('303: a member whose verified address an administrator entered before is that member', async () => {
  const { directory } = scene.gateway.accounts;
  const { id } = await directory.addMember({
    organizationId: scene.organizationId,
    name: 'Vera',
    email: 'Vera@acme.example',
    role: 'member',
  });
  await signIn('vera');
  assert.deepEqual(
    (await directory.listMembers({ organizationId: scene.organizationId }))
      .filter(({ email }) => email?.toLowerCase() === 'vera@acme.example')
      .map((member) => [member.id, member.role]),
    [[id, 'viewer']],
  );
});

test('303: a domain counts only with an address that the issuer has verified', async () => {
  const partner = { name: 'Pia', email: 'pia@partner.example', email_verified: true };
  Object.assign(scene.issuer.people, { pia: partner, fake: { ...partner, email_verified: false } });
  const { browser } = await signIn('pia');
  assert.equal((await rightsOf(browser))['role'], 'viewer');
  const fake = await signIn('fake');
  await assertRefused(fake.page, fake.browser, [403, /You have no role here/]);
});

test('303: over TLS both cookies are __Host-, Secure and HttpOnly, and only that of the way there is Lax', async () => {
  const browser = new DashboardBrowser(scene.gateway, 'https://gateway.example');
  scene.issuer.next = 'olga';
  const start = await browser.send('GET', '/dashboard/login');
  assert.match(
    String(start.headers['set-cookie']),
    /^__Host-sluice_sign_in=[\w-]+; HttpOnly; SameSite=Lax; Path=\/; Max-Age=600; Secure$/,
  );
  const page = await arrive(browser, await followIssuer(start, '/dashboard/callback'));
  assert.match(
    String(page.headers['set-cookie']),
    /^__Host-sluice_session=\w{43}; HttpOnly; SameSite=Strict; Path=\/; Max-Age=86400; Secure$/,
  );
  assert.equal((await browser.send('GET', '/admin/v1/keys')).status, 200);
});

test('303: whatever address a link names, the way back is the dashboard', async () => {
  const { browser, callback } = await begin('olga');
  const page = await arrive(browser, `${callback}&return_to=https%3A%2F%2Fevil.example`);
  assert.deepEqual([page.status, page.headers.location], [303, './']);
});

test('303: a sign-in ends the session that the browser had, and has a secret of its own', async () => {
  const planted = await signIn('olga');
  const before = [...planted.browser.cookies.entries()];
  const { browser } = await signIn('adam', planted.browser);
  assert.equal((await rightsOf(browser))['role'], 'admin');
  const other = new DashboardBrowser(scene.gateway);
  for (const [name, value] of before) other.cookies.set(name, value);
  assert.equal((await rightsOf(other))['id'], null);
});

test('401: a callback in a browser that did not begin, as when somebody is lured into another account', async () => {
  const { callback } = await begin('olga');
  const victim = new DashboardBrowser(scene.gateway);
  await assertRefused(await arrive(victim, callback), victim, [401, /has not begun to sign in here/]);
  const other = await begin('adam');
  await assertRefused(await arrive(other.browser, callback), other.browser, [401, /was not accepted/]);
});

test('401: a sign-in that a neighbouring site began and planted in this browser, over TLS', async () => {
  const origin = 'https://gateway.example';
  const { browser, callback } = await begin('adam', new DashboardBrowser(scene.gateway, origin));
  const victim = new DashboardBrowser(scene.gateway, origin);
  for (const value of browser.cookies.values()) victim.cookies.set('sluice_sign_in_80', value);
  await assertRefused(await arrive(victim, callback), victim, [401, /has not begun to sign in here/]);
});

test('401: a callback is used once, also in the browser that began it', async () => {
  const { browser, callback } = await signIn('olga');
  const again = await arrive(browser, callback);
  assert.equal(again.status, 401, again.body);
  assert.equal((await rightsOf(browser))['role'], 'operator', 'the session it began goes on');
});

test('401: a state begins one session only, even if the issuer took a code twice', async () => {
  const signOnce = () =>
    scene.gateway.accounts.dashboard.signInPerson({
      person: { issuer: 'i', subject: 's', name: 'Twice', groups: ['platform'] },
      rules: [{ group: 'platform', role: 'operator' }],
      state: 'the same state',
      idToken: 't',
      sessionMinutes: 60,
      isSecure: false,
      userAgent: '',
      requestId: 'req_1',
    });
  const results = await Promise.allSettled([signOnce(), signOnce(), signOnce()]);
  assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
});

test('401: a sign-in that took longer than ten minutes, and a cookie that was changed', async () => {
  const slow = await begin('olga');
  scene.gateway.clock.advance(11 * 60_000);
  await assertRefused(await arrive(slow.browser, slow.callback), slow.browser, [401, /more than 10 minutes/]);
  const changed = await begin('olga');
  for (const [name, value] of changed.browser.cookies)
    changed.browser.cookies.set(name, `${value.slice(0, -4)}AAAA`);
  await assertRefused(await arrive(changed.browser, changed.callback), changed.browser, [
    401,
    /has not begun to sign in/,
  ]);
});

test('401: what the issuer refuses is said as it says it, as text', async () => {
  const { browser, callback } = await begin('olga');
  const state = new URLSearchParams(callback.split('?')[1]).get('state') ?? '';
  const iss = encodeURIComponent(scene.issuer.url);
  const denied = `/dashboard/callback?error=access_denied&error_description=%3Cscript%3Ealert(1)%3C%2Fscript%3E&state=${state}&iss=${iss}`;
  const page = await arrive(browser, denied);
  await assertRefused(page, browser, [401, /was not accepted \(access_denied\)/]);
  assert.doesNotMatch(page.body, /<script/);
});

test('403: groups that no rule names, with a sentence and a line in the audit log', async () => {
  const { page, browser } = await signIn('nobody');
  await assertRefused(page, browser, [403, /You have no role here: your account is in the groups guests/]);
  const [entry] = await scene.gateway.accounts.directory.listAudit({ action: 'sign_in.refused' });
  assert.deepEqual([entry?.subjectId, entry?.person], ['nobody', 'Nobody <nobody@acme.example>']);
  assert.deepEqual(entry?.after?.['groups'], ['guests']);
});

test('403: names and groups of strangers are text on the page', async () => {
  Object.assign(scene.issuer.people, {
    evil: { name: '<b>x</b>', groups: ['<img src=x onerror=alert(1)>'] },
  });
  const { page } = await signIn('evil');
  assert.equal(page.status, 403);
  assert.match(page.body, /&lt;img src=x/);
  assert.doesNotMatch(page.body, /<img|<b>/);
});

test('403: a rule that names an organization which does not exist, or which is two', async () => {
  Object.assign(scene.issuer.people, { lost: { email: 'lost@other.example', email_verified: true } });
  const lost = await signIn('lost');
  await assertRefused(lost.page, lost.browser, [403, /which does not exist/]);
  await scene.gateway.accounts.directory.createOrganization('No Such Organization');
  await scene.gateway.accounts.directory.createOrganization('No Such Organization');
  const two = await signIn('lost');
  await assertRefused(two.page, two.browser, [403, /a name that several organizations have/]);
});

test('403: a removed member stays out, and their sessions end, until they are added again', async () => {
  const { directory } = scene.gateway.accounts;
  const { browser } = await signIn('max');
  const id = textOf((await rightsOf(browser))['member_id']);
  assert.equal((await browser.send('GET', '/admin/v1/keys')).status, 200);
  await directory.removeMember(id);
  assert.equal((await browser.send('GET', '/admin/v1/keys')).status, 401);
  const refused = await signIn('max');
  await assertRefused(refused.page, refused.browser, [403, /You were removed from the organization/]);
  await directory.addMember({
    organizationId: scene.organizationId,
    name: 'Max',
    email: 'max@acme.example',
    role: 'member',
  });
  assert.equal((await signIn('max')).page.status, 303);
});

test('403: another account of the issuer with the address of a member is not that member', async () => {
  await signIn('mia');
  Object.assign(scene.issuer.people, { twin: scene.issuer.people['mia'] });
  const twin = await signIn('twin');
  await assertRefused(twin.page, twin.browser, [403, /Another account of the issuer/]);
});

test('303: a change of role takes effect in a session in use, at its next request', async () => {
  const { browser } = await signIn('adam');
  const id = String(
    (await scene.gateway.accounts.directory.listMembers({ organizationId: scene.organizationId })).find(
      ({ email }) => email === 'adam@acme.example',
    )?.id,
  );
  assert.equal((await browser.send('GET', '/admin/v1/audit_logs')).status, 200);
  await scene.gateway.accounts.directory.updateMember(id, { role: 'member' });
  assert.equal((await browser.send('GET', '/admin/v1/audit_logs')).status, 403);
  const rights = await rightsOf(browser);
  assert.deepEqual([rights['role'], rights['member_id']], ['member', id]);
});

test('303: a session in use is ended by an operator, and ends at its next request', async () => {
  const [operator, member] = [await signIn('olga'), await signIn('mia')];
  const { id } = (await rightsOf(member.browser)) as { id: string };
  assert.equal(
    (await operator.browser.send('DELETE', `/admin/v1/dashboard_sessions/${id}`)).json()['role'],
    'member',
  );
  assert.equal((await member.browser.send('GET', '/admin/v1/keys')).status, 401);
});

test('303: signing out leads to the issuer, with a token that it knows the session by', async () => {
  const { browser } = await signIn('mia');
  const answer = (await browser.send('DELETE', '/admin/v1/session')).json();
  const url = new URL(textOf(answer['sign_out_url']));
  assert.equal(url.origin + url.pathname, `${scene.issuer.url}/session/end`);
  assert.equal(url.searchParams.get('post_logout_redirect_uri'), `${scene.gateway.url}/dashboard/`);
  const [, claims = ''] = (url.searchParams.get('id_token_hint') ?? '').split('.');
  assert.equal((JSON.parse(Buffer.from(claims, 'base64url').toString()) as { sub: string }).sub, 'mia');
  assert.equal((await fetch(url)).status, 200, 'the issuer asks whether to sign out');
  assert.equal((await rightsOf(browser))['id'], null);
});

test('303: neither tokens nor the secret of the client are in the log, the audit log or in clear in the database', async () => {
  const { callback, browser } = await signIn('olga');
  const { rows } = await scene.gateway.database.query<{ text: string }>({
    text: `SELECT (SELECT jsonb_agg(s)::text FROM dashboard_session s) || (SELECT jsonb_agg(a)::text FROM audit_log a) AS text`,
  });
  const query = new URLSearchParams(callback.split('?')[1]);
  const hidden = [
    query.get('code') ?? 'none',
    query.get('state') ?? 'none',
    ...browser.cookies.values(),
    'a-secret-of-the-client',
    Buffer.from('eyJ').toString('hex'),
  ];
  for (const text of [rows[0]?.text ?? '', scene.gateway.logLines.join('\n')])
    for (const secret of hidden) assert.ok(!text.includes(secret), secret);
});

test('404: without auth.oidc there is no callback', async () => {
  await using plain = await openInProcess();
  const page = await new DashboardBrowser(plain).send('GET', '/dashboard/callback?code=x&state=y');
  assert.equal(page.status, 404);
  assert.match(page.body, /no auth\.oidc/);
});

test('421: under a name that is not the gateway’s', async () => {
  const { browser, callback } = await begin('olga');
  const page = await browser.send('GET', callback, { headers: { host: 'evil.example' } });
  assert.equal(page.status, 421);
  assert.equal(page.headers['set-cookie'], undefined);
});

test('502: an issuer that is down, with a sentence; when it is back, the sign-in works', async () => {
  const { browser, callback } = await begin('olga');
  scene.issuer.isDown = true;
  await assertRefused(await arrive(browser, callback), browser, [
    502,
    /does not answer as an OpenID provider/,
  ]);
  scene.issuer.isDown = false;
  assert.equal((await signIn('olga')).page.status, 303);
});
