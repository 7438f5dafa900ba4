import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Accounts, Caller, NewSessionToken } from '#accounts';
import { GatewayError } from '#errors';
import { openFreshAccounts } from '../../../test/support/fresh-accounts.ts';
import { shareOpened } from '../../../test/support/share-opened.ts';
import { createFaultyDatabase } from '../../../test/support/faulty-database.ts';
import { TestClock } from '../../../test/support/test-clock.ts';
import { TestLedger } from '../../../test/support/test-ledger.ts';
import { until } from '../../../test/support/until.ts';
import { createKeyText } from '../keys/key-text.ts';
import { createSessionStore } from './session-store.ts';

const fresh = shareOpened(() => openFreshAccounts({ admissionWaitMs: 0 }));
const testLedger = new TestLedger(fresh);

const identify = async (accounts: Accounts, secret: string) => accounts.identify(secret, { sessions: true });
const isClean = async (): Promise<void> => assert.deepEqual(await fresh.accounts.ledger.check(), []);

async function createKey(limit?: bigint): Promise<{ keyId: string; secret: string }> {
  const { projectId } = fresh.caller;
  const input = { projectId, label: 'app', ...(limit !== undefined && { limit }) };
  const { secret, key } = await fresh.accounts.directory.createKey(input);
  return { keyId: key.id, secret };
}

async function mint(
  options: Partial<Parameters<Accounts['directory']['createSessionToken']>[0]> = {},
): Promise<NewSessionToken & { caller: Caller }> {
  const keyId = options.keyId ?? (await createKey()).keyId;
  const created = await fresh.accounts.directory.createSessionToken({ limit: 100n, ...options, keyId });
  return { ...created, caller: await identify(fresh.accounts, created.secret) };
}

/** `opens`, or the reason for the refusal. */
async function ask(accounts: Accounts, secret: string): Promise<string> {
  try {
    await identify(accounts, secret);
    return 'opens';
  } catch (error) {
    assert.ok(error instanceof GatewayError && error.code === 'invalid_credential', String(error));
    assert.ok(!JSON.stringify([error.message, error.facts]).includes(secret.slice(-20)));
    return error.message;
  }
}

const becomes = (accounts: Accounts, secret: string, wanted: RegExp): Promise<void> =>
  until(String(wanted), async () => wanted.test(await ask(accounts, secret)));

test('a session token leads to its key’s caller, with its own id, end user, end and models', async () => {
  const { keyId, secret } = await createKey();
  const key = await fresh.accounts.identify(secret);
  const { session, caller } = await mint({
    keyId,
    ttlSeconds: 60,
    models: ['GPT-5*', 'echo'],
    endUserId: 'u-17',
  });
  assert.deepEqual(caller, {
    ...key,
    sessionTokenId: session.id,
    endUserId: 'u-17',
    expiresAt: session.expiresAt,
    rules: [{ layer: 'session', type: 'allow-models', values: ['gpt-5*', 'echo'] }],
  });
  assert.equal(session.expiresAt - session.createdAt >= 59_000, true);
  assert.deepEqual([session.keyId, session.limit, session.usage], [keyId, 100n, 0n]);
  assert.match(session.masked, /^slcses_…\w{4}$/);
});

test('a token lives at least a minute and at most a day', async () => {
  for (const ttlSeconds of [60, 86_400]) {
    const { session } = await mint({ ttlSeconds });
    const livedMs = session.expiresAt - session.createdAt;
    assert.ok(livedMs > (ttlSeconds - 1) * 1_000 && livedMs <= ttlSeconds * 1_000, `${livedMs} ms`);
  }
});

test('it is taken only where session tokens are', async () => {
  const { secret } = await mint();
  await assert.rejects(async () => fresh.accounts.identify(secret), { code: 'wrong_credential' });
  const { secret: admin } = await fresh.accounts.directory.createAdminKey({ label: 'a' });
  await assert.rejects(identify(fresh.accounts, admin), { code: 'wrong_credential' });
});

