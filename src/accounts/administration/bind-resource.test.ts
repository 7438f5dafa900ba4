import { decodeInput, required } from '#fields';
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { AdminCaller, OperationResult, Operation, Resource, ResourcePorts } from '#accounts';
import { RESOURCES, createPlanCatalogue } from '#accounts';
import { createByokTerms } from '../../../test/support/byok-calls.ts';
import { UNUSED_INSTALLATION } from '../../../test/support/unused-installation.ts';
import { openFreshAccounts } from '../../../test/support/fresh-accounts.ts';
import { shareOpened } from '../../../test/support/share-opened.ts';
import { idOf } from '../resource/types.ts';
import { type Ids, createBody, createSamples, nameId } from '../../../test/support/resource-samples.ts';

type AnyResource = Resource<ResourcePorts>;
type AnyOperation = Operation<ResourcePorts>;

const fresh = shareOpened(() => openFreshAccounts());
let terms: Awaited<ReturnType<typeof createByokTerms>>;
before(async () => {
  terms = await createByokTerms();
});

const createThings = (): Promise<Ids> => createSamples({ accounts: fresh.accounts, terms }, {});

const bindTo = (organizationId = ''): AdminCaller => ({
  actorId: 'adm_bound',
  scopes: ['all'],
  organizationId,
});

interface PerformedCall {
  resource: AnyResource;
  name: string;
  id?: string;
  input?: Record<string, unknown>;
}

async function perform(
  caller: AdminCaller,
  { resource, name, id = '', input = {} }: PerformedCall,
): Promise<OperationResult> {
  const call = {
    ...UNUSED_INSTALLATION,
    plans: () => createPlanCatalogue(),
    byokTerms: () => terms,
    deletePayloads: () => Promise.resolve(1),
    id,
    input,
    page: {},
  };
  let answered: OperationResult | undefined;
  await fresh.accounts.administration.change({ caller, requestId: 'req_test' }, async (run) => {
    answered = await run(resource, name, call);
    return '';
  });
  return answered as OperationResult;
}

interface KnownOperation {
  resource: AnyResource;
  name: string;
  operation: AnyOperation;
}

/** A call of an operation that is all about the things with these ids. */
function ask({ resource, name, operation }: KnownOperation, ids: Ids): PerformedCall {
  const body = createBody(operation, ids, name === 'create');
  const isFiltered = name === 'list' && operation.input['organizationId'] !== undefined;
  return {
    resource,
    name,
    id: ids[nameId(resource.owner === 'id' ? 'organization' : resource.name)] ?? '',
    input: isFiltered ? { organizationId: ids['organizationId'] } : decodeInput(operation.input, body ?? {}),
  };
}

/** Every member of an input that is an id, with the one of these ids that it can be. */
function listNamed({ input: fields }: AnyOperation, input: Record<string, unknown>, ids: Ids) {
  return Object.entries(fields).flatMap(
    ([
      member,
      {
        type: { refersTo: names },
      },
    ]) => {
      if (names === undefined) return [];
      const kind = typeof names === 'string' ? names : String(input[names.member]);
      return [[member, ids[nameId(kind)]] as const];
    },
  );
}

const OPERATIONS: readonly KnownOperation[] = RESOURCES.flatMap((resource) =>
  Object.entries(resource.operations).map(([name, operation]) => ({ resource, name, operation })),
);

for (const known of OPERATIONS) {
  const { resource, name, operation } = known;
  test(`[S4] ${name} of ${resource.name}: a bound admin key does it to what is its own, and finds nothing of others`, async () => {
    const [own, theirs] = [await createThings(), await createThings()];
    const caller = bindTo(own['organizationId']);
    const namesNothing = Object.values(operation.input).every(({ type }) => type.refersTo === undefined);
    if (operation.isForUnbound === true || (name === 'create' && namesNothing)) {
      await assert.rejects(perform(caller, ask(known, own)), { code: 'missing_scope' });
      return;
    }
    const foreign = perform(caller, ask(known, theirs));
    if (operation.local === 'configuration') {
      await assert.rejects(foreign, { code: 'missing_scope' });
      return;
    }
    if (name === 'list') {
      assert.deepEqual((await foreign).result, []);
      const everything = JSON.stringify((await perform(caller, { resource, name })).json);
      for (const id of Object.values(theirs)) assert.ok(!everything.includes(id), id);
      assert.ok(everything.includes(own['organizationId'] ?? ''));
    } else {
      await assert.rejects(foreign, { code: 'not_found' });
      const asked = ask(known, own);
      for (const [member, id] of listNamed(operation, { ...asked.input }, theirs)) {
        const mixed = { ...asked, input: { ...asked.input, [member]: id } };
        await assert.rejects(perform(caller, mixed), { code: 'not_found' }, member);
      }
    }
    const { json } = await perform(caller, ask(known, own));
    assert.notDeepEqual(json['data'], []);
  });
}

/** A resource that says less than it should; its operations would all succeed. */
function createCareless(differs: Partial<AnyResource>, input: AnyOperation['input'] = {}): AnyResource {
  const [known] = RESOURCES;
  assert.ok(known);
  const answer = { id: 'note_1', organizationId: 'org_own' };
  const define = (kind: AnyOperation['kind']): AnyOperation => ({
    summary: '',
    answer: '',
    kind,
    input,
    run: async () => (kind === 'list' ? [answer] : answer),
  });
  const operations = {
    create: define('one'),
    list: define('list'),
    get: define('one'),
    update: define('one'),
    archive: define('one'),
    remove: define('deleted'),
  };
  const { commands } = known;
  return { name: 'note', path: 'notes', scope: 'accounts', fields: {}, operations, commands, ...differs };
}

test('an operation without a declared owner is refused to a bound admin key, and open to one of all organizations', async () => {
  const careless = createCareless({});
  for (const name of Object.keys(careless.operations)) {
    const asked = { resource: careless, name, id: 'note_1' };
    await assert.rejects(perform(bindTo('org_own'), asked), { code: 'missing_scope' }, name);
    await assert.doesNotReject(perform({ actorId: 'adm_all', scopes: ['all'] }, asked), name);
  }
});

test('an id of a kind that no resource has is refused, and one that its owner cannot be read of', async () => {
  const naming = (kind: string) => ({ thingId: required(idOf(kind, 'something')) });
  for (const kind of ['nothing', 'note']) {
    const resource = createCareless({}, naming(kind));
    const asked = { resource, name: 'create', input: { thingId: 'thing_1' } };
    await assert.rejects(perform(bindTo('org_own'), asked), { code: 'missing_scope' }, kind);
  }
});

test('a definition that checks the wrong id returns nothing of another organization', async () => {
  const resource = createCareless({ owner: async () => ({ organizationId: 'org_another' }) });
  for (const name of ['get', 'update', 'archive'])
    await assert.rejects(
      perform(bindTo('org_another'), { resource, name, id: 'note_1' }),
      /another organization was about to be sent/,
    );
});

/** Names that others give: a provider's for itself or its model, a client's for its user. */
const OUTSIDE = new Set(['providerId', 'externalId', 'endUserId']);

test('every id that an operation takes shows what it is the id of', () => {
  for (const { resource, name, operation } of OPERATIONS.filter((each) => each.name !== 'list'))
    for (const [member, { type }] of Object.entries(operation.input))
      if (/Id$/.test(member) && !OUTSIDE.has(member))
        assert.ok(type.refersTo !== undefined, `${name} of ${resource.name}: ${member}`);
});
