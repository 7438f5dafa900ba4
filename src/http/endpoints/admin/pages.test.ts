import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { JsonObject } from '#base';
import { createSubjects, sendAdmin } from '../../../../test/support/admin-calls.ts';
import { RESOURCE_ROUTES } from '../../../../test/support/resource-samples.ts';
import { shareGateway } from '../../../../test/support/share-gateway.ts';

let admin: string;
const gateway = shareGateway();
before(async () => {
  ({ secret: admin } = await gateway.accounts.directory.createAdminKey({ label: 'test' }));
});

interface List {
  data: JsonObject[];
  first_id: string | null;
  last_id: string | null;
  has_more: boolean;
}

async function read(path: string, credential = admin): Promise<List> {
  const call = { method: 'GET', path };
  const response = await sendAdmin(gateway, call, { authorization: `Bearer ${credential}` });
  const list: unknown = await response.json();
  assert.equal(response.status, 200, `${path} ${JSON.stringify(list)}`);
  return list as List;
}

test('every list is read in pages by the last id, and reports whether more follow', async () => {
  for (let made = 0; made < 2; made += 1) await createSubjects(gateway);
  const lists = RESOURCE_ROUTES.filter(({ name }) => name === 'list').map(({ path }) => `${path}?`);
  for (const list of [...lists, '/admin/v1/logs?']) {
    const path = list.slice('/admin/v1'.length);
    const whole = await read(`${path}limit=100`);
    assert.ok(whole.data.length >= 2, `${list} has several pages`);
    assert.equal(whole.has_more, false);
    const seen: JsonObject[] = [];
    let page: List | undefined;
    do {
      page = await read(`${path}limit=1${page ? `&after=${page.last_id}` : ''}`);
      assert.deepEqual([page.first_id, page.last_id], [page.data[0]?.['id'], page.data.at(-1)?.['id']]);
      seen.push(...page.data);
    } while (page.has_more);
    assert.deepEqual(seen, whole.data, list);
  }
});

test('an id of another organization begins a page as one that does not exist', async () => {
  const created = [];
  for (let made = 0; made < 3; made += 1) created.push(await createSubjects(gateway));
  // Records before and after it, so that a page would begin in either order.
  const [before = '', own = '', behind = ''] = created.map(({ organizationId }) => organizationId);
  const { secret } = await gateway.accounts.directory.createAdminKey({ label: 'bound', organizationId: own });
  const lists = RESOURCE_ROUTES.filter(({ name }) => name === 'list').map(({ path }) => path);
  // An entry's id is a position in the log of all organizations, whether the entry exists or not.
  for (const whole of lists.filter((path) => path !== '/admin/v1/audit_logs')) {
    const path = whole.slice('/admin/v1'.length);
    assert.ok((await read(path, secret)).data.length > 0, whole);
    const others = (await read(`${path}?limit=100`)).data.filter(({ id, organization_id: of = id }) =>
      [before, behind].some((other) => other === of),
    );
    assert.ok(others.length >= 2, whole);
    for (const other of others) {
      const query = new URLSearchParams({ after: other['id'] as string }).toString();
      assert.deepEqual((await read(`${path}?${query}`, secret)).data, [], `${whole} ${query}`);
    }
  }
});

test('an organization is found by its name by an admin key of its own, too', async () => {
  const { id: organizationId } = await gateway.accounts.directory.createOrganization('Bound Inc.');
  const { secret } = await gateway.accounts.directory.createAdminKey({ label: 'bound', organizationId });
  const find = async (search: string) =>
    (await read(`/organizations?search=${search}`, secret)).data.map(({ id }) => id);
  assert.deepEqual([await find('bound'), await find('other')], [[organizationId], []]);
});

test('organizations, projects, members and keys are found by a part of their names, in any case and literally', async () => {
  const { directory } = gateway.accounts;
  const { id: organizationId } = await directory.createOrganization('Needle 100% A_B');
  const { id: projectId } = await directory.createProject({ organizationId, name: 'Needle 100% A_B' });
  await directory.createProject({ organizationId, name: 'hay' });
  await directory.addMember({ organizationId, name: 'Ada', email: 'needle@example.com', role: 'member' });
  await directory.addMember({ organizationId, name: 'Eve', role: 'member' });
  await directory.createKey({ projectId, label: 'Needle 100% A_B' });
  await directory.createKey({ projectId, label: 'hay' });
  const within = `organization_id=${organizationId}&`;
  const count = async (list: string, search: string): Promise<number> =>
    (await read(`/${list}search=${encodeURIComponent(search)}`)).data.length;
  for (const list of ['organizations?', `projects?${within}`, `members?${within}`, `keys?${within}`])
    assert.equal(await count(list, 'NEEDLE'), 1, list);
  for (const list of ['organizations?', `projects?${within}`, `keys?${within}`]) {
    assert.equal(await count(list, '0% a_b'), 1, list);
    assert.equal(await count(list, '1%b'), 0, `a pattern in ${list}`);
    assert.equal(await count(list, 'a%_'), 0, `a pattern in ${list}`);
  }
});

test('a request is listed with the names of its sender, and found by each of them', async () => {
  const { apiKey, organizationId } = await gateway.createAccount();
  const call = async (more: JsonObject, headers: Record<string, string>): Promise<void> => {
    const messages = [{ role: 'user', content: 'hello' }];
    const body = { model: 'chat-model', max_tokens: 8, messages, ...more };
    const authorization = `Bearer ${apiKey}`;
    const answer = await gateway.post('/v1/chat/completions', body, { authorization, ...headers });
    await answer.text();
    assert.equal(answer.status, 200);
  };
  await call(
    { user: 'ann', metadata: { job: '7' } },
    {
      'user-agent': 'claude-cli/2.1.329 (external, cli)',
      'x-claude-code-session-id': 'session-1',
      'x-claude-code-agent-id': 'agent-2',
      'x-claude-code-parent-agent-id': 'agent-1',
      'x-gateway-run': 'run-1',
      'x-gateway-turn': 'turn-1',
      'x-gateway-tags': 'team=search',
    },
  );
  await call({}, {});
  const list = async (filter: string): Promise<JsonObject[]> =>
    (await read(`/logs?organization_id=${organizationId}&${filter}`)).data;
  const [other, row = {}] = await list('limit=2');
  const names = {
    session_id: 'session-1',
    agent_id: 'agent-2',
    parent_agent_id: 'agent-1',
    client_name: 'claude-code',
    run_id: 'run-1',
    turn_id: 'turn-1',
    end_user_id: 'ann',
  };
  const expected = {
    ...names,
    client_version: '2.1.329',
    tags: { team: 'search', job: '7' },
    member_id: null,
  };
  assert.deepEqual({ ...row, ...expected }, row);
  const parts = row['usage'] as JsonObject;
  const { input_tokens: input, cached_tokens: read5m, cache_write_tokens: written } = row;
  assert.deepEqual([input, read5m, written], [parts['input_uncached'], 0, 0]);
  assert.deepEqual([other?.['session_id'], other?.['tags'], other?.['end_user_id']], [null, {}, null]);
  const filters = Object.entries(names).map(([name, value]) => `${name}=${value}`);
  for (const filter of [
    ...filters,
    'tag=team',
    'tag=job%3D7',
    'user_agent=claude-cli',
    'search=claude-cli',
  ]) {
    const found = await list(filter);
    assert.deepEqual([found.length, found[0]?.['id']], [1, row['id']], filter);
    assert.deepEqual(await list(filter.replace(/=.*$/, '=nobody')), [], filter);
  }
  assert.equal((await list('until=2001-01-01T00:00:00Z')).length, 0);
});
