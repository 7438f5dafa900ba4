import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DashboardBrowser } from '../../../../../test/support/dashboard-browser.ts';
import { shareGateway } from '../../../../../test/support/share-gateway.ts';

const gateway = shareGateway();

const PATH = '/admin/v1/session';

async function signIn(): Promise<DashboardBrowser> {
  const input = { label: 'viewer', scopes: ['logs:read'] };
  const { secret } = await gateway.accounts.directory.createDashboardSession(input);
  const browser = new DashboardBrowser(gateway);
  assert.equal((await browser.signIn({ link: secret })).status, 200);
  return browser;
}

test('200: the session ends and the cookie is removed, whatever its scopes', async () => {
  const browser = await signIn();
  const [pair] = [...browser.cookies];
  const page = await browser.send('DELETE', PATH);
  assert.equal(page.status, 200, page.body);
  assert.equal(browser.cookies.size, 0);
  if (pair) browser.cookies.set(...pair);
  assert.equal((await browser.send('GET', '/admin/v1/logs')).status, 401);
  assert.equal((await new DashboardBrowser(gateway).send('DELETE', PATH)).status, 200);
});

test('401: a session that is over', async () => {
  const browser = await signIn();
  await gateway.database.query({ text: 'UPDATE dashboard_session SET ended_at = now()' });
  assert.equal((await browser.send('DELETE', PATH)).status, 401);
});

test('403: another site cannot sign a browser out', async () => {
  const browser = await signIn();
  const headers = { 'sec-fetch-site': 'cross-site' };
  assert.equal((await browser.send('DELETE', PATH, { headers })).status, 403);
  assert.equal((await browser.send('GET', '/admin/v1/logs')).status, 200);
});
