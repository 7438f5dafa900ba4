import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { createIdentifier } from '#base';
import { openFreshDatabase } from '../../test/support/fresh-database.ts';
import { shareOpened } from '../../test/support/share-opened.ts';
import { TestClock } from '../../test/support/test-clock.ts';
import { until } from '../../test/support/until.ts';
import { type AccountObjects, type ObjectOwner, createAccountObjects } from './index.ts';

const DAY_MS = 24 * 3_600_000;
const ALICE = { organizationId: 'org_alice' };
const BOB = { organizationId: 'org_bob' };
const SHARED = { providerId: 'anthropic' };

let clock: TestClock;
let objects: AccountObjects;
const fresh = shareOpened(() => openFreshDatabase());
before(() => {
  clock = new TestClock();
  objects = createAccountObjects({ database: fresh.database, clock });
});

async function make(owner: ObjectOwner, expiresAt?: number): Promise<string> {
  const id = createIdentifier('file');
  await objects.save([{ id, ...(expiresAt !== undefined && { expiresAt }) }], SHARED, owner);
  return id;
}

test('an object is found only by its organization, with its account', async () => {
  const id = await make(ALICE);
  assert.deepEqual(await objects.find([id, 'file_unknown'], ALICE), [{ id, ...SHARED }]);
  assert.deepEqual(await objects.find([id], BOB), []);
});

test('the same id in two accounts is two objects', async () => {
  const id = await make(ALICE);
  const own = { providerId: 'anthropic', credentialId: 'key_1' };
  await objects.save([{ id }], own, ALICE);
  await objects.save([{ id }], own, BOB);
  const found = await objects.find([id], ALICE);
  assert.deepEqual(new Set(found.map(({ credentialId }) => credentialId)), new Set([undefined, 'key_1']));
  assert.deepEqual(await objects.find([id], BOB), [{ id, ...own }]);
});

test('a session token finds what it created; keys find all of their organization', async () => {
  const ann = { ...ALICE, holder: 'project_1/user/ann' };
  const bob = { ...ALICE, holder: 'project_1/user/bob' };
  const [anns, keys] = [await make(ann), await make(ALICE)];
  const idsOf = async (owner: ObjectOwner) =>
    (await objects.find([anns, keys], owner)).map(({ id }) => id).sort();
  assert.deepEqual(await idsOf(ann), [anns]);
  assert.deepEqual(await idsOf(bob), []);
  assert.deepEqual(await idsOf(ALICE), [anns, keys].sort());
});

test('an object is known until a day after its expiry, which answers can extend but not shorten', async () => {
  const id = await make(ALICE, clock.now() + DAY_MS);
  await objects.save([{ id, expiresAt: clock.now() }, { id }], { providerId: 'other' }, ALICE);
  await objects.save([{ id, expiresAt: clock.now() - 5 * DAY_MS }], SHARED, ALICE);
  const idsIn = async (providerId: string) =>
    (await objects.find([id], ALICE)).filter((place) => place.providerId === providerId).length;
  clock.advance(2 * DAY_MS - 1);
  assert.equal(await idsIn('anthropic'), 1);
  clock.advance(1);
  assert.equal(await idsIn('anthropic'), 0);
  assert.equal(await idsIn('other'), 1, 'of two expiries the later counts, and an unknown one is far away');
});

test('an implausible expiry is ignored, and an object is deleted after a year without use', async () => {
  const id = await make(ALICE, Number.MAX_SAFE_INTEGER);
  clock.advance(365 * DAY_MS - 1);
  assert.equal((await objects.find([id], ALICE)).length, 1);
  clock.advance(1);
  assert.equal((await objects.find([id], ALICE)).length, 0);
  const young = await make(ALICE);
  const sweeper = createAccountObjects({ database: fresh.database, clock });
  sweeper.start();
  const list = async () =>
    (await fresh.database.query<{ id: string }>({ text: 'SELECT id FROM account_object' })).rows;
  await until('only the young one is left', async () => (await list()).length === 1);
  await sweeper.close();
  assert.deepEqual(await list(), [{ id: young }]);
});

for (const odd of ['nul \u0000', 'lone \ud800', 'x'.repeat(100_000)]) {
  const shown = JSON.stringify(odd.slice(0, 10));
  test(`an object whose id is ${shown} is not found, and the others are saved`, async () => {
    const id = createIdentifier('file');
    await objects.save([{ id: odd }, { id }], SHARED, ALICE);
    assert.deepEqual(await objects.find([odd, id], ALICE), [{ id, ...SHARED }]);
  });
}
