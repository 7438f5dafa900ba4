import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DashboardBrowser, textOf } from '../../../../../test/support/dashboard-browser.ts';
import { shareGateway } from '../../../../../test/support/share-gateway.ts';

const gateway = shareGateway();

const PATH = '/admin/v1/session';

async function signIn(): Promise<{ browser: DashboardBrowser; id: string }> {
  const { secret, session } = await gateway.accounts.directory.createDashboardSession({ label: 'test' });
  const browser = new DashboardBrowser(gateway);
  assert.equal((await browser.signIn({ link: secret })).status, 200);
  return { browser, id: session.id };
}

const move = (id: string, change: string) =>
  gateway.database.query({ text: `UPDATE dashboard_session SET ${change} WHERE id = $1`, values: [id] });
const idOf = async (browser: DashboardBrowser): Promise<unknown> =>
  (await browser.send('GET', PATH)).json()['id'];

test('200: it reports the rights of the session, and none without one', async () => {
  const { browser, id } = await signIn();
  const { expires_at: end, ...rights } = (await browser.send('GET', PATH)).json();
  assert.deepEqual(rights, {
    object: 'session',
    id,
    scopes: ['all'],
    organization_id: null,
    member_id: null,
    person: null,
    role: null,
    sign_in: null,
  });
  assert.ok(Date.parse(textOf(end)) > 0);
  assert.equal(await idOf(new DashboardBrowser(gateway)), null);
});

test('200: a session ends after seven days, and after twelve hours without a request', async () => {
  const { browser, id } = await signIn();
  const { expiresAt, startedAt = 0 } = await gateway.accounts.directory.getDashboardSession(id);
  assert.ok(Math.abs(expiresAt - startedAt - 7 * 86_400_000) < 60_000);
  await move(id, `last_seen_at = now() - interval '11 hours 59 minutes'`);
  assert.equal(await idOf(browser), id);
  const seen = await gateway.accounts.directory.getDashboardSession(id);
  assert.ok(Date.now() - (seen.lastSeenAt ?? 0) < 60_000, 'a request moves the idle end');
  await move(id, `last_seen_at = now() - interval '12 hours 1 minute'`);
  assert.equal(await idOf(browser), null);
  assert.equal((await browser.send('GET', '/admin/v1/keys')).status, 401);
  await move(id, `last_seen_at = now(), expires_at = now() - interval '1 second'`);
  assert.equal(await idOf(browser), null);
});

test('200: sessions are listed and ended by others, at once and in every process', async () => {
  const [one, two] = [await signIn(), await signIn()];
  const listed = (await one.browser.send('GET', '/admin/v1/dashboard_sessions')).json()['data'] as {
    id: string;
  }[];
  assert.deepEqual(
    [one.id, two.id].filter((id) => !listed.some((each) => each.id === id)),
    [],
  );
  const ended = await one.browser.send('DELETE', `/admin/v1/dashboard_sessions/${two.id}`);
  assert.equal(ended.status, 200, ended.body);
  assert.equal(await idOf(two.browser), null);
  assert.equal(await idOf(one.browser), one.id);
});

test('200: the cookie is accepted by the administration API only, and no bearer token', async () => {
  const { browser } = await signIn();
  const [cookie = ''] = browser.cookies.values();
  assert.equal((await browser.send('GET', '/v1/key')).status, 401);
  for (const path of ['/admin/v1/keys', '/v1/key']) {
    const page = await new DashboardBrowser(gateway).send('GET', path, {
      headers: { authorization: `Bearer ${cookie}` },
    });
    assert.equal(page.status, 401, path);
  }
});

test('403: a change with the cookie needs the header and an origin of its own', async () => {
  const { browser } = await signIn();
  const body = { name: 'made by another site' };
  for (const headers of [
    { 'x-sluice-dashboard': undefined },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'none', origin: undefined },
    { 'sec-fetch-site': undefined, origin: undefined },
    { 'sec-fetch-site': undefined, origin: 'null' },
    { 'sec-fetch-site': undefined, origin: 'http://127.0.0.1:1' },
  ]) {
    const page = await browser.send('POST', '/admin/v1/organizations', { body, headers });
    assert.equal(page.status, 403, JSON.stringify(headers));
  }
  assert.equal(
    (await browser.send('GET', PATH, { headers: { 'sec-fetch-site': 'cross-site' } })).status,
    403,
  );
  const own = { 'sec-fetch-site': undefined };
  const page = await browser.send('POST', '/admin/v1/organizations', { body: { name: 'own' }, headers: own });
  assert.equal(page.status, 200, 'a browser without Sec-Fetch-Site, from its own origin');
});
