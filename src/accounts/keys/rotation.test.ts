import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Accounts } from '#accounts';
import type { KeyRecord } from './read-key-records.ts';
import { GatewayError } from '#errors';
import { openFreshAccounts } from '../../../test/support/fresh-accounts.ts';
import { shareOpened } from '../../../test/support/share-opened.ts';
import { TestClock } from '../../../test/support/test-clock.ts';
import { TestLedger } from '../../../test/support/test-ledger.ts';
import { until } from '../../../test/support/until.ts';
import { isWellFormedKey } from './key-text.ts';

const HOUR_MS = 3_600_000;

const fresh = shareOpened(() => openFreshAccounts());
let projectId: string;
const testLedger = new TestLedger(fresh);

before(async () => {
  projectId = fresh.caller.projectId;
});

const createKey = () => fresh.accounts.directory.createKey({ projectId, label: 'k', limit: 100n });

/** `opens`, or the reason for the refusal. */
async function ask(accounts: Accounts, secret: string): Promise<string> {
  try {
    await accounts.identify(secret);
    return 'opens';
  } catch (error) {
    assert.ok(error instanceof GatewayError && error.code === 'invalid_credential', String(error));
    assert.ok(!JSON.stringify([error.message, error.facts]).includes(secret.slice(-20)));
    return error.message;
  }
}

const becomes = (accounts: Accounts, secret: string, wanted: RegExp): Promise<void> =>
  until(String(wanted), async () => wanted.test(await ask(accounts, secret)));

test('a new secret opens the same key: its id, its use, its limits; the old one opens it too, in every process', async () => {
  const { directory } = fresh.accounts;
  const other = await fresh.join();
  const { secret, key } = await createKey();
  const caller = await other.identify(secret);
  await testLedger.use(caller, 7n);
  const rotated = await directory.rotateKey(key.id, { graceMs: HOUR_MS });
  assert.notEqual(rotated.secret, secret);
  assert.ok(isWellFormedKey('regular', rotated.secret));
  assert.equal(rotated.secret.slice(0, 16), secret.slice(0, 16), 'its public id stays');
  const expected: Partial<KeyRecord> = { id: key.id, label: 'k', limit: 100n, usage: 7n, disabled: false };
  for (const [name, value] of Object.entries(expected))
    assert.equal(rotated.key[name as keyof KeyRecord], value, name);
  assert.equal(rotated.key.masked, `slc_…${rotated.secret.slice(-4)}`);
  assert.ok(Math.abs((rotated.key.previousSecretExpiresAt ?? 0) - Date.now() - HOUR_MS) < 60_000);
  for (const accounts of [fresh.accounts, other]) {
    for (const text of [secret, rotated.secret]) assert.equal((await accounts.identify(text)).keyId, key.id);
  }
});

test('the old secret ends with its grace, whatever the wall clock does', async () => {
  const clock = new TestClock();
  const accounts = await fresh.join({ clock });
  const { secret, key } = await createKey();
  const { secret: next } = await accounts.directory.rotateKey(key.id, { graceMs: 20_000 });
  assert.equal(await ask(accounts, secret), 'opens');
  clock.advance(18_000);
  assert.equal(await ask(accounts, secret), 'opens');
  clock.advance(3_000);
  assert.match(await ask(accounts, secret), /was replaced by a new one/);
  assert.equal(await ask(accounts, next), 'opens');
});

test('a grace ends in every process that knew the secret before the rotation', async () => {
  const other = await fresh.join();
  const { secret, key } = await createKey();
  assert.equal(await ask(other, secret), 'opens');
  const { secret: next } = await fresh.accounts.directory.rotateKey(key.id, { graceMs: 200 });
  for (const accounts of [fresh.accounts, other])
    await becomes(accounts, secret, /was replaced by a new one/);
  assert.equal(await ask(other, next), 'opens');
});

test('without a grace the old secret is refused at once here, and everywhere by the notification', async () => {
  const other = await fresh.join();
  const { secret, key } = await createKey();
  assert.equal(await ask(other, secret), 'opens');
  const rotated = await fresh.accounts.directory.rotateKey(key.id, { graceMs: 0 });
  assert.equal(rotated.key.previousSecretExpiresAt, undefined);
  assert.match(await ask(fresh.accounts, secret), /was replaced/);
  await becomes(other, secret, /was replaced/);
  assert.equal(await ask(other, rotated.secret), 'opens');
});

