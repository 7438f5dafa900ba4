import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { AdminCaller, Directory } from '#accounts';
import { openFreshAccounts } from '../../../test/support/fresh-accounts.ts';
import { shareOpened } from '../../../test/support/share-opened.ts';
import { useDirectory } from '../../../test/support/use-directory.ts';

const USD = 1_000_000_000_000n;

const fresh = shareOpened(() => openFreshAccounts());
let caller: AdminCaller;

before(async () => {
  const { secret } = await fresh.accounts.directory.createAdminKey({ label: 'operator' });
  caller = await fresh.accounts.administration.identify(secret);
});

/** The audit log entries of one request. */
async function audit(requestId: string, change: (directory: Directory) => Promise<unknown>) {
  await fresh.accounts.administration.change({ caller, requestId }, async (perform) => {
    await useDirectory(perform, change);
    return '';
  });
  return fresh.accounts.directory.listAudit({ requestId });
}

test('a rename is recorded with the old and the new name, and callers see it at once', async () => {
  const { accounts } = fresh;
  const { id: organizationId } = await accounts.directory.createOrganization('Acme');
  const { id: projectId } = await accounts.directory.createProject({ organizationId, name: 'web' });
  const { secret, key } = await accounts.directory.createKey({ projectId, label: 'ci' });
  assert.equal((await accounts.identify(secret)).keyLabel, 'ci');
  const member = await accounts.directory.addMember({ organizationId, name: 'Ada', role: 'member' });
  const renames: [string, (to: Directory) => Promise<unknown>, object, object][] = [
    ['key.updated', (to) => to.updateKey(key.id, { label: 'batch' }), { label: 'ci' }, { label: 'batch' }],
    [
      'project.updated',
      (to) => to.updateProject(projectId, { name: ' site ' }),
      { name: 'web' },
      { name: 'site' },
    ],
    [
      'organization.updated',
      (to) => to.updateOrganization(organizationId, { name: 'Acme Inc.' }),
      { name: 'Acme' },
      { name: 'Acme Inc.' },
    ],
    [
      'member.updated',
      (to) => to.updateMember(member.id, { name: 'Ada King', role: 'admin' }),
      { name: 'Ada', role: 'member' },
      { name: 'Ada King', role: 'admin' },
    ],
  ];
  for (const [index, [action, rename, before, after]] of renames.entries()) {
    const entries = await audit(`req_rename_${index}`, rename);
    assert.deepEqual(
      entries.map((each) => [each.action, each.before, each.after]),
      [[action, before, after]],
    );
  }
  assert.equal((await accounts.identify(secret)).keyLabel, 'batch');
  await assert.rejects(accounts.directory.updateKey(key.id, { label: ' ' }), { code: 'invalid_request' });
  await assert.rejects(accounts.directory.updateMember('mem_ghost', { name: 'x' }), { code: 'not_found' });
});

test('a change of several fields is one entry; limits of spending are another, as another table has them', async () => {
  const { key } = await fresh.accounts.directory.createKey({ projectId: fresh.caller.projectId, label: 'k' });
  const ofKey = await audit('req_key_fields', (to) =>
    to.updateKey(key.id, {
      disabled: true,
      rateLimits: { concurrency: 3 },
      routing: { sort: 'price' },
      limit: 2n * USD,
    }),
  );
  const shown = ofKey.map(({ action, after }) => [action, Object.keys(after ?? {}).toSorted()]);
  assert.deepEqual(shown.toSorted(), [
    ['key.updated', ['disabled_at', 'rate_limits', 'routing']],
    ['key.updated', ['limit']],
  ]);
  const ofProject = await audit('req_project_fields', (to) =>
    to.updateProject(fresh.caller.projectId, {
      cacheTtlSeconds: 60,
      minOutputTokens: 500,
      continue: true,
      routing: { sort: 'price' },
    }),
  );
  assert.deepEqual(
    ofProject.map(({ action, after }) => [action, after]),
    [
      [
        'project.updated',
        { cache_ttl_seconds: 60, min_output_tokens: 500, continue: true, routing: { sort: 'price' } },
      ],
    ],
  );
});
