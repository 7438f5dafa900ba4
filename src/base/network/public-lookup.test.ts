import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LookupAddress } from 'node:dns';
import { startNameServer } from '../../../test/support/name-server.ts';
import { AddressRefused, createDnsResolver, createPublicLookup, resolvePublicly } from './public-lookup.ts';

function look(
  resolved: readonly string[],
  options: { all?: boolean; family?: number | 'IPv4' | 'IPv6' } = {},
): Promise<string | LookupAddress[]> {
  const { promise, resolve, reject } = Promise.withResolvers<string | LookupAddress[]>();
  createPublicLookup(async () => resolved)('api.example.com', options, (error, address) =>
    error ? reject(error) : resolve(address),
  );
  return promise;
}

test('a socket is given the very addresses that were checked', async () => {
  assert.equal(await look(['8.8.8.8', '2606:4700::1111']), '8.8.8.8');
  assert.equal(await look(['8.8.8.8', '2606:4700::1111'], { family: 6 }), '2606:4700::1111');
  assert.equal(await look(['2606:4700::1111', '8.8.8.8'], { family: 'IPv4' }), '8.8.8.8');
  assert.deepEqual(await look(['8.8.8.8', '2606:4700::1111'], { all: true }), [
    { address: '8.8.8.8', family: 4 },
    { address: '2606:4700::1111', family: 6 },
  ]);
  await assert.rejects(look(['8.8.8.8'], { family: 6 }), /no address of this family/);
});

test('one private address among the resolved ones refuses the name, in any position', async () => {
  for (const inside of ['127.0.0.1', '10.0.0.1', '::1', '::ffff:127.0.0.1', 'fd00::1', 'nonsense']) {
    await assert.rejects(look([inside]), AddressRefused);
    await assert.rejects(look(['8.8.8.8', inside], { all: true }), AddressRefused);
    await assert.rejects(look([inside, '8.8.8.8'], { family: 4 }), AddressRefused);
  }
  await assert.rejects(look([]), AddressRefused);
});

test('both families of a name are asked of DNS, and its every answer counts', async () => {
  await using names = await startNameServer({
    'good.example.com': [['8.8.8.8', '1.1.1.1', '2606:4700::1111']],
    'mixed.example.com': [['8.8.8.8', '::1']],
    'turning.example.com': [['8.8.8.8'], ['127.0.0.1']],
  });
  const resolve = createDnsResolver([names.address]);
  assert.deepEqual([...(await resolvePublicly('good.example.com', resolve))].sort(), [
    '1.1.1.1',
    '2606:4700::1111',
    '8.8.8.8',
  ]);
  await assert.rejects(resolvePublicly('mixed.example.com', resolve), AddressRefused);
  await assert.rejects(resolvePublicly('nobody.example.com', resolve), /cannot be resolved/);
  assert.deepEqual(await resolvePublicly('turning.example.com', resolve), ['8.8.8.8']);
  await assert.rejects(resolvePublicly('turning.example.com', resolve), AddressRefused);
});
