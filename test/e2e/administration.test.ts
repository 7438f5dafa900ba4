import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { JsonObject } from '#base';
import { runCommand } from '../support/command-line.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { until } from '../support/until.ts';

let gateway: Gateway;
before(async () => {
  gateway = await startGateway();
});
after(() => gateway[Symbol.asyncDispose]());

async function runText(line: string): Promise<string> {
  const { code, stdout, stderr } = await runCommand([...line.split(' '), '--data-dir', gateway.dataDir]);
  assert.equal(code, 0, `${line}: ${stderr}`);
  return stdout;
}

async function runJson(line: string): Promise<JsonObject> {
  return JSON.parse(await runText(`${line} --json`)) as JsonObject;
}

const listOf = (json: JsonObject): JsonObject[] => json['data'] as JsonObject[];

test('an admin key is shown once and gives access, and changes by commands and requests are audited alike', async () => {
  const {
    secret: adminKey,
    id,
    scopes,
  } = await runJson('admin-keys create --label billing --scope money:write');
  assert.deepEqual(scopes, ['money:write']);
  const authorization = `Bearer ${adminKey as string}`;
  const { organization_id: organizationId, project_id: projectId } = gateway.line;
  const readPlan = async () =>
    (
      await fetch(`${gateway.url}/admin/v1/organizations/${organizationId}/plan`, {
        headers: { authorization },
      })
    ).status;
  assert.equal(await readPlan(), 200);
  const listed = listOf(await runJson('admin-keys list')).find((key) => key['id'] === id);
  assert.deepEqual([listed?.['label'], listed?.['disabled']], ['billing', false]);
  const secret = await fetch(`${gateway.url}/admin/v1/keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.adminKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ project_id: projectId, label: 'by the API' }),
  });
  const { id: keyId } = (await secret.json()) as { id: string };
  await runText(`keys limit ${keyId} 5`);
  const changes = listOf(await runJson(`audit --subject ${keyId}`));
  assert.deepEqual(
    changes.map(({ action, after }) => [action, (after as JsonObject)['limit']]),
    [
      ['key.updated', '5'],
      ['key.created', undefined],
    ],
  );
  assert.equal(changes[0]?.['actor'], 'command line');
  assert.match(changes[1]?.['actor'] as string, /^adm_/);
  assert.match(
    await runText(`audit --subject ${keyId}`),
    /command line +key\.updated +by the API +limit: null → "5"/,
  );
  assert.equal((await runJson(`admin-keys disable ${id as string}`))['disabled'], true);
  await until('the key opens nothing', async () => (await readPlan()) === 401);
});
