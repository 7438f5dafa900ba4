import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, type Server, createServer } from 'node:net';
import { after, before, beforeEach, test } from 'node:test';
import type { Byok } from '#accounts';
import { createDnsResolver, reasonOf } from '#base';
import { loadSettings } from '#app';
import type { UpstreamFailure } from '#errors';
import type { LiveSettings } from '#pipeline';
import { getBaseCatalogue } from '../../src/app/settings/base-catalogue.ts';
import { createLiveConfiguration } from '../../src/app/lifecycle/configuration/live-configuration.ts';
import { type InProcessGateway, openInProcess } from '../support/in-process.ts';
import { CONFUSING, INSIDE_NAMES, INSIDE_V4, INSIDE_V6 } from '../support/inside-addresses.ts';
import { type MockUpstream, startMockUpstream } from '../support/mock-upstream.ts';
import { type NameServer, type Zone, startNameServer } from '../support/name-server.ts';
import { redirect } from '../support/upstream-replies.ts';

const KEY = 'sk-canary-never-off-its-origin';

/** Listens at a forbidden address, and records connections and what they send. */
interface Trap {
  server: Server;
  port: number;
  connects: number;
  received: string;
}

let traps: Trap[];
let names: NameServer;
let upstream: MockUpstream;
let gateway: InProcessGateway;

/** Resolves to a public address when saved, to a private one when called. */
const ZONE: Zone = {
  'turning.example.com': [['8.8.8.8'], ['127.0.0.1', '::1']],
  'mixed.example.com': [['8.8.8.8', '127.0.0.1']],
  'inside.example.com': [['127.0.0.1']],
  'inside6.example.com': [['::1']],
};

before(async () => {
  const first = await openTrap('127.0.0.1', 0);
  assert.ok(first);
  const sixth = await openTrap('::1', first.port); // a machine without IPv6 has no ::1 to reach
  traps = sixth ? [first, sixth] : [first];
  names = await startNameServer(ZONE);
  upstream = await startMockUpstream();
  gateway = await openInProcess({
    config: [
      `customProviders: { trustedHosts: ["127.0.0.1:${upstream.port}"], ports: [443, ${first.port}] }`,
      '',
    ].join('\n'),
    resolveHost: createDnsResolver([names.address]),
  });
});
after(async () => {
  await gateway[Symbol.asyncDispose]();
  await upstream.close();
  await names[Symbol.asyncDispose]();
  for (const { server } of traps) server.close();
});
beforeEach(() => {
  for (const trap of traps) Object.assign(trap, { connects: 0, received: '' });
});

async function openTrap(host: string, port: number): Promise<Trap | undefined> {
  const trap: Trap = { server: createServer(), port, connects: 0, received: '' };
  trap.server.on('connection', (socket) => {
    trap.connects += 1;
    socket.on('data', (bytes) => (trap.received += bytes.toString('latin1')));
    socket.on('error', () => undefined);
  });
  trap.server.listen(port, host);
  const [event] = await Promise.race([
    once(trap.server, 'listening').then(() => ['listening']),
    once(trap.server, 'error').then(() => ['error']),
  ]);
  if (event === 'error') return undefined;
  trap.port = (trap.server.address() as AddressInfo).port;
  return trap;
}

function assertUntouched(what: string): void {
  for (const { connects, received } of traps)
    assert.deepEqual({ connects, received }, { connects: 0, received: '' }, what);
}

/** Custom providers with an address as if saved by an older version, or directly in the database. */
function createByok(address: string): Byok {
  const model = { name: 'x', externalId: 'x', contextLength: 1_000, maxOutput: 100 };
  const provider = {
    id: 'cprov_1',
    name: 'acme',
    format: 'chat' as const,
    address,
    sealed: address,
    models: [model],
  };
  return { organizationId: 'org_1', keys: [], providers: [provider] };
}

/** The error of a refused address, or the failure of the call. */
async function call(reach: LiveSettings): Promise<string> {
  let provider;
  try {
    provider = reach.providers.get('acme');
  } catch (error) {
    return reasonOf(error);
  }
  const { promise, resolve } = Promise.withResolvers<string>();
  const sink = {
    onHead: () => resolve('answered'),
    onData: () => undefined,
    onEnd: () => resolve('answered'),
    onFailure: ({ message }: UpstreamFailure) => resolve(message),
  };
  provider?.transport.send({ path: '/chat/completions', headers: {}, body: '{}' }, sink);
  return promise;
}

