import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { JsonObject } from '#base';
import { formatUsd } from '#base';
import { sendAdmin } from '../support/admin-calls.ts';
import { createProviderConfig } from '../support/gateway.ts';
import { shareGateway } from '../support/share-gateway.ts';

const ids: string[] = [];

const gateway = shareGateway({
  config: ({ baseUrl }) =>
    `${createProviderConfig(baseUrl, { models: ['mock-a', 'mock-b'] })}logs: { maxAgeDays: 60 }\n`,
});
before(async () => {
  await gateway.cli('payloads', 'set', '--days', '3');
  for (const model of ['mock-a', 'mock-a', 'mock-b']) {
    const response = await gateway.post('/v1/chat/completions', {
      model,
      messages: [{ role: 'user', content: 'hi' }],
    });
    await response.text();
    assert.equal(response.status, 200);
    ids.push(response.headers.get('x-request-id') ?? '');
  }
});

test('the report of the command line is the sum of the rows, per model and in all', async () => {
  const rows = await Promise.all(ids.map((id) => gateway.waitForRow(id)));
  const costOf = (model?: string): string =>
    formatUsd(
      rows
        .filter(({ modelId }) => model === undefined || modelId === model)
        .reduce((sum, { customer }) => sum + BigInt(customer), 0n),
    );
  const { json } = await gateway.cli('usage', '--since', '1h');
  const { data, total } = json as unknown as { data: JsonObject[]; total: JsonObject };
  assert.deepEqual(
    data.map(({ group, requests, cost }) => [group, requests, cost]),
    [
      [{ model: 'mock-a' }, 2, costOf('mock-a')],
      [{ model: 'mock-b' }, 1, costOf('mock-b')],
    ],
  );
  assert.deepEqual([total['requests'], total['cost']], [3, costOf()]);
  const { secret } = await gateway.accounts.directory.createAdminKey({ label: 'test' });
  const call = { method: 'GET', path: '/usage?by=session,month&top=5' };
  const answer = await sendAdmin(gateway, call, { authorization: `Bearer ${secret}` });
  const bySession = await gateway.cli('usage', '--by', 'session,month', '--top', '5');
  assert.deepEqual(bySession.json, await answer.json(), 'the command and the API report the same');
  const { id: project } = (await gateway.run(
    'projects',
    'create',
    '--org',
    gateway.account.organizationId,
    'idle',
  )) as { id: string };
  const byDay = await gateway.cli('usage', '--by', 'day,provider', '--project', project);
  assert.deepEqual(byDay.json, { object: 'list', data: [], total: null });
  const wrong = await gateway.cli('usage', '--by', 'colour');
  assert.notEqual(wrong.code, 0);
  assert.match(wrong.stderr, /must be some of organization, project, key, model.*tag:NAME/);
});

test('the payload of a request is shown, and a missing one is reported', async () => {
  const { json } = await gateway.cli('logs', '--request', ids[0] ?? '', '--payload');
  assert.match(JSON.stringify(json?.['request']), /mock-a/);
  const { secret } = await gateway.accounts.directory.createAdminKey({ label: 'payloads' });
  const call = { method: 'GET', path: `/logs/${ids[0]}/payload` };
  const answer = await sendAdmin(gateway, call, { authorization: `Bearer ${secret}` });
  assert.deepEqual(json, await answer.json(), 'the command and the API report the same');
  const none = await gateway.cli('logs', '--request', 'req_none', '--payload');
  assert.match(none.stderr, /no payload of req_none is stored/);
});

test('the limits of the log are explained with their sources', async () => {
  const { json } = await gateway.cli('config', 'check', '--config', gateway.configFile);
  const settings = json?.['settings'] as unknown as { name: string; value: string; source: string }[];
  const find = (name: string) => settings.find((setting) => setting.name === name);
  assert.equal(find('logs.maxAgeDays')?.value, '60');
  assert.match(find('logs.maxAgeDays')?.source ?? '', /sluice\.yaml:/);
  assert.deepEqual(find('logs.maxSizeGb'), { name: 'logs.maxSizeGb', value: '200', source: 'default' });
});

test('a request whose row has expired is explained from the ledger', async () => {
  const row = await gateway.waitForRow(ids[1] ?? '');
  await gateway.database.query({
    text: 'DELETE FROM request_log WHERE request_id = $1',
    values: [row.requestId],
  });
  const { json } = await gateway.cli('ledger', 'explain', row.requestId);
  assert.equal(json?.['expired'], true);
  assert.equal(json['cost'], formatUsd(BigInt(row.customer)));
  assert.match((await gateway.cli('ledger', 'explain', 'req_none')).stderr, /no such request/);
});

test('`usage --by user` points to members where no request names an end user', async () => {
  const { organizationId } = gateway.account;
  const { stderr: without } = await gateway.cli('usage', '--by', 'user');
  assert.equal(without, '', 'there are no keys of members');
  await gateway.run('members', 'add', 'Ann', '--org', organizationId);
  const { authorization } = await gateway.createKey('--member', 'Ann');
  const messages = [{ role: 'user', content: 'hi' }];
  const send = (more: object) =>
    gateway.post('/v1/chat/completions', { model: 'mock-a', messages, ...more }, { authorization });
  await gateway.getRow(await send({}));
  const { stderr } = await gateway.cli('usage', '--by', 'user,model');
  assert.equal(stderr, 'no request names an end user; --by member sums up the keys of members\n');
  assert.equal((await gateway.cli('usage', '--by', 'user,member')).stderr, '');
  await gateway.getRow(await send({ user: 'bob' }));
  assert.equal((await gateway.cli('usage', '--by', 'user')).stderr, '');
});