test('a wrong secret behind a right public id, and what is no token at all, open nothing', async () => {
  const { secret } = await mint();
  for (const text of [
    createKeyText('session'),
    `${secret.slice(0, 40)}${createKeyText('session').slice(40)}`,
    'slcses_',
  ])
    assert.match(await ask(fresh.accounts, text), /unknown|incomplete or mistyped/);
});

test('a token expires after an hour by default, by the database’s clock', async () => {
  const { secret, session } = await mint();
  assert.ok(Math.abs(session.expiresAt - session.createdAt - 3_600_000) < 1_000);
  await fresh.database.query({
    text: `UPDATE session_token SET expires_at = clock_timestamp() + interval '20 seconds' WHERE id = $1`,
    values: [session.id],
  });
  const clock = new TestClock();
  const accounts = await fresh.join({ clock });
  assert.equal(await ask(accounts, secret), 'opens');
  clock.advance(18_000);
  assert.equal(await ask(accounts, secret), 'opens');
  clock.advance(3_000);
  assert.match(await ask(accounts, secret), /has expired/);
});

test('a token ends with its key in every process (disabled, expired or deleted), and survives a rotation of the key', async () => {
  const { directory } = fresh.accounts;
  const other = await fresh.join();
  const cases: [(keyId: string) => Promise<unknown>, RegExp][] = [
    [(id) => directory.rotateKey(id, { graceMs: 0 }), /^opens$/],
    [(id) => directory.updateKey(id, { disabled: true }), /is disabled/],
    [(id) => directory.updateKey(id, { expiresAt: Date.now() - 1_000 }), /has expired/],
    [(id) => directory.deleteKey(id), /was deleted/],
  ];
  for (const [end, wanted] of cases) {
    const { secret, session } = await mint();
    assert.equal(await ask(other, secret), 'opens');
    await end(session.keyId);
    assert.match(await ask(fresh.accounts, secret), wanted);
    await becomes(other, secret, wanted);
  }
});

test('revoking ends one token in every process and leaves its neighbours', async () => {
  const { directory } = fresh.accounts;
  const other = await fresh.join();
  const { keyId } = await createKey();
  const [one, two] = [await mint({ keyId }), await mint({ keyId })];
  for (const { secret } of [one, two]) assert.equal(await ask(other, secret), 'opens');
  const revoked = await directory.revokeSessionToken(one.session.id);
  assert.ok(revoked.revokedAt);
  assert.match(await ask(fresh.accounts, one.secret), /was revoked/);
  await becomes(other, one.secret, /was revoked/);
  assert.equal(await ask(other, two.secret), 'opens');
  const open = await directory.listSessionTokens({ keyId });
  assert.deepEqual(
    open.map(({ id }) => id),
    [two.session.id],
  );
  const all = await directory.listSessionTokens({ keyId, ended: true });
  assert.deepEqual(
    all.map(({ id }) => id),
    [two.session.id, one.session.id],
    'the newest first',
  );
  assert.deepEqual(await directory.listSessionTokens({ organizationId: 'org_ghost', ended: true }), []);
  await assert.rejects(directory.revokeSessionToken('ses_ghost'), { code: 'not_found' });
});

test('its own process learns of a revoked token before the database notifies it', async () => {
  const changes: string[] = [];
  const ports = { database: fresh.database, digest: (text: string) => Buffer.from(text) };
  const store = createSessionStore({ ...ports, onChange: (change) => changes.push(change) });
  const { session } = await mint();
  await store.revokeSessionToken(session.id);
  assert.deepEqual(changes, [`session_token:${session.id}`]);
});

test('a known token is identified without a query', async () => {
  const faulty = createFaultyDatabase(await fresh.fresh.connect());
  const accounts = await fresh.join({ database: faulty.database });
  const { secret } = await mint();
  assert.equal(await ask(accounts, secret), 'opens');
  faulty.state = 'down';
  assert.equal(await ask(accounts, secret), 'opens');
  faulty.state = 'up';
});

