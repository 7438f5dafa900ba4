import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAccountAddress, isAccountFile } from './account-address.ts';

const ADDRESSES: readonly (readonly [address: string, needsAccount: boolean])[] = [
  ['https://a.test/x.png', false],
  ['http://a.test/x.png', false],
  ['data:image/png;base64,AAAA', false],
  ['DATA:text/plain,a', false],
  ['no scheme', false],
  ['gs://bucket/a.pdf', true],
  ['gs://[broken', true],
  ['https://generativelanguage.googleapis.com/v1beta/files/a', true],
  ['https://storage.googleapis.com/public/a.jpg', false],
];

for (const [address, needsAccount] of ADDRESSES)
  test(`${address} ${needsAccount ? 'needs' : 'does not need'} the account at the provider`, () => {
    assert.equal(isAccountAddress(address), needsAccount);
    assert.equal(isAccountFile(address), needsAccount || !URL.canParse(address));
  });
