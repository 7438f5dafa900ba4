import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ResourcePorts } from '#accounts';
import { type FreshAccounts, openFreshAccounts } from '../../../test/support/fresh-accounts.ts';
import { UNUSED_INSTALLATION } from '../../../test/support/unused-installation.ts';
import { applyChanges } from './apply-changes.ts';
import { exportManifest, formatManifest } from './export-manifest.ts';
import { planChanges } from './plan-changes.ts';
import { readExistingEntries } from './read-existing-entries.ts';
import { parseManifest } from './read-manifest.ts';

let source: FreshAccounts;
let target: FreshAccounts;
before(async () => {
  source = await openFreshAccounts();
  target = await openFreshAccounts();
  for (const { accounts, caller } of [source, target])
    await accounts.directory.removeOrganization(caller.organizationId);
});
after(async () => {
  await source[Symbol.asyncDispose]();
  await target[Symbol.asyncDispose]();
});

const portsOf = ({ accounts }: FreshAccounts): ResourcePorts => ({
  ...UNUSED_INSTALLATION,
  directory: accounts.directory,
});
const exportFrom = async (place: FreshAccounts): Promise<string> =>
  formatManifest(exportManifest(await readExistingEntries(portsOf(place))));

async function plan(place: FreshAccounts, text: string) {
  const { entries, problems } = parseManifest('m.yaml', text);
  assert.deepEqual(problems, []);
  return planChanges(entries, await readExistingEntries(portsOf(place)));
}

async function apply(place: FreshAccounts, text: string): Promise<void> {
  const { changes, problems } = await plan(place, text);
  assert.deepEqual(problems, []);
  await applyChanges({ ...portsOf(place), accounts: place.accounts }, changes);
}

const PEOPLE = `organizations:
  - name: Acme
    members:
      - { name: Ada, email: Ada@example.com, role: owner, limit: 100, recurringLimit: 5/day }
      - { name: Ada, email: ada@other.example, role: viewer }
      - name: Ada
      - { name: Charles, role: admin }
    projects:
      - name: web
        keys:
          - { label: by address, member: ada@EXAMPLE.com }
          - { label: by name, member: Charles }
          - { label: of the one without an address, member: Ada }
          - label: of no one
`;

test('an export is applied in an empty installation and gives the same file again, with members and their keys', async () => {
  await apply(source, PEOPLE);
  const { directory } = source.accounts;
  const [organization] = await directory.listOrganizations();
  assert.ok(organization);
  const members = await directory.listMembers({ organizationId: organization.id });
  assert.deepEqual(
    members.map(({ name, email = '', role, limit, recurringLimit, keys }) =>
      [name, email, role, limit, recurringLimit?.period, keys].join(' '),
    ),
    [
      `Ada Ada@example.com owner ${100n * 10n ** 12n} day 1`,
      'Ada ada@other.example viewer   0',
      'Ada  member   1',
      'Charles  admin   1',
    ],
  );
  const text = await exportFrom(source);
  assert.match(text, /label: by address\n +member: Ada@example\.com\n/);
  assert.match(text, /label: of the one without an address\n +member: Ada\n/);
  assert.ok(!text.includes('mem_'), text);
  await apply(target, text);
  assert.equal(await exportFrom(target), text);
  for (const again of [text, PEOPLE])
    assert.deepEqual(await plan(source, again), { changes: [], unmanaged: [], problems: [] });
});

test('a member is renamed by its address, and changed in its role and limits', async () => {
  await apply(
    source,
    `organizations:
  - name: Acme
    members:
      - { name: Charles, role: owner, recurringLimit: 7/week }
      - { name: Ada King, email: ada@example.com, limit: none, role: admin }
`,
  );
  const members = await source.accounts.directory.listMembers({});
  const shown = members.map(({ name, role, limit, recurringLimit }) =>
    [name, role, limit === null ? 'none' : 'limited', recurringLimit?.period ?? 'none'].join(' '),
  );
  assert.deepEqual(shown, [
    'Ada King admin none day',
    'Ada viewer none none',
    'Ada member none none',
    'Charles owner none week',
  ]);
});

test('an address, and the member of a key, cannot be changed; a member that is not there is named', async () => {
  const found = await plan(
    source,
    `organizations:
  - name: Acme
    members:
      - { name: Charles, email: charles@example.com }
      - { name: Charles }
    projects:
      - name: web
        keys:
          - { label: by name, member: nobody }
          - { label: of no one, member: Charles }
          - { label: new, member: nobody@example.com }
          - { label: another, member: charles@example.com }
`,
  );
  assert.deepEqual(
    found.problems.map(({ place, message }) => `${place} ${message}`),
    [
      'm.yaml:9:39 there is no member "nobody" in its organization',
      'm.yaml:10:41 "member" of the key cannot be changed after it is created',
      'm.yaml:11:35 there is no member "nobody@example.com" in its organization',
    ],
  );
  assert.deepEqual(
    found.changes.map(({ action, subject }) => `${action} ${subject.title}`),
    ['create Acme / Charles', 'create Acme / web / new', 'create Acme / web / another'],
  );
});

test('two members that only their ids distinguish have them in an export, and their keys, too', async () => {
  const { directory } = source.accounts;
  const { id: organizationId } = await directory.createOrganization('Twins');
  const { id: projectId } = await directory.createProject({ organizationId, name: 'web' });
  const add = () => directory.addMember({ organizationId, name: 'Twin', role: 'member' });
  const [one, two, gone] = [await add(), await add(), await add()];
  for (const { id } of [one, two, gone]) await directory.createKey({ projectId, label: id, memberId: id });
  await directory.removeMember(gone.id);
  const text = await exportFrom(source);
  for (const { id } of [one, two])
    assert.match(text, new RegExp(`id: ${id}\\n +name: Twin[^]*label: ${id}\\n +member: ${id}\\n`));
  assert.ok(!text.includes(gone.id), 'the key of a removed member never works again');
  const { changes, problems, unmanaged } = await plan(source, text);
  assert.deepEqual([changes, problems, unmanaged.map(({ layer }) => layer)], [[], [], ['key']]);
});

test('an interrupted apply changes nothing: no key is created whose secret was not shown', async () => {
  const text =
    'organizations:\n  - name: Interrupted\n    projects: [{ name: web, keys: [{ label: one }] }]\n';
  const { changes } = await plan(target, text);
  const stop = new AbortController();
  type ChangeTogether = FreshAccounts['accounts']['changeTogether'];
  const changeTogether: ChangeTogether = (ids, work) =>
    target.accounts.changeTogether(ids, async (...given) => {
      setImmediate(() => stop.abort(new Error('interrupted'))); // while the first change is made
      return work(...given);
    });
  const ports = { ...portsOf(target), accounts: { changeTogether }, signal: stop.signal };
  await assert.rejects(applyChanges(ports, changes), { message: 'interrupted' });
  assert.doesNotMatch(await exportFrom(target), /Interrupted/);
});