test('it spends its own budget, its key’s limit and the organization’s credits: all or nothing', async () => {
  const { keyId, secret } = await createKey(150n);
  const key = await fresh.accounts.identify(secret);
  const { session, caller } = await mint({ keyId, limit: 100n });
  await testLedger.use(caller, 60n);
  await assert.rejects(testLedger.reserve(caller, 41n), (error: GatewayError) => {
    assert.equal(error.code, 'session_budget_reached');
    assert.equal(error.status, 402);
    return /budget of 0\.0000000001 USD and has used 0\.00000000006 USD.*does not reset/.test(error.message);
  });
  await testLedger.use(key, 60n);
  await assert.rejects(testLedger.reserve(caller, 31n), { code: 'key_limit_reached' });
  await testLedger.use(caller, 30n);
  const [listed] = await fresh.accounts.directory.listSessionTokens({ keyId });
  assert.equal(listed?.usage, 90n);
  assert.equal(
    (await fresh.accounts.directory.listKeys({ projectId: key.projectId })).find(({ id }) => id === keyId)
      ?.usage,
    150n,
  );
  const { rows } = await fresh.database.query({ text: 'SELECT id FROM meter WHERE held <> 0' });
  assert.deepEqual([listed.id, rows.length], [session.id, 0]);
  await isClean();
});

test('a refused token is not in the way of its key, nor of another token', async () => {
  const { keyId, secret } = await createKey();
  const poor = await mint({ keyId, limit: 10n });
  const rich = await mint({ keyId, limit: 1_000n });
  const key = await fresh.accounts.identify(secret);
  const outcomes = await Promise.allSettled([
    testLedger.use(poor.caller, 50n),
    testLedger.use(key, 500n),
    testLedger.use(rich.caller, 500n),
  ]);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['rejected', 'fulfilled', 'fulfilled'],
  );
  await isClean();
});

test('creating tokens does not add meters to the key’s own requests', async () => {
  const { keyId, secret } = await createKey();
  await mint({ keyId });
  const key = await fresh.accounts.identify(secret);
  const { requestId } = await testLedger.reserve(key, 5n);
  const { rows } = await fresh.database.query<{ kinds: string }>({
    text: `
      SELECT string_agg(m.kind, ' ' ORDER BY m.kind) AS kinds FROM hold h JOIN meter m ON m.id = ANY (h.meter_ids)
      WHERE h.request_id = $1`,
    values: [requestId],
  });
  assert.equal(rows[0]?.kinds, 'credits key');
  await testLedger.settle(key, requestId, 5n);
});

test('the token of another key is refused as a whole', async () => {
  const { caller } = await mint();
  const { sessionTokenId = '' } = caller;
  await assert.rejects(testLedger.reserve({ ...fresh.caller, sessionTokenId }, 1n), /without a meter/);
  await isClean();
});

test('invalid input is refused, and a key that cannot be used creates no token', async () => {
  const { directory } = fresh.accounts;
  const { keyId } = await createKey();
  const cases = [
    { limit: 0n },
    { limit: -1n },
    { ttlSeconds: 59 },
    { ttlSeconds: 86_401 },
    { ttlSeconds: 60.5 },
    { models: [] },
    { models: ['a b'] },
    { endUserId: ' ' },
    { endUserId: 'x'.repeat(201) },
  ];
  for (const options of cases) {
    const making = directory.createSessionToken({ keyId, limit: 1n, ...options });
    await assert.rejects(making, { code: 'invalid_request' }, Object.keys(options).join());
  }
  await directory.updateKey(keyId, { disabled: true });
  for (const id of [keyId, 'key_ghost'])
    await assert.rejects(directory.createSessionToken({ keyId: id, limit: 1n }), { code: 'not_found' });
});

test('no token is in the database in clear', async () => {
  const { secret } = await mint();
  const { rows } = await fresh.database.query({ text: 'SELECT s::text AS row FROM session_token s' });
  const text = JSON.stringify(rows);
  assert.ok(!text.includes(secret) && !text.includes(secret.slice(19, 51)));
});
