import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { type KeyObject, createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { systemClock } from '#base';
import { createIssuer } from './create-issuer.ts';

type Claims = Record<string, unknown>;

/** An issuer that signs whatever the test wants. */
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
const SECRET = 'the-secret-of-the-client';
let idToken = '';
let url = '';
const reasons: string[] = [];

const server = createServer((request, response) => {
  const send = (body: object): void =>
    void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  if (request.url === '/keys')
    send({ keys: [{ ...publicKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256', kid: 'k' }] });
  else if (request.url === '/token') send({ access_token: 'a', token_type: 'Bearer', id_token: idToken });
  else
    send({
      issuer: url,
      authorization_endpoint: `${url}/auth`,
      token_endpoint: `${url}/token`,
      jwks_uri: `${url}/keys`,
      id_token_signing_alg_values_supported: ['RS256'],
    });
});
before(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(() => {
  server.closeAllConnections();
  server.close();
});

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const nowSeconds = (): number => Math.floor(systemClock.now() / 1_000);

function signToken(claims: Claims, key: KeyObject = privateKey, alg = 'RS256'): string {
  const content = `${encode({ alg, kid: 'k', typ: 'JWT' })}.${encode(claims)}`;
  if (alg === 'none') return `${content}.`;
  const signature =
    alg === 'HS256'
      ? createHmac('sha256', SECRET).update(content).digest()
      : sign('sha256', Buffer.from(content), key);
  return `${content}.${signature.toString('base64url')}`;
}

async function finish(create: (claims: Claims) => string) {
  const issuer = createIssuer(
    {
      name: 'Test',
      issuer: url,
      clientId: 'sluice',
      clientSecret: SECRET,
      scopes: ['openid'],
      groupsClaim: 'groups',
      access: [],
      sessionMinutes: 60,
    },
    (reason) => void reasons.push(reason),
  );
  const { pending } = await issuer.begin('http://localhost:8787/dashboard/callback');
  const now = nowSeconds();
  idToken = create({
    iss: url,
    aud: 'sluice',
    sub: 'ada',
    iat: now,
    exp: now + 300,
    nonce: pending.nonce,
    groups: ['data'],
  });
  const query = new URLSearchParams({ code: 'c', state: pending.state });
  return issuer.finish(query, pending);
}

test('a token that is signed by the issuer, for this client and this sign-in, is accepted', async () => {
  const { person } = await finish((claims) => signToken(claims));
  assert.deepEqual(person, { issuer: url, subject: 'ada', name: 'ada', groups: ['data'] });
});

test('clocks may differ by a minute: a token that is a little too new or too old is accepted', async () => {
  await finish((claims) => signToken({ ...claims, iat: nowSeconds() + 40, nbf: nowSeconds() + 40 }));
  await finish((claims) => signToken({ ...claims, iat: nowSeconds() - 400, exp: nowSeconds() - 20 }));
});

const REFUSED: Record<string, (claims: Claims) => string> = {
  'of another key': (claims) => signToken(claims, stranger),
  'that is not signed': (claims) => signToken(claims, privateKey, 'none'),
  'that is signed with the secret of the client': (claims) => signToken(claims, privateKey, 'HS256'),
  'whose content was changed': (claims) => {
    const [head, , tail] = signToken(claims).split('.');
    return [head, encode({ ...claims, groups: ['platform'] }), tail].join('.');
  },
  'for another client': (claims) => signToken({ ...claims, aud: 'other' }),
  'of another issuer': (claims) => signToken({ ...claims, iss: 'https://evil.example' }),
  'of another sign-in': (claims) => signToken({ ...claims, nonce: 'other' }),
  'without a nonce': (claims) => signToken({ ...claims, nonce: undefined }),
  'without a subject': (claims) => signToken({ ...claims, sub: undefined }),
  'that expired long ago': (claims) => signToken({ ...claims, exp: nowSeconds() - 3_600 }),
  'of the future': (claims) => signToken({ ...claims, nbf: nowSeconds() + 3_600 }),
  'that is none': () => 'x',
};

for (const [name, create] of Object.entries(REFUSED)) {
  test(`a token ${name} is refused, and the log has the reason without the token`, async () => {
    await assert.rejects(finish(create), { code: 'invalid_credential' });
    const reason = reasons.at(-1) ?? '';
    assert.match(reason, /OAUTH_/);
    assert.ok(!reason.includes(idToken) || idToken === 'x');
  });
}
