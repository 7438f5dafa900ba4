import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { JsonObject } from '#base';
import { runCommand } from '../support/command-line.ts';
import type { InProcessGateway } from '../support/in-process.ts';
import { type CommandScene, SECRET, openCommandScene } from '../support/command-scene.ts';

let scene: CommandScene;
let gateway: InProcessGateway;

before(async () => {
  scene = await openCommandScene();
  ({ gateway } = scene);
});
after(() => scene[Symbol.asyncDispose]());

const run = (line: string): Promise<JsonObject> => gateway.run(...line.split(' '));

test('lists of operators have the JSON of the administration API', async () => {
  assert.equal((await gateway.cli('alerts', 'test')).code, 0);
  const admin = await run('admin-keys create --label lists');
  const authorization = `Bearer ${admin['secret'] as string}`;
  for (const [line, path] of [
    ['alerts list', 'alerts'],
    ['exports list', 'exports'],
    ['experiments', 'experiments'],
    [`providers list --all --config ${gateway.configFile}`, 'providers'],
  ] as const) {
    const response = await gateway.request(`/admin/v1/${path}`, { headers: { authorization } });
    const answer = (await response.json()) as { data: JsonObject[] } & JsonObject;
    const data = answer.data.map(({ health: _health, ...entry }) => entry);
    const printed = JSON.stringify(await run(line)).replaceAll(gateway.configFile, 'sluice.yaml');
    assert.deepEqual(JSON.parse(printed), { ...answer, data }, line);
  }
});

test('the JSON of log rows, bills and the ledger check is that of the administration API', async () => {
  const body = { model: 'mock-model', max_tokens: 10, messages: [{ role: 'user', content: 'hello' }] };
  const response = await gateway.post('/v1/chat/completions', body);
  await response.arrayBuffer();
  const id = response.headers.get('x-request-id') ?? '';
  const admin = await run('admin-keys create --label rows');
  const authorization = `Bearer ${admin['secret'] as string}`;
  const answered = await gateway.request(`/admin/v1/logs/${id}`, { headers: { authorization } });
  const [row, bill, list, text] = await Promise.all([
    run(`logs --request ${id}`),
    run(`ledger explain ${id}`),
    run('logs --limit 1'),
    runCommand(['logs', '--request', id], { DATABASE_URL: gateway.databaseUrl, SLUICE_SECRET: SECRET }),
  ]);
  assert.deepEqual(row, await answered.json());
  const billed = await gateway.request(`/admin/v1/logs/${id}/bill`, { headers: { authorization } });
  assert.deepEqual(bill, await billed.json());
  const checked = await gateway.request('/admin/v1/ledger/check', { headers: { authorization } });
  assert.deepEqual(await run('ledger check'), await checked.json());
  assert.deepEqual([row['cost'], row['provider_cost']], [bill['cost'], bill['provider_cost']]);
  assert.notEqual(row['cost'], '0');
  const listed = await gateway.request('/admin/v1/logs?limit=1', { headers: { authorization } });
  assert.deepEqual([list, list['data']], [await listed.json(), [row]]);
  const { object: _object, tags: _tags, ...members } = row;
  const told = Object.entries(members).filter(([, value]) => value !== null);
  assert.deepEqual(
    text.stdout
      .trim()
      .split('\n')
      .flatMap((line) => line.split(' ', 1)),
    told.map(([name]) => name),
  );
  assert.match(text.stdout, /^cost +0\.\d+ USD$/m);
});
