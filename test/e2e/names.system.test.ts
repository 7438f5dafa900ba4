import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { runCommand } from '../support/command-line.ts';
import { type CommandScene, SECRET, openCommandScene } from '../support/command-scene.ts';
import type { InProcessGateway } from '../support/in-process.ts';

const CHAT = { model: 'mock-model', max_tokens: 10, messages: [{ role: 'user', content: 'hello' }] };

let scene: CommandScene;
let gateway: InProcessGateway;
let ids: Record<'org' | 'project' | 'member' | 'key' | 'twin', string>;

before(async () => {
  scene = await openCommandScene();
  ({ gateway } = scene);
  const create = async (...words: string[]): Promise<string> => (await gateway.run(...words))['id'] as string;
  const org = await create('orgs', 'create', 'Initech');
  const project = await create('projects', 'create', '--org', org, 'web shop');
  const member = await create('members', 'add', 'Ada', '--org', org, '--limit', '5');
  const createKey = (label: string) =>
    gateway.createKey('--project', project, '--member', member, '--label', label);
  const key = await createKey('laptop');
  const twins = [await createKey('ci'), await createKey('ci')];
  ids = { org, project, member, key: key.id, twin: twins[0]?.id ?? '' };
  for (const { authorization } of [key, ...twins]) {
    const headers = { authorization, 'x-session-id': `session of ${authorization.slice(-4)}` };
    const response = await gateway.post('/v1/chat/completions', CHAT, headers);
    assert.equal(response.status, 200, await response.text());
  }
});
after(() => scene[Symbol.asyncDispose]());

/** What a command prints for people. */
async function read(...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await runCommand(words, {
    DATABASE_URL: gateway.databaseUrl,
    SLUICE_SECRET: SECRET,
  });
  assert.equal(code, 0, `${words.join(' ')}: ${stderr}`);
  return stdout;
}

test('usage is listed by names, with the id where a name is that of several, and by ids in JSON', async () => {
  for (const [by, name] of [
    ['organization', 'Initech'],
    ['project', 'web shop'],
    ['member', 'Ada'],
    ['key', 'laptop'],
    ['key', `ci \\(${ids.twin}\\)`],
  ] as const)
    assert.match(await read('usage', '--by', by, '--org', ids.org), new RegExp(`^${name} +\\d`, 'm'), by);
  const { data } = (await gateway.run('usage', '--by', 'member')) as { data: object[] };
  assert.deepEqual(
    data.map((line) => Reflect.get(line, 'group') as unknown),
    [{ member: ids.member }],
  );
});

test('usage by session token shows whose each is', async () => {
  const token = await gateway.run(
    'session-tokens',
    'create',
    '--key',
    ids.key,
    '--limit',
    '1',
    '--user',
    'bob',
  );
  const authorization = `Bearer ${token['secret'] as string}`;
  await (await gateway.post('/v1/chat/completions', CHAT, { authorization })).arrayBuffer();
  const text = await read('usage', '--by', 'token', '--member', ids.member);
  assert.ok(text.includes(`${token['id'] as string} (bob)`), text);
});

test('requests and sessions are listed with the label of their key, shortened, and distinguished where labels are the same', async () => {
  for (const list of [['logs'], ['sessions', 'list']]) {
    const text = await read(...list, '--project', ids.project);
    assert.match(text, /^.* KEY /);
    assert.match(text, / laptop /);
    assert.ok(text.includes(` ci …${ids.twin.slice(-4)} `), text);
  }
});

test('keys are listed with the names of their members, and of projects and organizations where there are several', async () => {
  const all = await read('keys', 'list');
  assert.match(all, /^ID .* MEMBER +PROJECT +ORGANIZATION /);
  assert.match(all, new RegExp(`^${ids.key} .* laptop +Ada +web shop +Initech `, 'm'));
  const own = await read('keys', 'list', '--project', ids.project);
  assert.match(own, /^ID .* MEMBER +USED/);
});

test('members and budgets are listed with the names of organizations where there are several', async () => {
  const { organizationId } = gateway.account;
  await gateway.run('members', 'add', 'Bob', '--org', organizationId, '--limit', '6');
  for (const list of [['members', 'list'], ['budgets']]) {
    const text = await read(...list);
    assert.match(text, /^ID +NAME .*ORGANIZATION /);
    assert.match(text, new RegExp(`^\\S+ +Ada .* Initech `, 'm'));
    assert.doesNotMatch(await read(...list, '--org', ids.org), /ORGANIZATION/);
  }
});

test('an organization, project, member or key is named by its name wherever it is by its id', async () => {
  const lines: [line: string[], member: string, id: string][] = [
    [['members', 'add', 'Eve', '--org', 'Initech'], 'organization_id', ids.org],
    [['projects', 'create', '--org', 'Initech', 'other'], 'organization_id', ids.org],
    [
      ['keys', 'create', '--project', 'web shop', '--member', 'Ada', '--label', 'new'],
      'member_id',
      ids.member,
    ],
    [['keys', 'limit', 'laptop', '7'], 'id', ids.key],
    [['members', 'role', 'Ada', 'admin'], 'id', ids.member],
    [['cache', 'set', '--project', 'web shop', '--ttl', '60'], 'id', ids.project],
    [['rules', 'add', '--key', 'laptop', 'free-only'], 'subject_id', ids.key],
    [['session-tokens', 'create', '--key', 'laptop', '--limit', '1'], 'key_id', ids.key],
    [['orgs', 'limits', 'Initech', '--rpm', '600'], 'id', ids.org],
  ];
  for (const [line, member, id] of lines)
    assert.equal((await gateway.run(...line))[member], id, line.join(' '));
  for (const line of [
    ['logs', '--key', 'laptop'],
    ['usage', '--project', 'web shop'],
    ['sessions', 'list', '--org', 'Initech'],
    ['rules', 'list', '--key', 'laptop'],
    ['keys', 'list', '--member', 'Ada'],
    ['budgets', '--org', 'Initech'],
  ])
    assert.notDeepEqual((await gateway.run(...line))['data'], [], line.join(' '));
});

test('a name of several is refused with their ids, and one within the named project or organization is found', async () => {
  await gateway.run('projects', 'create', '--org', ids.org, 'default');
  const refused = await gateway.cli('logs', '--key', 'ci');
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /^error: 2 keys are named "ci"; name one by its id: key_\S+, key_\S+\n$/);
  assert.ok(refused.stderr.includes(ids.twin));
  assert.match(
    (await gateway.cli('usage', '--project', 'default')).stderr,
    /^error: 2 projects are named "default"/,
  );
  assert.equal((await gateway.cli('usage', '--project', 'default', '--org', 'Initech')).code, 0);
});

test('what is neither an id nor a name is repeated in the refusal', async () => {
  for (const [line, text] of [
    [
      ['keys', 'list', '--org', 'Acme Inc'],
      '"Acme Inc" is neither the id nor the name of an organization (npx sluice orgs list',
    ],
    [['keys', 'disable', 'lap'], '"lap" is neither the id nor the name of a key (npx sluice keys list'],
    [
      ['logs', '--member', 'ada'],
      '"ada" is neither the id nor the name of a member (npx sluice members list',
    ],
  ] as const) {
    const { code, stderr } = await gateway.cli(...line);
    assert.deepEqual([code, stderr], [1, `error: ${text} shows what there is)\n`]);
  }
});
