import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type InProcessGateway, openInProcess } from '../support/in-process.ts';
import { runCommand } from '../support/command-line.ts';
import { until } from '../support/until.ts';

let gateway: InProcessGateway;
before(async () => {
  gateway = await openInProcess();
});
after(() => gateway[Symbol.asyncDispose]());

test('what is kept of a removed project can be deleted by its id, and its keys are said to be deleted', async () => {
  const { organizationId } = gateway.account;
  const { id: project } = await gateway.accounts.directory.createProject({ organizationId, name: 'kept' });
  await gateway.run('payloads', 'set', '--project', project, '--days', '3');
  const { id: keyId, authorization } = await gateway.createKey('--project', project);
  const messages = [{ role: 'user', content: 'hi' }];
  const body = { model: 'chat-model', messages };
  const response = await gateway.post('/v1/chat/completions', body, { authorization });
  const { requestId } = await gateway.getRow(response);
  await until('the payload is kept', async () => {
    const { code } = await gateway.cli('logs', '--request', requestId, '--payload');
    return code === 0;
  });
  const env = { DATABASE_URL: gateway.databaseUrl };
  const removal = await runCommand(['projects', 'remove', project, '--data-dir', gateway.dataDir], env);
  assert.equal(removal.stdout, `${project} is removed\n${keyId} is deleted\n`, removal.stderr);
  const deleted = await gateway.run('payloads', 'delete', '--project', project);
  assert.equal(deleted['deleted_payloads'], 1);
  const { stderr } = await gateway.cli('payloads', 'set', '--project', project, '--days', '3');
  assert.match(stderr, /there is no such project/);
});

test('without a project, a command takes none of another organization', async () => {
  const { directory } = gateway.accounts;
  const { organizationId, projectId } = (await directory.findDefault()) ?? assert.fail();
  const { id: other } = await directory.createOrganization('Other');
  await directory.createProject({ organizationId: other, name: 'theirs' });
  const { id: second } = await directory.createProject({ organizationId, name: 'second' });
  for (const { id } of await directory.listProjects({ organizationId }))
    if (id !== second) await gateway.run('projects', 'remove', id);
  assert.notEqual(projectId, second);
  const { id: keyId } = await gateway.createKey();
  assert.equal((await directory.getKey(keyId)).projectId, second);
  await gateway.run('projects', 'remove', second);
  const { code, stderr } = await gateway.cli('keys', 'create');
  assert.equal(code, 1);
  assert.match(
    stderr,
    new RegExp(`the first organization \\(${organizationId}\\) has no project; .*--project`),
  );
});
