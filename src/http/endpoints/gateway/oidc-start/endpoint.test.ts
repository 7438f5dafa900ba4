import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DashboardBrowser } from '../../../../../test/support/dashboard-browser.ts';
import { openInProcess } from '../../../../../test/support/in-process.ts';
import { openWithIssuer } from '../../../../../test/support/oidc-gateway.ts';
import { shareOpened } from '../../../../../test/support/share-opened.ts';

const ELSEWHERE = 'https://gateway.example/prefix/dashboard/callback';

const scene = shareOpened(() => openWithIssuer(`redirectUrl: ${ELSEWHERE}`));

test('502: an issuer that does not answer, with a sentence, and the reason in the log', async () => {
  scene.issuer.isDown = true;
  const page = await new DashboardBrowser(scene.gateway, 'https://gateway.example').send(
    'GET',
    '/dashboard/login',
  );
  assert.equal(page.status, 502);
  assert.match(page.body, /Test Issuer \(http:.* does not answer as an OpenID provider/);
  assert.ok(scene.gateway.logLines.some((line) => line.includes('sign-in failed')));
  scene.issuer.isDown = false;
});

test('303: the request has a state, a nonce and a code challenge, and the configured address to come back to', async () => {
  const browser = new DashboardBrowser(scene.gateway, 'https://gateway.example');
  const asked = async () => {
    const { status, headers } = await browser.send('GET', '/dashboard/login');
    assert.equal(status, 303);
    return new URL(headers.location ?? '').searchParams;
  };
  const [one, two] = [await asked(), await asked()];
  assert.equal(one.get('redirect_uri'), ELSEWHERE);
  assert.equal(one.get('code_challenge_method'), 'S256');
  assert.equal(one.get('scope'), 'openid profile email groups');
  for (const name of ['state', 'nonce', 'code_challenge']) {
    assert.match(one.get(name) ?? '', /^[\w-]{43}$/, name);
    assert.notEqual(one.get(name), two.get(name), name);
  }
  const [cookie = ''] = browser.cookies.values();
  for (const name of ['state', 'nonce']) assert.ok(!cookie.includes(two.get(name) ?? ''), 'it is encrypted');
});

test('421: at another address than the configured one, it says where to sign in', async () => {
  const page = await new DashboardBrowser(scene.gateway).send('GET', '/dashboard/login');
  assert.equal(page.status, 421);
  assert.match(page.body, /Sign in at https:\/\/gateway\.example\/prefix\/dashboard\//);
  const { body } = await new DashboardBrowser(scene.gateway).send('GET', '/admin/v1/session');
  assert.match(body, /"url":"https:\/\/gateway\.example\/prefix\/dashboard\/login"/);
  const rebound = await new DashboardBrowser(scene.gateway, 'http://evil.example').send(
    'GET',
    '/dashboard/login',
  );
  assert.equal(rebound.status, 421);
});

test('404: without auth.oidc there is no such sign-in', async () => {
  await using plain = await openInProcess();
  const browser = new DashboardBrowser(plain);
  for (const path of ['/dashboard/login', '/dashboard/callback'])
    assert.equal((await browser.send('GET', path)).status, 404);
  assert.equal((await browser.send('GET', '/admin/v1/session')).json()['sign_in'], null);
});
