import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseJsonObject } from '#base';
import { DashboardBrowser, textOf } from '../../../test/support/dashboard-browser.ts';
import { openWithIssuer } from '../../../test/support/oidc-gateway.ts';
import { shareOpened } from '../../../test/support/share-opened.ts';
import { signInAs } from '../../../test/support/oidc-issuer.ts';
import { until } from '../../../test/support/until.ts';

const scene = shareOpened(() => openWithIssuer());

const SCOPES = ['accounts:write', 'admin_keys:write'];

/** Sends as an administrator: with an admin key, or from a browser. */
type Send = (method: string, path: string, body?: object) => Promise<{ status: number; body: string }>;

const withKey =
  (secret: string): Send =>
  async (method, path, body) => {
    const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
    const response = await scene.gateway.request(`/admin/v1${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.text() };
  };

const within =
  (browser: DashboardBrowser): Send =>
  (method, path, body) =>
    browser.send(method, `/admin/v1${path}`, body ? { body: { ...body } } : {});

async function create(send: Send, kind: 'admin_keys' | 'dashboard_sessions'): Promise<Send> {
  const answer = await send('POST', `/${kind}`, {
    label: 'more',
    scopes: SCOPES,
    organization_id: scene.organizationId,
  });
  assert.equal(answer.status, 200, answer.body);
  const secret = textOf(parseJsonObject(answer.body)?.['secret']);
  if (kind === 'admin_keys') return withKey(secret);
  const browser = new DashboardBrowser(scene.gateway);
  assert.equal((await browser.signIn({ link: secret })).status, 200);
  return within(browser);
}

test('links and admin keys of someone who signed in have no more rights than they, and end with them', async () => {
  const { browser } = await signInAs(scene, 'adam');
  const memberId = await findMember('adam');
  const key = await create(within(browser), 'admin_keys');
  const link = await create(within(browser), 'dashboard_sessions');
  const all: Record<string, Send> = {
    'a key': key,
    'a link': link,
    'a key of the key': await create(key, 'admin_keys'),
    'a link of the key': await create(key, 'dashboard_sessions'),
    'a key of the link': await create(link, 'admin_keys'),
    'a link of the link': await create(link, 'dashboard_sessions'),
    'a key of a link of the key': await create(await create(key, 'dashboard_sessions'), 'admin_keys'),
  };
  const statuses = async (path: string) =>
    Promise.all(Object.values(all).map(async (send) => (await send('GET', path)).status));
  const each = (status: number) => Object.keys(all).map(() => status);
  assert.deepEqual(await statuses('/members'), each(200));
  assert.deepEqual(await statuses('/logs'), each(403), 'the scopes they were created with');

  const { directory } = scene.gateway.accounts;
  await directory.updateMember(memberId, { role: 'viewer' });
  await until('no one creates keys', async () => !(await statuses('/admin_keys')).includes(200));
  await directory.updateMember(memberId, { role: 'admin' });
  await until('all work again', async () => (await statuses('/members')).every((status) => status === 200));

  await directory.removeMember(memberId);
  await until('all are refused', async () => (await statuses('/members')).every((status) => status === 401));
  const keys = (await directory.listAdminKeys({ organizationId: scene.organizationId })).filter(
    (one) => one.memberId === memberId,
  );
  assert.deepEqual(
    keys.map(({ disabled }) => disabled),
    [true, true, true, true],
  );
  await assert.rejects(directory.setAdminKeyDisabled(keys[0]?.id ?? '', false), /no longer an administrator/);
});

async function findMember(login: string): Promise<string> {
  const members = await scene.gateway.accounts.directory.listMembers({
    organizationId: scene.organizationId,
  });
  return members.find(({ email }) => email === `${login}@acme.example`)?.id ?? '';
}

test('signing out of a link does not sign out at the issuer', async () => {
  const { browser } = await signInAs(scene, 'lena');
  const answer = await browser.send('POST', '/admin/v1/dashboard_sessions', {
    body: { label: 'more', scopes: SCOPES },
  });
  const guest = new DashboardBrowser(scene.gateway);
  assert.equal((await guest.signIn({ link: textOf(answer.json()['secret']) })).status, 200);
  const { role, scopes } = (await guest.send('GET', '/admin/v1/session')).json();
  assert.deepEqual([role, scopes], [null, SCOPES], 'it reports what the link may do');
  const signOut = async (from: DashboardBrowser) =>
    (await from.send('DELETE', '/admin/v1/session')).json()['sign_out_url'];
  assert.equal(await signOut(guest), null);
  assert.match(textOf(await signOut(browser)), /session\/end/);
});

test('an admin cannot make an owner, who stays one whatever the issuer says; operators and owners can', async () => {
  const lena = within((await signInAs(scene, 'lena')).browser);
  const olga = within((await signInAs(scene, 'olga')).browser);
  const own = `/members/${await findMember('lena')}`;
  const friend = { organization_id: scene.organizationId, name: 'Friend', role: 'owner' };
  for (const send of [lena, await create(lena, 'admin_keys'), await create(lena, 'dashboard_sessions')]) {
    for (const [path, body] of [
      [own, { role: 'owner' }],
      ['/members', friend],
    ] as const) {
      const refused = await send('POST', path, body);
      assert.equal(refused.status, 403, refused.body);
      assert.match(refused.body, /only an owner or an operator can make a member an owner/);
    }
  }
  assert.equal((await olga('POST', own, { role: 'owner' })).status, 200);
  assert.equal((await lena('POST', '/members', friend)).status, 200);
  assert.equal((await lena('POST', own, { role: 'admin' })).status, 200);
});
