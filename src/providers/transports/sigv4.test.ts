import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { AWS_TEST_KEYS, deriveKey, signByHand } from '../../../test/support/aws-signature.ts';
import { createSigner } from './sigv4.ts';

const NOW = new Date('2026-11-21T10:20:30Z');
const SIGNED = ['content-type', 'host', 'x-amz-content-sha256', 'x-amz-date'];

test("the key derivation used to check the signer gives AWS's published example", () => {
  // https://docs.aws.amazon.com/general/latest/gr/signature-v4-examples.html
  const key = deriveKey('wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY', [
    '20120215',
    'us-east-1',
    'iam',
    'aws4_request',
  ]);
  assert.equal(key.toString('hex'), 'f4780e2d9f65fa895f9c67b32ce1baf0b0d8a43505a000a1a9e090d414db404d');
});

const ARN = encodeURIComponent('arn:aws:bedrock:eu-west-1:1:inference-profile/x');
const CASES = [
  ['a plain model id', '/model/amazon.nova-pro-v1%3A0/converse', ''],
  ['an inference profile by its ARN', `/model/${ARN}/invoke`, ''],
  ['an address with a path', '/model/m/converse-stream', '/proxy/bedrock/'],
] as const;

for (const [name, path, prefix] of CASES) {
  test(`a request is signed over the path that is sent: ${name}`, async () => {
    const host = 'bedrock-runtime.eu-west-1.amazonaws.com';
    const baseUrl = `https://${host}${prefix}`;
    const sign = createSigner({ baseUrl, region: 'eu-west-1', keys: AWS_TEST_KEYS, now: () => NOW });
    const body = '{"messages":[{"text":"Grüße 🙂"}]}';
    const { authorization, ...headers } = await sign({ path, headers: {}, body });
    const hash = createHash('sha256').update(body).digest('hex');
    assert.deepEqual(headers, { 'x-amz-date': '20261121T102030Z', 'x-amz-content-sha256': hash });
    const sent = { ...headers, host, 'content-type': 'application/json' };
    const request = { path: prefix.replace(/\/$/, '') + path, body, headers: sent };
    assert.equal(authorization, signByHand(request, 'eu-west-1', SIGNED));
  });
}

test('a session token is sent and signed, and a port belongs to the host', async () => {
  const keys = { ...AWS_TEST_KEYS, sessionToken: 'IQoJb3JpZ2luX2Vj//' };
  const sign = createSigner({ baseUrl: 'http://127.0.0.1:4010', region: 'us-east-1', keys, now: () => NOW });
  const { authorization, ...headers } = await sign({ path: '/model/m/converse', headers: {}, body: '{}' });
  assert.equal(headers['x-amz-security-token'], keys.sessionToken);
  const sent = { ...headers, host: '127.0.0.1:4010', 'content-type': 'application/json' };
  const names = [...SIGNED, 'x-amz-security-token'];
  const request = { path: '/model/m/converse', body: '{}', headers: sent };
  assert.equal(authorization, signByHand(request, 'us-east-1', names));
});