test('a key has two secrets at most: of three rotations within the grace the last two are left', async () => {
  const { directory } = fresh.accounts;
  const { secret, key } = await createKey();
  const secrets = [secret];
  for (let turn = 0; turn < 3; turn += 1)
    secrets.push((await directory.rotateKey(key.id, { graceMs: HOUR_MS })).secret);
  const answers = await Promise.all(secrets.map((text) => ask(fresh.accounts, text)));
  assert.deepEqual(answers, ['the API key is unknown', 'the API key is unknown', 'opens', 'opens']);
  await directory.rotateKey(key.id, { graceMs: 0 });
  for (const text of secrets) assert.notEqual(await ask(fresh.accounts, text), 'opens');
});

test('ten rotations at once leave the key with two secrets, of which one is the present', async () => {
  const { secret, key } = await createKey();
  const created = await Promise.all(
    Array.from({ length: 10 }, () => fresh.accounts.directory.rotateKey(key.id, { graceMs: HOUR_MS })),
  );
  const answers = await Promise.all(
    [secret, ...created.map((one) => one.secret)].map((text) => ask(fresh.accounts, text)),
  );
  assert.equal(answers.filter((answer) => answer === 'opens').length, 2);
});

test('both secrets fall with the key: disabled, expired, deleted', async () => {
  const { directory } = fresh.accounts;
  const cases: [(keyId: string) => Promise<unknown>, RegExp][] = [
    [(id) => directory.updateKey(id, { disabled: true }), /is disabled/],
    [(id) => directory.updateKey(id, { expiresAt: Date.now() - 1_000 }), /has expired/],
    [(id) => directory.deleteKey(id), /was deleted/],
  ];
  for (const [end, why] of cases) {
    const other = await fresh.join();
    const { secret, key } = await createKey();
    const { secret: next } = await directory.rotateKey(key.id, { graceMs: HOUR_MS });
    for (const text of [secret, next]) assert.equal(await ask(other, text), 'opens');
    await end(key.id);
    for (const text of [secret, next]) {
      assert.match(await ask(fresh.accounts, text), why);
      await becomes(other, text, why);
    }
  }
});

test('an expiry can be set on an existing key, changed and removed', async () => {
  const { directory } = fresh.accounts;
  const { secret, key } = await createKey();
  const past = Date.now() - 1_000;
  assert.equal((await directory.updateKey(key.id, { expiresAt: past })).expiresAt, past);
  assert.match(await ask(fresh.accounts, secret), /has expired/);
  assert.equal((await directory.updateKey(key.id, { expiresAt: null })).expiresAt, undefined);
  assert.equal(await ask(fresh.accounts, secret), 'opens');
});

test('a deleted key is not listed and cannot be changed; its usage stays in the ledger', async () => {
  const { directory, ledger } = fresh.accounts;
  const { secret, key } = await createKey();
  await testLedger.use(await fresh.accounts.identify(secret), 3n);
  await directory.deleteKey(key.id);
  const listed = await directory.listKeys({ projectId });
  assert.ok(!listed.some(({ id }) => id === key.id));
  const changes: (() => Promise<unknown>)[] = [
    () => directory.deleteKey(key.id),
    () => directory.updateKey(key.id, { disabled: false }),
    () => directory.rotateKey(key.id, { graceMs: 0 }),
    () => directory.updateKey(key.id, { expiresAt: null }),
    () => directory.rotateKey('key_ghost', { graceMs: 0 }),
  ];
  for (const change of changes) await assert.rejects(change(), { code: 'not_found' });
  assert.deepEqual(await ledger.check(), []);
});

test('an invalid grace period is refused', async () => {
  const { secret, key } = await createKey();
  for (const graceMs of [-1, NaN, Infinity, 91 * 24 * HOUR_MS])
    await assert.rejects(fresh.accounts.directory.rotateKey(key.id, { graceMs }), {
      code: 'invalid_request',
    });
  assert.equal(await ask(fresh.accounts, secret), 'opens');
});

test('no secret is in the database in clear', async () => {
  const { secret, key } = await createKey();
  const { secret: next } = await fresh.accounts.directory.rotateKey(key.id, { graceMs: HOUR_MS });
  const { rows } = await fresh.database.query<{ row: string }>({
    text: 'SELECT k::text AS row FROM api_key k',
  });
  const text = JSON.stringify(rows);
  for (const canary of [secret, next])
    assert.ok(!text.includes(canary) && !text.includes(canary.slice(16, 48)));
});
