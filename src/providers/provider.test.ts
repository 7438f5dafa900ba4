import assert from 'node:assert/strict';
import type { LookupFunction } from 'node:net';
import { test } from 'node:test';
import type { Provider as CatalogueProvider } from '#catalogue';
import { createProvider } from './provider.ts';

test('a key in a configured header is hidden without its scheme, too, as providers quote it', () => {
  const entry = { id: 'own', name: 'Own', format: 'chat', baseUrl: 'https://own.example/v1' };
  const provider = createProvider(entry as unknown as CatalogueProvider, {
    headers: { authorization: 'Bearer planted-7f31b0c9e5d2', 'x-team': 'secret of the team' },
    connectTimeoutMs: 1_000,
  });
  assert.equal(
    provider?.redact('Incorrect API key provided: planted-7f31b0c9e5d2, of secret of the team'),
    'Incorrect API key provided: [hidden], of [hidden]',
  );
});

test('a host that a tenant configured is checked before every connection', async () => {
  const judged: string[] = [];
  const lookup: LookupFunction = (host, _, done) => {
    judged.push(host);
    done(Object.assign(new Error('that address is inside'), { code: 'ENOTFOUND' }), []);
  };
  const entry = {
    id: 'custom',
    name: 'Custom',
    format: 'chat',
    baseUrl: 'https://inside.example.com/v1',
    auth: 'bearer',
  } as unknown as CatalogueProvider;
  const provider = createProvider(entry, { apiKey: 'sk-tenant', connectTimeoutMs: 1_000, lookup });
  assert.ok(provider?.resources);
  const asked = await provider.resources.ask({ method: 'GET', url: '/videos/1' }, 2_000);
  assert.ok('failure' in asked);
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const sink = { onHead: () => undefined, onData: () => undefined, onEnd: () => resolve(undefined) };
  provider.transport.send({ path: '/x', headers: {}, body: '{}' }, { ...sink, onFailure: resolve });
  assert.ok(await promise);
  assert.deepEqual(judged, ['inside.example.com', 'inside.example.com']);
});
