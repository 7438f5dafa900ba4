import type { InputField } from '#fields';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fitsSchema } from '#base';
import { projectResource } from './organizations/project-resource.ts';
import { type FreshAccounts, openFreshAccounts } from '../../test/support/fresh-accounts.ts';
import { shareOpened } from '../../test/support/share-opened.ts';

const fresh = shareOpened(() => openFreshAccounts());

type Directory = FreshAccounts['accounts']['directory'];
interface Ids {
  organizationId: string;
  projectId: string;
  keyId: string;
}
type Change<Value> = (directory: Directory, value: Value, ids: Ids) => Promise<unknown>;

/** Inputs with the values that they just accept and just refuse. */
function limitOf<Value>(accepted: readonly Value[], refused: readonly Value[], change: Change<Value>) {
  return { accepted, refused, change } as {
    accepted: unknown[];
    refused: unknown[];
    change: Change<unknown>;
  };
}

const name = (length: number): string => 'n'.repeat(length);
const email = (length: number): string => `${'e'.repeat(length - 4)}@a.b`;
const USD = 1_000_000_000_000n;
const MOST_USD = 1_000_000_000_000_000n * USD;
const LAST_MOMENT = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
let serial = 0;

const LIMITS = {
  'the name of a project': limitOf(
    [name(1), name(200)],
    [' ', name(201)],
    (directory, value, { organizationId }) => directory.createProject({ organizationId, name: value }),
  ),
  'the e-mail address of a member': limitOf(
    [email(5), email(254)],
    ['a@', email(255)],
    (directory, value, { organizationId }) =>
      directory.addMember({ organizationId, name: `member ${(serial += 1)}`, email: value, role: 'member' }),
  ),
  'the lifetime of a session token': limitOf([60, 86_400], [59, 86_401], (directory, ttlSeconds, { keyId }) =>
    directory.createSessionToken({ keyId, limit: USD, ttlSeconds }),
  ),
  'the limit of a session token': limitOf(
    [1n, MOST_USD],
    [0n, MOST_USD + 1n],
    (directory, limit, { keyId }) => directory.createSessionToken({ keyId, limit }),
  ),
  'the expiry of a key': limitOf([LAST_MOMENT, null], [LAST_MOMENT + 1], (directory, expiresAt, { keyId }) =>
    directory.updateKey(keyId, { expiresAt }),
  ),
};

for (const [what, { accepted, refused, change }] of Object.entries(LIMITS)) {
  test(`${what} has exact limits`, async () => {
    const { directory } = fresh.accounts;
    const { organizationId, projectId, keyId } = fresh.caller;
    for (const value of accepted) await change(directory, value, { organizationId, projectId, keyId });
    for (const value of refused) {
      await assert.rejects(
        change(directory, value, { organizationId, projectId, keyId }),
        { code: 'invalid_request' },
        String(value),
      );
    }
  });
}

const FIELDS: Record<string, { input: InputField | undefined; accepted: unknown[]; refused: unknown[] }> = {
  'how long answers are cached': {
    input: projectResource.operations['update']?.input['cacheTtlSeconds'],
    accepted: [10, 31_536_000, null],
    refused: [9, 31_536_001, 10.5],
  },
  'how long payloads are kept': {
    input: projectResource.operations['keepPayloads']?.input['payloadDays'],
    accepted: [1, 400, null],
    refused: [0, 401, 1.5],
  },
  'the least output': {
    input: projectResource.operations['update']?.input['minOutputTokens'],
    accepted: [1, 64_000, null],
    refused: [0, 64_001, 1.5],
  },
};

for (const [what, { input, accepted, refused }] of Object.entries(FIELDS)) {
  test(`${what} has exact limits, the same for HTTP, commands and files`, () => {
    assert.ok(input);
    const { type } = input;
    const bounds = [type.least, type.most];
    assert.deepEqual(bounds, accepted.slice(0, 2));
    for (const value of accepted) assert.ok(fitsSchema(type.input, value), String(value));
    for (const value of refused) assert.ok(!fitsSchema(type.input, value), String(value));
  });
}
