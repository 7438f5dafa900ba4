import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database } from '#storage';
import { type FreshAccounts, createRow, openFreshAccounts } from '../../../test/support/fresh-accounts.ts';
import { shareOpened } from '../../../test/support/share-opened.ts';
import { until } from '../../../test/support/until.ts';

const fresh = shareOpened(() => openFreshAccounts({ admissionWaitMs: 10_000 }));

const recurringLimit = { amount: 10n ** 15n, period: 'day' } as const;
const terms = { price: 1n, credits: 10n ** 15n, premiumWeekly: 10n ** 15n };

interface Subjects {
  organizationId: string;
  projectId: string;
  memberId: string;
}

type Directory = FreshAccounts['accounts']['directory'];

const CHANGES: Readonly<Record<string, (directory: Directory, subjects: Subjects) => Promise<unknown>>> = {
  'a limit of the organization': (directory, { organizationId }) =>
    directory.updateOrganization(organizationId, { recurringLimit }),
  'a limit of a project': (directory, { projectId }) =>
    directory.updateProject(projectId, { recurringLimit }),
  'a limit of a member': (directory, { memberId }) => directory.updateMember(memberId, { recurringLimit }),
  'a plan': (directory, { organizationId }) => directory.setPlan({ organizationId, plan: 'pro', terms }),
  credits: (directory, { organizationId }) => directory.addCredits({ organizationId, amount: 10n ** 15n }),
  'a rule': (directory, { projectId }) =>
    directory.addRule({ layer: 'project', subjectId: projectId, type: 'deny-models', values: ['gpt-*'] }),
};

const COUNT_LEFT = `
  SELECT (SELECT count(*) FROM shared_limit WHERE organization_id = $1)
    + (SELECT count(*) FROM access_rule WHERE organization_id = $1)
    + (SELECT count(*) FROM subscription WHERE organization_id = $1) AS rows`;

const COUNT_BLOCKED = `
  SELECT count(*) > 0 AS any FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event_type = 'Lock'`;

const waitUntilBlocked = (database: Database): Promise<void> =>
  until('the change waits for the removal', async () => {
    const { rows } = await database.query<{ any: boolean }>({ text: COUNT_BLOCKED });
    return rows[0]?.any === true;
  });

async function createSubjects(directory: Directory, name: string): Promise<Subjects> {
  const { id: organizationId } = await directory.createOrganization(name);
  const { id: projectId } = await directory.createProject({ organizationId, name: 'p' });
  const { id: memberId } = await directory.addMember({ organizationId, name: 'Ada', role: 'owner' });
  return { organizationId, projectId, memberId };
}

for (const [name, change] of Object.entries(CHANGES))
  test(`${name}, set while its organization is removed, is refused after it, and delays no request`, async () => {
    const { accounts, caller, database } = fresh;
    const { directory, ledger } = accounts;
    const subjects = await createSubjects(directory, name);
    const requestId = `req_${name.replaceAll(' ', '_')}`;
    const row = createRow(caller, requestId);
    let changed: Promise<unknown> | undefined;
    await accounts.changeTogether([], async (changes) => {
      await changes.removeOrganization(subjects.organizationId);
      changed = change(directory, subjects).catch((error: unknown) => error);
      await waitUntilBlocked(database);
      // Before the removal is committed.
      await ledger.reserve({ requestId, caller, amount: 100n, row });
    });
    await ledger.settle({ requestId, customer: 70n, provider: 0n, estimated: false, row });
    const refused = await changed;
    assert.ok(refused instanceof Error && 'code' in refused, String(refused));
    assert.equal(refused.code, 'not_found');
    const { rows } = await database.query({ text: COUNT_LEFT, values: [subjects.organizationId] });
    assert.deepEqual(rows, [{ rows: 0n }]);
  });