test('no stored address, however spelled, makes the gateway connect to a private address', async () => {
  const port = traps[0]?.port ?? 0;
  const settings = await loadSettings({ environment: {}, workingDirectory: '/nonexistent' });
  settings.addresses = {
    trustedHosts: [],
    ports: [443, port],
    resolveHost: createDnsResolver([names.address]),
  };
  const live = createLiveConfiguration(await getBaseCatalogue(), settings, () => KEY);
  const hosts = [
    ...INSIDE_V4,
    ...INSIDE_V6.map((address) => `[${address}]`),
    ...INSIDE_NAMES,
    ...Object.keys(ZONE),
    'turning.example.com',
    'nobody.example.com',
  ];
  const addresses = [
    ...hosts.flatMap((host) => [`https://${host}:${port}/v1`, `http://${host}:${port}/v1`]),
    ...CONFUSING.map((text) => text.replaceAll('443', String(port))),
  ];
  assert.ok(addresses.length >= 120);
  for (const address of addresses) {
    if (
      address === `https://turning.example.com:${port}/v1` &&
      names.asked.every((name) => name !== 'turning.example.com')
    )
      await createDnsResolver([names.address])('turning.example.com'); // the moment of saving
    const outcome = await call(live.of({ byok: createByok(address) }));
    assert.match(outcome, /not allowed here|not a public one|could not be reached/, address);
    assertUntouched(address);
  }
  await live.close();
});

async function addProvider(name: string, baseUrl: string): Promise<void> {
  const { organizationId } = gateway.account;
  const { directory } = gateway.accounts;
  await directory.addCustomProvider(
    { organizationId, name, format: 'chat', baseUrl, apiKey: KEY },
    gateway.terms,
  );
  const model = { name: 'x', contextLength: 1_000, maxOutput: 100, price: { input: '1', output: '1' } };
  await directory.addCustomModel({ organizationId, provider: name, model }, gateway.terms);
}

const ask = (model: string) =>
  gateway.post('/v1/chat/completions', { model, messages: [{ role: 'user', content: 'x' }] });

test('a name that resolves to a private address after it was saved is not followed', async () => {
  const asked = names.asked.filter((name) => name === 'fresh.example.com').length;
  assert.equal(asked, 0);
  ZONE['fresh.example.com'] = [['8.8.8.8'], ['127.0.0.1', '::1']];
  await addProvider('turning', `https://fresh.example.com:${traps[0]?.port}/v1`);
  const response = await ask('turning/x');
  assert.equal(response.status, 502);
  const text = await response.text();
  assert.match(text, /the address of the provider is not a public one/);
  assert.ok(!text.includes('127.0.0.1') && !text.includes('fresh.example.com'));
  assert.equal(
    names.asked.filter((name) => name === 'fresh.example.com').length,
    2,
    'checked on save and on connect',
  );
  assertUntouched('rebinding');
  const row = await gateway.getRow(response);
  assert.equal(row.customer, '0');
});

test('a name that DNS resolves to a private address is refused when it is saved', async () => {
  for (const name of ['mixed', 'inside', 'inside6', 'nobody'])
    await assert.rejects(
      addProvider(name, `https://${name}.example.com:${traps[0]?.port}/v1`),
      /baseUrl: must be an address whose host DNS knows, with public addresses only/,
    );
  assertUntouched('save');
});

test('a redirect is never followed, and carries the key nowhere', async () => {
  await addProvider('redirecting', upstream.baseUrl);
  for (const status of [301, 302, 303, 307, 308]) {
    upstream.script({ reply: redirect(`http://127.0.0.1:${traps[0]?.port}/v1/chat/completions`, status) });
    const response = await ask('redirecting/x');
    assert.equal(response.status, 502, String(status));
    await response.text();
    assertUntouched(`redirect ${status}`);
  }
});

test('an address that is edited behind the gateway’s back gets no key and no connection', async () => {
  await addProvider('edited', upstream.baseUrl);
  assert.equal((await ask('edited/x')).status, 502, 'still the redirect of the test before');
  upstream.clear();
  await gateway.database.query({
    text: 'UPDATE custom_provider SET base_url = $1 WHERE name = $2',
    values: [`http://127.0.0.1:${traps[0]?.port}/v1`, 'edited'],
  });
  let response = await ask('edited/x');
  for (let waitedMs = 0; response.status === 200 && waitedMs < 5_000; waitedMs += 20)
    response = await ask('edited/x');
  assert.ok(response.status >= 500, await response.text());
  assertUntouched('edited address');
});
