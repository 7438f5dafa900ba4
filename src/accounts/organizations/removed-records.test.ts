import { decodeInput } from '#fields';
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Operation, Resource, ResourcePorts } from '#accounts';
import { RESOURCES, createPlanCatalogue, perform } from '#accounts';
import { createByokTerms } from '../../../test/support/byok-calls.ts';
import { openFreshAccounts } from '../../../test/support/fresh-accounts.ts';
import { type Ids, createBody, createSamples, nameId } from '../../../test/support/resource-samples.ts';
import { shareOpened } from '../../../test/support/share-opened.ts';
import { UNUSED_INSTALLATION } from '../../../test/support/unused-installation.ts';

const fresh = shareOpened(() => openFreshAccounts());
let terms: Awaited<ReturnType<typeof createByokTerms>>;
before(async () => {
  terms = await createByokTerms();
});

type AnyResource = Resource<ResourcePorts>;
type AnyOperation = Operation<ResourcePorts>;

/** The kinds of records that the example of an operation names. */
function listKinds({ input, example = {} }: AnyOperation): string[] {
  return Object.values(input).flatMap(({ type: { refersTo } }) => {
    if (refersTo === undefined) return [];
    return [typeof refersTo === 'string' ? refersTo : (example[refersTo.member] as string)];
  });
}

/** The resources that end with a record of this kind: what is created in it, and what is created in that. */
function listEnded(kind: string): AnyResource[] {
  const kinds = new Set([kind]);
  return RESOURCES.filter((resource) => {
    const { name, owner, operations } = resource;
    const owners = owner === 'id' ? ['organization'] : [];
    const { create } = operations;
    const isEnded = [name, ...owners, ...(create ? listKinds(create) : [])].some((each) => kinds.has(each));
    if (isEnded) kinds.add(name);
    return isEnded;
  });
}

interface Performed {
  resource: AnyResource;
  name: string;
  operation: AnyOperation;
}

/** An operation on the record with one of these ids. */
async function run({ resource, name, operation }: Performed, ids: Ids): Promise<string> {
  const body = createBody(operation, ids, name === 'create');
  const { json } = await perform(resource, name, {
    ...UNUSED_INSTALLATION,
    directory: fresh.accounts.directory,
    plans: () => createPlanCatalogue(),
    byokTerms: () => terms,
    deletePayloads: () => Promise.resolve(0),
    id: ids[nameId(resource.owner === 'id' ? 'organization' : resource.name)] ?? '',
    input: decodeInput(operation.input, body ?? {}),
    page: {},
  });
  return JSON.stringify(json);
}

/** What may be done with what ended, or stays listed, and why. */
const KEPT: Readonly<Record<string, string>> = {
  'deletePayloads of project': 'nothing else deletes them before their time',
  'list of admin_key': 'they are disabled',
  'update of admin_key': 'they can be disabled once more',
  'remove of dashboard_session': 'it has ended, which is what the caller wants',
  'remove of session_token': 'it is invalid, which is what the caller wants',
};
const OTHERWISE = 'leave such records out (`where`), end them in remove-account.ts, or add a reason to KEPT';

const REMOVED = {
  organization: (ids: Ids) => fresh.accounts.directory.removeOrganization(ids['organizationId'] ?? ''),
  project: (ids: Ids) => fresh.accounts.directory.removeProject(ids['projectId'] ?? ''),
} as const;

for (const [kind, remove] of Object.entries(REMOVED))
  test(`a removed ${kind} ends every record in it`, async (t) => {
    const ids = await createSamples({ accounts: fresh.accounts, terms }, {});
    await remove(ids);
    for (const resource of listEnded(kind))
      for (const [name, operation] of Object.entries(resource.operations)) {
        const called = `${name} of ${resource.name}`;
        if (called === `create of ${kind}` || operation.local === 'configuration') continue;
        await t.test(called, async () => {
          const work = run({ resource, name, operation }, ids);
          const own = ids[nameId(resource.name)] ?? '';
          const isKept = KEPT[called] !== undefined;
          if (name === 'list') assert.equal((await work).includes(own), isKept, OTHERWISE);
          else if (isKept) await work;
          else await assert.rejects(work, { code: 'not_found' }, OTHERWISE);
        });
      }
  });
