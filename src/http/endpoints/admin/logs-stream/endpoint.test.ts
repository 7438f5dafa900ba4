import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { SseParser } from '#base';
import type { JsonObject } from '#base';
import type { TestAccount } from '../../../../../test/support/in-process.ts';
import { shareGateway } from '../../../../../test/support/share-gateway.ts';
import { until } from '../../../../../test/support/until.ts';

let other: TestAccount;
let admin: string;
const gateway = shareGateway();
before(async () => {
  other = await gateway.createAccount();
  ({ secret: admin } = await gateway.accounts.directory.createAdminKey({ label: 'operator' }));
});

const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });

/** A stream that is read as it comes. */
interface Following {
  /** Ids of requests, in their order. */
  ids: string[];
  rows: JsonObject[];
  isOver: boolean;
  leave(): void;
}

async function follow(query = '', secret = admin): Promise<Following> {
  const abort = new AbortController();
  const response = await gateway.request(`/admin/v1/logs/stream${query}`, {
    headers: bearer(secret),
    signal: abort.signal,
  });
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), 'text/event-stream; charset=utf-8');
  const following: Following = { ids: [], rows: [], isOver: false, leave: () => abort.abort() };
  assert.ok(response.body);
  void readRows(response.body, following)
    .catch(() => undefined) // It was left.
    .then(() => (following.isOver = true));
  return following;
}

async function readRows(body: AsyncIterable<Uint8Array>, { rows, ids }: Following): Promise<void> {
  const parser = new SseParser();
  for await (const bytes of body) {
    const found = parser.push(bytes).filter(({ event }) => event === 'log');
    for (const { data } of found) {
      const row = JSON.parse(data) as JsonObject & { id: string };
      rows.push(row);
      ids.push(row.id);
    }
  }
}

async function ask(apiKey = gateway.apiKey, model = 'chat-model'): Promise<string> {
  const body = { model, max_tokens: 8, messages: [{ role: 'user', content: 'hello' }] };
  const response = await gateway.post('/v1/chat/completions', body, bearer(apiKey));
  await response.text();
  return response.headers.get('x-request-id') ?? '';
}

test('200: a request is sent as it ends, once, after the latest that were asked for', async () => {
  const [first, second] = [await ask(), await ask()];
  const following = await follow('?last=2');
  const third = await ask();
  await until('it is sent', () => following.ids.includes(third));
  assert.deepEqual(following.ids, [first, second, third]);
  assert.equal(following.rows[2]?.['finish_reason'], 'completed');
  following.leave();
});

test('200: only requests that fit the filters, and that the credential may see', async () => {
  const { secret } = await gateway.accounts.directory.createAdminKey({
    label: 'bound',
    organizationId: other.organizationId,
  });
  const { organizationId } = gateway.account;
  const [bound, foreign, refused] = [
    await follow('', secret),
    await follow(`?organization_id=${organizationId}&last=100`, secret),
    await follow('?finish_reason=client_error'),
  ];
  const [own, strange, wrong] = [await ask(other.apiKey), await ask(), await ask(undefined, 'no-such-model')];
  const last = await ask(other.apiKey);
  await until('the last is sent', () => bound.ids.includes(last) && refused.ids.includes(wrong));
  assert.deepEqual(bound.ids, [own, last]);
  assert.deepEqual(refused.ids, [wrong]);
  assert.deepEqual(foreign.ids, []);
  assert.ok(!bound.ids.includes(strange));
  assert.ok(!('provider_cost' in (bound.rows[0] ?? {})), 'only the operator sees what it cost the operator');
  for (const following of [bound, foreign, refused]) following.leave();
});

test('200: it ends after the seconds that were asked for', async () => {
  const id = await ask();
  const response = await gateway.request('/admin/v1/logs/stream?last=1&seconds=0', {
    headers: bearer(admin),
  });
  const text = await response.text();
  assert.match(text, new RegExp(`^retry: 2000\\n\\nevent: log\\ndata: \\{"object":"log","id":"${id}"`));
});

test('200: it ends as the key is disabled, the database is unavailable, and the gateway stops', async () => {
  const { directory } = gateway.accounts;
  const { secret, key } = await directory.createAdminKey({ label: 'short' });
  const [short, long] = [await follow('', secret), await follow()];
  await directory.setAdminKeyDisabled(key.id, true);
  await until('the stream of the key is over', () => short.isOver);
  assert.equal(long.isOver, false);
  gateway.setDraining(true);
  await until('the other is over', () => long.isOver);
  const refused = await gateway.request('/admin/v1/logs/stream', { headers: bearer(admin) });
  assert.deepEqual([refused.status, refused.headers.get('connection')], [503, 'close']);
  await refused.text();
  gateway.setDraining(false);
  const cut = await follow();
  gateway.line.cut();
  await until('it is over without a database', () => cut.isOver);
  gateway.line.mend();
});

test('400: a number of rows or seconds that is too large, and times, which a stream does not have', async () => {
  for (const [query, message] of [
    ['last=101', /^last: must be a whole number from 0 to 100/],
    ['seconds=1.5', /^seconds: must be a whole number from 0 to 86400/],
    ['since=2026-01-01', /^since: is not known here/],
    ['finish_reason=odd', /^finish_reason: must be one of/],
    ['search=a', /search for 2 characters/],
  ] as const) {
    const response = await gateway.request(`/admin/v1/logs/stream?${query}`, { headers: bearer(admin) });
    const { error } = (await response.json()) as { error: { message: string } };
    assert.equal(response.status, 400, query);
    assert.match(error.message, message);
  }
});

test('429: the credentials of one organization together have 64 streams at most', async () => {
  const { directory } = gateway.accounts;
  const { organizationId } = gateway.account;
  const keys = await Promise.all(
    Array.from({ length: 5 }, () => directory.createAdminKey({ label: 'bound', organizationId })),
  );
  const all = await Promise.all(
    keys.slice(0, 4).flatMap(({ secret }) => Array.from({ length: 16 }, () => follow('', secret))),
  );
  const refused = await gateway.request('/admin/v1/logs/stream', {
    headers: bearer(keys[4]?.secret ?? ''),
  });
  assert.equal(refused.status, 429);
  await refused.text();
  assert.equal((await follow('?seconds=0')).ids.length, 0, 'those of others are not affected');
  for (const following of all) following.leave();
});

test('429: one credential has 16 streams at most, and gets another as one ends', async () => {
  const { secret } = await gateway.accounts.directory.createAdminKey({ label: 'many' });
  const all = await Promise.all(Array.from({ length: 16 }, () => follow('', secret)));
  const more = (): Promise<Response> =>
    gateway.request('/admin/v1/logs/stream?seconds=0', { headers: bearer(secret) });
  const refused = await more();
  assert.equal(refused.status, 429);
  assert.equal(refused.headers.get('retry-after'), '10');
  await refused.text();
  assert.equal((await follow('?seconds=0')).ids.length, 0, 'others are not affected');
  all[0]?.leave();
  await until('a place is free', async () => {
    const response = await more();
    await response.text();
    return response.status === 200;
  });
  for (const following of all) following.leave();
});
