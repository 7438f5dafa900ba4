import assert from 'node:assert/strict';
import type { InProcessGateway } from './in-process.ts';
import { assertRefusal } from './refusal.ts';

const SESSION_TOKEN = { limit: 10n ** 15n, endUserId: 'eve' };
const BODY = { model: 'chat-model', max_tokens: 8, messages: [{ role: 'user', content: 'hello' }] };

const asSecret = (secret: string) => ({ authorization: `Bearer ${secret}` });

/** The secrets of two keys of a member, of another key of their project, and of two session tokens of the first. */
interface Owners {
  first: string;
  second: string;
  other: string;
  token: string;
  again: string;
}

export async function createOwners({ accounts, createAccount }: InProcessGateway): Promise<Owners> {
  const { directory } = accounts;
  const { organizationId, projectId } = await createAccount();
  const { id: memberId } = await directory.addMember({ organizationId, name: 'ann', role: 'member' });
  const first = await directory.createKey({ projectId, label: 'first', memberId });
  const second = await directory.createKey({ projectId, label: 'second', memberId });
  const other = await directory.createKey({ projectId, label: 'other' });
  const mint = () => directory.createSessionToken({ ...SESSION_TOKEN, keyId: first.key.id });
  const [token, again] = [await mint(), await mint()];
  return {
    first: first.secret,
    second: second.secret,
    other: other.secret,
    token: token.secret,
    again: again.secret,
  };
}

/** Sends a request and waits for its row. */
export async function askWith(
  gateway: InProcessGateway,
  secret: string,
  headers: Record<string, string>,
): Promise<void> {
  const answer = await gateway.post('/v1/messages', BODY, { ...asSecret(secret), ...headers });
  await answer.text();
  await gateway.getRow(answer);
}

export function getAs(gateway: InProcessGateway, secret: string, path: string): Promise<Response> {
  return gateway.request(path, { headers: asSecret(secret) });
}

/** The JSON of a 200 that no cache may keep for others. */
export async function readOwn<T>(gateway: InProcessGateway, secret: string, path: string): Promise<T> {
  const response = await getAs(gateway, secret, path);
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('cache-control'), 'private, no-store');
  return (await response.json()) as T;
}

/** Each query is invalid for its credential. */
export async function assertInvalidQueries(
  gateway: InProcessGateway,
  path: string,
  queries: readonly (readonly [query: string, secret: string])[],
): Promise<void> {
  for (const [query, secret] of queries)
    await assertRefusal(await getAs(gateway, secret, `${path}${query}`), {
      format: 'chat',
      status: 400,
      code: 'invalid_request',
    });
}
