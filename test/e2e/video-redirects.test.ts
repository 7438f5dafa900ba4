import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, afterEach, before, test } from 'node:test';
import { type InProcessGateway, openInProcess } from '../support/in-process.ts';
import {
  type MockVideoProvider,
  type SeenRequest,
  createVideoConfig,
  sendContent,
  startMockVideoProvider,
} from '../support/mock-video-provider.ts';
import { assertRefusal } from '../support/refusal.ts';
import { finishVideo, orderVideo } from '../support/video-client.ts';

const SECRET = 'mock-secret-key';

let provider: MockVideoProvider;
/** Where the provider keeps its files; the operator vouches for it. */
let store: MockVideoProvider;
/** A host inside that nobody vouches for. */
let inside: MockVideoProvider;
let gateway: InProcessGateway;

before(async () => {
  [provider, store, inside] = await Promise.all([
    startMockVideoProvider(),
    startMockVideoProvider(),
    startMockVideoProvider(),
  ]);
  const vouched = `customProviders: { trustedHosts: ['${new URL(store.origin).host}'] }\n`;
  gateway = await openInProcess({ config: vouched + createVideoConfig(provider.origin) });
});
after(async () => {
  await gateway[Symbol.asyncDispose]();
  for (const mock of [provider, store, inside]) await mock[Symbol.asyncDispose]();
});
afterEach(() => [provider, store, inside].forEach((mock) => mock.clear()));

/** The link of a video of Google's protocol, whose file is asked for with the key. */
async function makeLink(): Promise<string> {
  const { id } = await orderVideo(gateway, { model: 'veo-video' });
  return (await finishVideo(gateway, id)).content?.[0]?.url ?? '';
}

/** The provider sends whoever wants a file elsewhere. */
function redirect(choose: (request: SeenRequest) => string | undefined, status = 302): void {
  provider.intercept = (request, response) => sendElsewhere(response, choose(request), status);
}

function sendElsewhere(response: ServerResponse, location: string | undefined, status = 302): boolean {
  if (location === undefined) return false;
  response.writeHead(status, { location }).end('<a href="there">moved</a>');
  return true;
}

const isFile = ({ path }: SeenRequest): boolean => path.includes('/files/');
const keysOf = (mock: MockVideoProvider): boolean[] =>
  mock.find('GET', /bytes/).map(({ headers }) => JSON.stringify(headers).includes(SECRET));

for (const status of [301, 302, 303, 307, 308]) {
  test(`a ${status} to another origin is followed without the key, with the range`, async () => {
    const link = await makeLink();
    redirect((request) => (isFile(request) ? `${store.origin}/bytes/a.mp4?sig=x` : undefined), status);
    const response = await gateway.request(link, { headers: { range: 'bytes=5-9' } });
    assert.equal(response.status, 206);
    assert.equal(await response.text(), '56789');
    assert.equal(provider.find('GET', /files/)[0]?.headers['x-goog-api-key'], SECRET);
    assert.deepEqual(keysOf(store), [false]);
  });
}

test('within the provider a redirect keeps the key; once it has left, nothing brings the key back', async () => {
  const link = await makeLink();
  redirect((request) => (isFile(request) ? '/v1beta/bytes/here.mp4' : undefined));
  assert.equal((await gateway.request(link)).status, 200);
  assert.deepEqual(keysOf(provider), [true]);
  provider.seen.length = 0;
  redirect((request) => (isFile(request) ? `${store.origin}/bytes/there.mp4` : undefined));
  store.intercept = (_request, response) => sendElsewhere(response, `${provider.origin}/bytes/back.mp4`);
  assert.equal((await gateway.request(link)).status, 200);
  assert.deepEqual([...keysOf(store), ...keysOf(provider)], [false, false]);
});

test('three redirects are followed, a fourth and a loop are refused', async () => {
  const link = await makeLink();
  let hops = 3;
  const seen = (): number => provider.find('GET', /files|hop/).length;
  provider.intercept = (request, response) => {
    if (!/files|hop/.test(request.path)) return false;
    hops -= 1;
    if (hops >= 0) return sendElsewhere(response, `/hop/${hops}`);
    sendContent(request, response, provider.content);
    return true;
  };
  assert.equal((await gateway.request(link)).status, 200);
  assert.equal(seen(), 4);
  provider.seen.length = 0;
  hops = Infinity;
  const refused = await gateway.request(link);
  const message = await assertRefusal(refused, { format: 'chat', status: 502, code: 'upstream_broken' });
  assert.match(message, /more than 3 times/);
  assert.equal(seen(), 4);
});

test('nothing inside, nothing without https, and no other scheme is reached by a redirect', async () => {
  const link = await makeLink();
  const { port } = new URL(inside.origin);
  const places = [
    inside.origin,
    `http://localhost:${port}`,
    `http://[::1]:${port}`,
    `https://127.0.0.1:${port}`,
    'https://127.0.0.1',
    'https://10.0.0.1',
    'https://169.254.169.254/latest/meta-data',
    'https://metadata.google.internal/',
    'http://example.com/a.mp4',
    'https://user:password@example.com/a.mp4',
    'https://example.com:8443/a.mp4',
    'ftp://example.com/a.mp4',
    'file:///etc/passwd',
    'data:video/mp4,x',
    'http://%',
  ];
  for (const place of places) {
    redirect((request) => (isFile(request) ? place : undefined));
    const response = await gateway.request(link);
    assert.equal(response.status, 502, place);
    const text = await response.text();
    assert.ok(!text.includes(SECRET) && !text.includes('169.254'), text);
  }
  assert.equal(inside.seen.length, 0);
});
