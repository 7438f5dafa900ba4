import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exchangeBytes } from '../../../../../test/support/raw-exchange.ts';
import { asKey, orderVideo } from '../../../../../test/support/video-client.ts';
import {
  CONTENT_CASES,
  type ContentAddress,
  proveContent,
} from '../../../../../test/support/video-content.ts';
import { shareVideoGateway } from '../../../../../test/support/video-gateway.ts';

const open = shareVideoGateway();

const address: ContentAddress = ({ content }) => content?.[0]?.url ?? '';
/** Sends no credential but the token. */
const ask = (path: string, headers: Record<string, string> = {}) =>
  fetch(open.gateway.url + path, { headers });

test('200: the whole video by its token, or by a key of its project', async () => {
  await CONTENT_CASES.whole(open, address);
  const path = address(await open.make());
  const [bare = ''] = path.split('?');
  for (const response of [await ask(path), await ask(bare, asKey(open.gateway.account.apiKey))]) {
    assert.equal(response.status, 200);
    assert.equal(await response.text(), open.mock.content.toString());
  }
});

test('401: a modified token is refused, with any key', async () => {
  const { gateway } = open;
  const video = await open.make();
  const other = await open.make();
  const [path = '', token = ''] = address(video).split('?token=');
  const [, otherToken = ''] = address(other).split('?token=');
  const [kid = '', expiry = '', project = '', mac = ''] = token.split('.');
  const foreign = await gateway.createAccount();
  const tampered = [
    '',
    'x',
    mac,
    otherToken,
    `${token}x`,
    token.slice(0, -1),
    `${kid}.${Number(expiry) + 1}.${project}.${mac}`,
    `${kid}.${expiry}.${foreign.projectId}.${mac}`,
    `2.${expiry}.${project}.${mac}`,
    `${kid}.${expiry}.${project}.${Array.from(mac).reverse().join('')}`,
    `${kid}.9999999999.${project}.${mac}`,
    `${kid}.${expiry}.${project}.${'A'.repeat(43)}`,
  ];
  const disabled = await gateway.createAccount();
  await gateway.accounts.directory.updateKey(disabled.keyId, { disabled: true });
  const expired = await gateway.createAccount({ expiresAt: gateway.clock.now() - 1_000 });
  const admin = await gateway.accounts.directory.createAdminKey({ label: 'admin' });
  const identities: [Record<string, string>, number][] = [
    [{}, 401],
    [{ authorization: 'Bearer slc_x' }, 401],
    [{ authorization: 'Basic abc' }, 401],
    [{ 'x-api-key': 'nothing' }, 401],
    [asKey(`${gateway.account.apiKey}x`), 401],
    [asKey(disabled.apiKey), 401],
    [asKey(expired.apiKey), 401],
    [{ ...asKey(foreign.apiKey), 'x-api-key': gateway.account.apiKey }, 401],
    [asKey(foreign.apiKey), 404],
    [asKey(admin.secret), 403],
  ];
  open.mock.seen.length = 0;
  for (const [headers, status] of identities) {
    const bodies = new Set<string>();
    for (const wrong of tampered) {
      const response = await ask(`${path}?token=${encodeURIComponent(wrong)}`, headers);
      assert.equal(response.status, status, `${wrong} ${JSON.stringify(headers)}`);
      bodies.add(await response.text());
    }
    assert.equal(bodies.size, 1, 'every wrong token answers alike');
  }
  assert.equal((await ask(`${path}?token=${token}&token=${token}`)).status, 401);
  assert.equal(open.mock.seen.length, 0, 'the provider was not called');
  assert.equal((await ask(`${path}?token=${token}`)).status, 200);
  gateway.clock.advance(24 * 3_600_000 + 1_000);
  await open.refuses(await ask(`${path}?token=${token}`), 401, 'invalid_token');
});

test('401: every bit of a token counts', async () => {
  const [path = '', token = ''] = address(await open.make()).split('?token=');
  for (let at = 0; at < token.length; at += 1) {
    const flipped = String.fromCharCode(token.charCodeAt(at) ^ 1);
    const wrong = token.slice(0, at) + flipped + token.slice(at + 1);
    assert.equal((await ask(`${path}?token=${encodeURIComponent(wrong)}`)).status, 401, `character ${at}`);
  }
});

test('403: a credential that is no regular key', async () => {
  const { secret } = await open.gateway.accounts.directory.createAdminKey({ label: 'admin' });
  await open.refuses(await ask('/v1/videos/logs/req_x/content', asKey(secret)), 403, 'wrong_credential');
});

test('404: unknown, another project’s and deleted logs have one body', async () => {
  const video = await open.make();
  const [path = ''] = address(video).split('?');
  const { apiKey } = await open.gateway.createAccount();
  const own = asKey(open.gateway.account.apiKey);
  const foreign = await ask(path, asKey(apiKey));
  const unknown = await ask('/v1/videos/logs/req_00000000000000000000000000/content', own);
  await open.gateway.request(`/v1/videos/${video.id}`, { method: 'DELETE' });
  const bodies = [foreign, unknown, await ask(path, own), await ask(address(video))];
  const texts = new Set(await Promise.all(bodies.map((response) => response.text())));
  assert.deepEqual(
    bodies.map(({ status }) => status),
    [404, 404, 404, 404],
  );
  assert.equal(texts.size, 1);
});

test('404: no path leads out of the videos', async () => {
  const parts = [
    '..',
    '%2e%2e',
    '..%2f',
    '%2e%2e%2f',
    '..%5c',
    '..\\',
    '%00',
    '%0d%0aX-Evil:%201',
    '%',
    '%zz',
    '.',
    '//',
  ];
  const tails = ['/content', '/etc/passwd/content', '/v1/key/content', '/videos/x/content', '%2fcontent'];
  const paths = parts.flatMap((part) => tails.map((tail) => `/v1/videos/logs/${part}${tail}`));
  paths.push(`/v1/videos/logs/${'a'.repeat(10_000)}/content`, '/v1/videos/logs/req_é/content');
  assert.ok(paths.length >= 60);
  for (const path of paths) {
    const head = `host: x\r\nauthorization: Bearer ${open.gateway.account.apiKey}\r\nconnection: close\r\n\r\n`;
    const { text } = await exchangeBytes(open.gateway.url, `GET ${path} HTTP/1.1\r\n${head}`);
    const status = Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]);
    assert.ok([400, 404, 405].includes(status), `${path}: ${status}`);
    assert.doesNotMatch(text, /\nX-Evil|root:|slc_/i);
  }
  assert.equal(open.mock.find('GET', /content/).length, 0);
});

test('409: it is not finished', async () => {
  open.mock.steps = ['in_progress'];
  const { id } = await orderVideo(open.gateway);
  const { rows } = await open.gateway.database.query<{ request_id: string }>({
    text: 'SELECT request_id FROM video_job WHERE id = $1',
    values: [id],
  });
  const path = `/v1/videos/logs/${rows[0]?.request_id ?? ''}/content`;
  await open.refuses(await ask(path, asKey(open.gateway.account.apiKey)), 409, 'video_not_ready');
});

proveContent(open, address);
