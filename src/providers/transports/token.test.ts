import assert from 'node:assert/strict';
import { generateKeyPairSync, verify } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { CredentialError } from './credential-error.ts';
import { createEntraTokenFetcher } from './entra-token.ts';
import { createGoogleTokenFetcher } from './google-token.ts';
import { TokenRefusal } from './oauth-token.ts';
import { createTokenSource } from './token-source.ts';

interface Endpoint extends AsyncDisposable {
  url: string;
  forms: URLSearchParams[];
  paths: (string | undefined)[];
}

/** A token endpoint on a real socket. */
async function startEndpoint(
  status = 200,
  body: object = { access_token: 'tok-1', expires_in: 3600 },
): Promise<Endpoint> {
  const forms: URLSearchParams[] = [];
  const paths: (string | undefined)[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let text = '';
    for await (const bytes of request) text += String(bytes);
    forms.push(new URLSearchParams(text));
    paths.push(request.url);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  const server = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    forms,
    paths,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

function createKeyFile(tokenUri: string): string {
  return JSON.stringify({
    type: 'service_account',
    client_email: 'sluice@example.iam.gserviceaccount.com',
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    private_key_id: 'kid-1',
    token_uri: tokenUri,
  });
}

test('a service account gets a token for an assertion it signed', async () => {
  await using endpoint = await startEndpoint();
  const before = Date.now();
  const token = await createGoogleTokenFetcher(createKeyFile(`${endpoint.url}/token`))();
  assert.equal(token.value, 'tok-1');
  assert.ok(token.expiresAtMs >= before + 3_600_000);
  const form = endpoint.forms[0];
  assert.equal(form?.get('grant_type'), 'urn:ietf:params:oauth:grant-type:jwt-bearer');
  const [header = '', claims = '', signature = ''] = form.get('assertion')?.split('.') ?? [];
  assert.ok(
    verify('sha256', Buffer.from(`${header}.${claims}`), publicKey, Buffer.from(signature, 'base64url')),
  );
  const reported = JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<string, unknown>;
  assert.equal(reported['iss'], 'sluice@example.iam.gserviceaccount.com');
  assert.equal(reported['aud'], `${endpoint.url}/token`);
  assert.equal(reported['scope'], 'https://www.googleapis.com/auth/cloud-platform');
});

test('an application of Entra gets a token for its secret', async () => {
  await using endpoint = await startEndpoint();
  const application = { tenantId: 'contoso', clientId: 'app', clientSecret: 'hush', authority: endpoint.url };
  assert.equal((await createEntraTokenFetcher(application)()).value, 'tok-1');
  assert.equal(endpoint.paths[0], '/contoso/oauth2/v2.0/token');
  assert.deepEqual(Object.fromEntries(endpoint.forms[0] ?? []), {
    grant_type: 'client_credentials',
    client_id: 'app',
    client_secret: 'hush',
    scope: 'https://cognitiveservices.azure.com/.default',
  });
});

test('a refusal reports its status and reason, and an invalid key file is named', async () => {
  await using endpoint = await startEndpoint(400, {
    error: 'invalid_grant',
    error_description: 'Invalid JWT',
  });
  await assert.rejects(createGoogleTokenFetcher(createKeyFile(endpoint.url))(), (error) => {
    assert.ok(error instanceof TokenRefusal);
    assert.equal(error.status, 400);
    return /invalid_grant: Invalid JWT/.test(error.message);
  });
  for (const text of [
    '',
    '{',
    '{"type":"service_account"}',
    '{"type":"service_account","client_email":"a","private_key":"b"}',
  ])
    await assert.rejects(createGoogleTokenFetcher(text)(), CredentialError);
});

test('a token is reused until shortly before its expiry, and fetched once for all waiting calls', async () => {
  let fetched = 0;
  let nowMs = 0;
  const getToken = createTokenSource(
    async () => ({ value: `t${(fetched += 1)}`, expiresAtMs: nowMs + 3_600_000 }),
    { now: () => nowMs, monotonicMs: () => nowMs },
  );
  assert.deepEqual(await Promise.all([getToken(), getToken()]), ['t1', 't1']);
  nowMs = 3_500_000;
  assert.equal(await getToken(), 't1');
  nowMs = 3_550_000;
  assert.equal(await getToken(), 't2');
});

test('a fetch that failed is tried again by the next request', async () => {
  let fetched = 0;
  const getToken = createTokenSource(async () => {
    fetched += 1;
    if (fetched === 1) throw new Error('down');
    return { value: 'ok', expiresAtMs: Number.MAX_SAFE_INTEGER };
  });
  await assert.rejects(getToken(), /down/);
  assert.equal(await getToken(), 'ok');
});

test('a token ends in its time whether the machine’s clock is set back or forward', async () => {
  let wallMs = 1_000_000_000;
  let monotonicMs = 0;
  let fetched = 0;
  const fetchToken = async () => ({ value: `tok-${(fetched += 1)}`, expiresAtMs: wallMs + 3_600_000 });
  const read = createTokenSource(fetchToken, { now: () => wallMs, monotonicMs: () => monotonicMs });
  assert.equal(await read(), 'tok-1');
  wallMs -= 3_600_000;
  assert.equal(await read(), 'tok-1');
  monotonicMs += 3_600_000;
  wallMs += 3_600_000;
  assert.equal(await read(), 'tok-2', 'by the clock on the wall it had an hour left');
  wallMs += 86_400_000;
  assert.equal(await read(), 'tok-3', 'the machine slept for a day');
});
