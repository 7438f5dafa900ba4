import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Accounts } from '#accounts';
import { GatewayError } from '#errors';
import { openFreshAccounts } from '../../../test/support/fresh-accounts.ts';
import { shareOpened } from '../../../test/support/share-opened.ts';
import { createFaultyDatabase } from '../../../test/support/faulty-database.ts';
import { TestClock } from '../../../test/support/test-clock.ts';
import { until } from '../../../test/support/until.ts';
import { createKeyText } from './key-text.ts';

const fresh = shareOpened(() => openFreshAccounts());
let projectId: string;

before(async () => {
  projectId = fresh.caller.projectId;
});

async function codeOf(accounts: Accounts, credential: string): Promise<string> {
  try {
    await accounts.identify(credential);
    return 'accepted';
  } catch (error) {
    assert.ok(error instanceof GatewayError, String(error));
    const isRepeated =
      credential.length > 8 && JSON.stringify([error.message, error.facts]).includes(credential);
    assert.ok(!isRepeated, 'no error repeats the key');
    return `${error.code} ${error.status}`;
  }
}

const becomes = (accounts: Accounts, secret: string, wanted: string): Promise<void> =>
  until(wanted, async () => (await codeOf(accounts, secret)) === wanted);

test('a key that was cut or mistyped is distinguished from what is not a key of the gateway', async () => {
  const { secret } = await fresh.accounts.directory.createKey({ projectId, label: 'cut' });
  const refusalOf = async (credential: string): Promise<string> => {
    try {
      await fresh.accounts.identify(credential);
      return 'accepted';
    } catch (error) {
      return String(error);
    }
  };
  for (const wrong of [secret.slice(0, -1), `${secret}x`, 'slc_wrong'])
    assert.match(await refusalOf(wrong), /this API key is incomplete or mistyped; copy it again/);
  assert.match(await refusalOf('sk-other'), /not an API key of this gateway; keys start with "slc_"/);
});

test('a key leads to its caller', async () => {
  const { secret, key } = await fresh.accounts.directory.createKey({
    projectId,
    label: 'mine',
    expiresAt: Date.now() + 3_600_000,
  });
  assert.deepEqual(await fresh.accounts.identify(secret), {
    keyId: key.id,
    keyLabel: 'mine',
    organizationId: fresh.caller.organizationId,
    projectId,
    expiresAt: key.expiresAt,
  });
});

test('a wrong secret behind a right public id is never accepted', async () => {
  const publicPart = fresh.secret.slice(0, 16);
  for (let tries = 0; tries < 300; tries += 1) {
    let seed = tries;
    const forged = createKeyText('regular', (bytes) => {
      for (let at = 0; at < bytes.length; at += 1)
        bytes[at] = (seed = (seed * 1_103_515_245 + 12_345) >>> 8) % 248;
    });
    const grafted = publicPart + forged.slice(16);
    assert.equal(await codeOf(fresh.accounts, tries % 2 === 0 ? forged : grafted), 'invalid_credential 401');
  }
});

test('hostile credentials reach no SQL and are refused alike', async () => {
  for (const text of [
    `slc_' OR 1=1 --`,
    'slc_',
    '',
    'sk-ant-api03-x',
    `slc_${'a'.repeat(100_000)}`,
    'slc_\u0000',
  ]) {
    assert.match(await codeOf(fresh.accounts, text), /^invalid_credential 401$/);
  }
});

test('a credential of another kind is refused with a message that names its kind', async () => {
  const { secret } = await fresh.accounts.directory.createAdminKey({ label: 'root' });
  assert.equal(await codeOf(fresh.accounts, secret), 'wrong_credential 403');
  assert.equal(await codeOf(fresh.accounts, 'slcses_anything'), 'wrong_credential 403');
});

test('disabling and enabling a key reaches every process by the notification alone', async () => {
  const other = await fresh.join();
  const { secret, key } = await fresh.accounts.directory.createKey({ projectId, label: 'k' });
  assert.equal(await codeOf(other, secret), 'accepted');
  await fresh.accounts.directory.updateKey(key.id, { disabled: true });
  assert.equal(await codeOf(fresh.accounts, secret), 'invalid_credential 401', 'here at once');
  await becomes(other, secret, 'invalid_credential 401');
  await fresh.accounts.directory.updateKey(key.id, { disabled: false });
  await becomes(other, secret, 'accepted');
});

test('a key created in another process works at once, also where it was just unknown', async () => {
  const other = await fresh.join();
  assert.equal(await codeOf(other, createKeyText('regular')), 'invalid_credential 401');
  const { secret } = await fresh.accounts.directory.createKey({ projectId, label: 'k' });
  assert.equal(await codeOf(other, secret), 'accepted');
});

test('settings of a project reach the caller of a cached key', async () => {
  await fresh.accounts.identify(fresh.secret);
  await fresh.accounts.directory.updateProject(projectId, { minOutputTokens: 500 });
  assert.equal((await fresh.accounts.identify(fresh.secret)).minOutputTokens, 500);
  await fresh.accounts.directory.updateProject(projectId, { minOutputTokens: null });
  assert.equal((await fresh.accounts.identify(fresh.secret)).minOutputTokens, undefined);
  await fresh.accounts.directory.updateProject(projectId, { cacheTtlSeconds: 60 });
  assert.equal((await fresh.accounts.identify(fresh.secret)).cacheTtlSeconds, 60);
  await fresh.accounts.directory.updateProject(projectId, { cacheTtlSeconds: null });
  assert.equal((await fresh.accounts.identify(fresh.secret)).cacheTtlSeconds, undefined);
});

test('an expired key is refused the moment it expires, whatever the wall clock does', async () => {
  const clock = new TestClock();
  const accounts = await fresh.join({ clock });
  const { secret } = await accounts.directory.createKey({
    projectId,
    label: 'k',
    expiresAt: Date.now() + 20_000,
  });
  assert.equal(await codeOf(accounts, secret), 'accepted');
  clock.advance(19_000);
  assert.equal(await codeOf(accounts, secret), 'accepted');
  clock.advance(2_000);
  assert.equal(await codeOf(accounts, secret), 'invalid_credential 401');
});

test('a known key costs no query while it is fresh, and serves for ten minutes while the store is down', async () => {
  const clock = new TestClock();
  const faulty = createFaultyDatabase(await fresh.fresh.connect());
  const accounts = await fresh.join({ clock, database: faulty.database });
  assert.equal(await codeOf(accounts, fresh.secret), 'accepted');
  faulty.state = 'down';
  assert.equal(await codeOf(accounts, fresh.secret), 'accepted', 'fresh');
  for (const ms of [31_000, 60_000, 500_000]) {
    clock.advance(ms);
    assert.equal(await codeOf(accounts, fresh.secret), 'accepted', `after ${ms} ms more`);
  }
  assert.equal(await codeOf(accounts, createKeyText('regular')), 'store_unavailable 503');
  clock.advance(20_000);
  assert.equal(await codeOf(accounts, fresh.secret), 'store_unavailable 503');
  faulty.state = 'up';
  assert.equal(await codeOf(accounts, fresh.secret), 'accepted');
});
