import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createNetworkCheck, parseNetwork } from './network.ts';

const isIn = (network: string, address: string): boolean => {
  const parsed = parseNetwork(network);
  assert.ok(parsed, network);
  return createNetworkCheck([parsed])(address);
};

test('a network is a range or a single address, of either family', () => {
  assert.ok(isIn('10.0.0.0/8', '10.255.255.255'));
  assert.ok(!isIn('10.0.0.0/8', '11.0.0.0'));
  assert.ok(isIn('203.0.113.7', '203.0.113.7'));
  assert.ok(!isIn('203.0.113.7', '203.0.113.8'));
  assert.ok(isIn('0.0.0.0/0', '8.8.8.8'));
  assert.ok(!isIn('0.0.0.0/0', '2001:db8::1'));
  assert.ok(isIn('2001:db8::/32', '2001:0db8:0:0::1'));
  assert.ok(!isIn('2001:db8::/32', '2001:db9::1'));
  assert.ok(isIn('fe80::%eth0/64', 'fe80::1%eth1'));
  assert.ok(!isIn('fe80::%eth0/64', 'fe80:1::1'));
});

test('an IPv4 caller on an IPv6 socket is an IPv4 caller', () => {
  assert.ok(isIn('192.0.2.0/24', '::ffff:192.0.2.5'));
  assert.ok(isIn('::ffff:192.0.2.0/120', '192.0.2.5'));
  assert.ok(!isIn('::ffff:192.0.2.0/120', '192.0.3.5'));
  assert.ok(!isIn('::/0', '::ffff:192.0.2.5'));
});

test('an invalid network is rejected, and an invalid address is in no network', () => {
  for (const text of [
    '',
    'here',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '2001:db8::/129',
    '10.0.0/8',
    '10.0.0.0/8/8',
    '010.1.1.1',
    '::ffff:1.2.3.4/95',
  ])
    assert.equal(parseNetwork(text), undefined, text);
  for (const address of ['', 'here', '10.0.0', '10.0.0.1:80'])
    assert.ok(!isIn('0.0.0.0/0', address), address);
});
