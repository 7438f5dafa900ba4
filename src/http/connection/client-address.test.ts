import assert from 'node:assert/strict';
import { isIP } from 'node:net';
import { test } from 'node:test';
import { findClientAddress } from './client-address.ts';

const PROXIES = new Set(['10.0.0.1', '10.0.0.2', 'fd00::1']);

function find(socket: string | undefined, forwarded?: string): string | undefined {
  return findClientAddress(socket, forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }, {
    isTrusted: (address) => PROXIES.has(address),
    isAddress: (text) => isIP(text) !== 0,
  });
}

test('the client address is the one that the nearest trusted proxies report, regardless of earlier entries', () => {
  const table: [socket: string | undefined, forwarded: string | undefined, client: string | undefined][] = [
    ['203.0.113.9', undefined, '203.0.113.9'],
    ['203.0.113.9', '198.51.100.1', '203.0.113.9'], // not a trusted proxy
    ['203.0.113.9', '10.0.0.1', '203.0.113.9'],
    ['10.0.0.1', undefined, '10.0.0.1'], // the proxy itself
    ['10.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['10.0.0.1', '127.0.0.1, 198.51.100.1', '198.51.100.1'], // the first is the client's own claim
    ['10.0.0.1', '127.0.0.1, 198.51.100.1, 10.0.0.2', '198.51.100.1'],
    ['fd00::1', ' 198.51.100.1 ,10.0.0.2,10.0.0.1 ', '198.51.100.1'],
    ['10.0.0.1', '10.0.0.2, 10.0.0.1', '10.0.0.2'], // only proxies: the furthest
    ['10.0.0.1', '198.51.100.1:52114', '198.51.100.1'],
    ['10.0.0.1', '[2001:db8::7]:443', '2001:db8::7'],
    ['10.0.0.1', '2001:db8::7', '2001:db8::7'],
    ['10.0.0.1', '198.51.100.1, 10.0.0.2:80', '198.51.100.1'],
    ['10.0.0.1', 'unknown', undefined],
    ['10.0.0.1', '', undefined],
    ['10.0.0.1', '198.51.100.1,', undefined],
    ['10.0.0.1', '198.51.100.1, _hidden', undefined],
    ['10.0.0.1', 'unknown, 198.51.100.1', '198.51.100.1'],
    [undefined, '198.51.100.1', undefined],
  ];
  for (const [socket, forwarded, client] of table)
    assert.equal(find(socket, forwarded), client, `${socket} ${forwarded}`);
});
