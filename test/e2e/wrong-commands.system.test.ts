import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import type { JsonObject } from '#base';
import { runCommand } from '../support/command-line.ts';
import { createProviderConfig } from '../support/gateway.ts';
import type { InProcessGateway } from '../support/in-process.ts';
import { type CommandScene, SECRET, openCommandScene } from '../support/command-scene.ts';
import { type MockUpstream, findClosedPort } from '../support/mock-upstream.ts';

let scene: CommandScene;
let gateway: InProcessGateway;
let upstream: MockUpstream;

before(async () => {
  scene = await openCommandScene();
  ({ gateway, upstream } = scene);
});
after(() => scene[Symbol.asyncDispose]());

const run = (line: string): Promise<JsonObject> => gateway.run(...line.split(' '));

/** Every organization, project and key as it is now, with the changes so far. */
async function readAll(): Promise<unknown> {
  const lists = [
    'orgs list',
    'projects list',
    'keys list',
    'rules list',
    'session-tokens list --all',
    'audit',
  ];
  return Promise.all(lists.map(run));
}

/** As if its time had come. */
async function endKey(id: string): Promise<void> {
  await gateway.database.query({
    text: `UPDATE api_key SET expires_at = now() - interval '1 minute' WHERE id = $1`,
    values: [id],
  });
}

test('what is asked wrongly is refused with what to do instead, and changes nothing', async () => {
  const { id: key } = await gateway.createKey('--label', 'kept');
  const { id: dead } = await gateway.createKey('--label', 'dead');
  await run(`keys delete ${dead}`);
  const { id: ended } = await gateway.createKey('--label', 'ended', '--expires', '1d');
  await endKey(ended);
  const { organizationId: org } = gateway.account;
  const unknownKey = /there is no such key.*npx sluice keys list/;
  const unknownOrganization =
    /"org_none" is neither the id nor the name of an organization.*npx sluice orgs list/;
  const cases: [line: string, message: RegExp, code: 1 | 2][] = [
    [`keys expire ${key} 2020-01-01`, /not in the future.*keys disable/, 2],
    [`keys expire ${key} 0s`, /not in the future/, 2],
    [`keys expire ${key} 2099-02-31`, /2030-01-31/, 2],
    [`keys expire ${key} 999999999d`, /before the year 10000/, 2],
    [
      'keys expire key_none 30d',
      /"key_none" is neither the id nor the name of a key.*npx sluice keys list/,
      1,
    ],
    ['keys create --expires 2020-01-01', /not in the future/, 2],
    ['keys create --expires 2099-02-31T00:00:00Z', /2030-01-31/, 2],
    [
      'keys create --project prj_none',
      /neither the id nor the name of a project.*npx sluice projects list/,
      1,
    ],
    ['keys create --limit 1000000000000000', /at most 15 digits/, 2],
    ['keys create --recurring 5/year', /USD\/week/, 2],
    [`keys limit ${dead} 5`, unknownKey, 1],
    [`keys limit ${key} -5`, /decimal amount/, 2],
    [`keys recurring ${dead} 5/day`, unknownKey, 1],
    [`keys recurring ${key} 5`, /USD\/day/, 2],
    [`session-tokens create --key ${ended} --limit 1`, /has expired.*npx sluice keys list/, 1],
    [`session-tokens create --key ${key} --limit 1 --ttl 1s`, /from 1m to 24h/, 2],
    [`credits add --org ${org} 0`, /positive amount/, 2],
    [`credits add --org ${org} -5`, /decimal amount/, 2],
    [`session-tokens create --key ${key} --limit 0`, /positive amount/, 2],
    ['credits add --org org_none 5', unknownOrganization, 1],
    ['plans set --org org_none --plan none', unknownOrganization, 1],
    [`plans set --org ${org} --plan gold`, /lite, pro, max, none/, 2],
    ['plans show --org org_none', unknownOrganization, 1],
    [
      'payloads delete --project prj_none',
      /neither the id nor the name of a project.*npx sluice projects list/,
      1,
    ],
    ['ledger explain req_none', /no such request.*npx sluice logs/, 1],
    ['dashboard-sessions end dash_none', /no such dashboard session.*npx sluice dashboard-sessions list/, 1],
    ['logs --payload', /--request/, 2],
    ['rules add deny-models x', /name one of --org, --project and --key\n\(add --help/, 2],
    ['rules add --org a --key b deny-models x', /name one of --org, --project and --key/, 2],
    ['replay --model mock-model', /name what to replay/, 2],
    ['replay --model mock-model --request req_1 --last 1d', /leave out the other filters/, 2],
    ['route explain mock-model --session s', /--key/, 2],
    ['catalogue diff feed.json --prices list.json', /name a feed or a list of prices, not both/, 2],
    ['videos webhook', /either --url or --off/, 2],
    [`provider-keys set --org ${org} openai`, /no key was given/, 2],
    ['keys create --member mem_none', /neither the id nor the name of a member.*npx sluice members list/, 1],
    ['logs --since 5', /7d/, 2],
    ['usage --until 2099-02-31', /7d/, 2],
  ];
  const before = await readAll();
  const results = await Promise.all(cases.map(([line]) => gateway.cli(...line.split(' '))));
  for (const [index, [line, message, code]] of cases.entries()) {
    const result = results[index];
    assert.equal(result?.code, code, `${line}: ${result?.stdout}${result?.stderr}`);
    assert.match(result.stderr, message, line);
    assert.equal(result.stdout, '', line);
  }
  assert.deepEqual(await readAll(), before);
});

const NO_ID = {
  organization: '"nosuch" is neither the id nor the name of an organization',
  project: '"nosuch" is neither the id nor the name of a project',
  key: '"nosuch" is neither the id nor the name of a key',
  member: '"nosuch" is neither the id nor the name of a member',
};

test('a filter by what is neither an id nor a name is refused by every report and list, in text and JSON', async () => {
  const lines: [line: string, what: string][] = [
    ['usage --project nosuch', NO_ID.project],
    ['usage --org nosuch --json', NO_ID.organization],
    ['usage --member nosuch', NO_ID.member],
    ['logs --key nosuch', NO_ID.key],
    ['logs --token nosuch', 'there is no such session token'],
    ['logs --follow --key nosuch', NO_ID.key],
    ['sessions list --project nosuch', NO_ID.project],
    ['cache-misses --org nosuch', NO_ID.organization],
    ['advise --project nosuch', NO_ID.project],
    ['what-if --model mock-model --key nosuch', NO_ID.key],
    ['experiments --project nosuch', NO_ID.project],
    ['replay --project nosuch --model mock-model --dry-run', NO_ID.project],
    ['budgets --org nosuch', NO_ID.organization],
    ['keys list --project nosuch', NO_ID.project],
  ];
  for (const [line, what] of lines) {
    const result = await gateway.cli(...line.split(' '), '--config', gateway.configFile);
    assert.equal(result.code, 1, `${line}: ${result.stdout}`);
    assert.match(result.stderr, new RegExp(`^error: ${what} \\(npx sluice .* shows what there is\\)`), line);
    assert.equal(result.stdout, '', line);
  }
});

test('what is deleted, or has no requests, is still known to filters, and so is no id at all', async () => {
  const { id: dead } = await gateway.createKey('--label', 'dead');
  await run(`keys delete ${dead}`);
  const { id: project } = (await run(`projects create --org ${gateway.account.organizationId} idle`)) as {
    id: string;
  };
  for (const filter of [`--key ${dead}`, `--project ${project}`, '--model nosuch --since 1h']) {
    assert.deepEqual(await run(`usage ${filter}`), { object: 'list', data: [], total: null }, filter);
    const page = { object: 'list', data: [], first_id: null, last_id: null, has_more: false };
    assert.deepEqual(await run(`logs ${filter}`), page, filter);
  }
  assert.equal((await gateway.cli('usage', '--member', '')).code, 0);
});

test('a model, provider or client that no request has is named beside the empty result', async () => {
  const filters = ['--model gone', '--provider gone', '--client gone'];
  for (const filter of filters)
    for (const command of ['usage', 'logs']) {
      const { code, stderr } = await gateway.cli(command, ...filter.split(' '));
      assert.equal(code, 0);
      assert.match(
        stderr,
        /^no request (was answered by|came from) the \w+ "gone"; npx sluice usage --by/,
        filter,
      );
    }
});

test('a command that is given an unknown model suggests similar names, as the gateway does', async () => {
  for (const line of [
    'what-if --model mock-modle',
    'replay --model mock-modle --last 1d --dry-run',
    'route explain mock-modle',
  ]) {
    const { code, stderr } = await gateway.cli(...line.split(' '), '--config', gateway.configFile);
    assert.equal(code, 1, line);
    const text = 'error: model "mock-modle" does not exist; did you mean mock-model?';
    assert.equal(stderr, `${text} (npx sluice models shows what there is)\n`, line);
  }
});

test('a filter by another name of a model says which name its requests have', async () => {
  for (const [line, hint] of [
    ['usage --model mock/mock-model', 'ask for the model mock-model and the provider mock'],
    ['usage --model claude-haiku-4.5', 'it is another name of claude-haiku-4-5: ask for that'],
    [
      'what-if --model mock-model --from claude-haiku-4.5',
      'it is another name of claude-haiku-4-5: ask for that',
    ],
  ] as const) {
    const { stderr } = await gateway.cli(...line.split(' '), '--config', gateway.configFile);
    assert.match(stderr, /^no request was answered by the model "/, line);
    assert.ok(stderr.endsWith(`; ${hint}\n`), stderr);
  }
});

test('commands that need no key work where variables of keys and other systems are not set; others name the variable', async () => {
  const text = createProviderConfig(upstream.baseUrl, {})
    .replace('mock-key', '${UNSET_KEY}')
    .concat('alerts: { webhook: { url: "https://example.com/${UNSET_PATH}" } }\n')
    .concat('exports: [{ name: a, type: http, url: "https://example.com", secret: "${UNSET_SECRET}" }]\n');
  const file = `${gateway.dataDir}/unset.yaml`;
  writeFileSync(file, text);
  const read = (line: string) => gateway.cli(...line.split(' '), '--config', file);
  for (const line of [
    'what-if --model mock-model',
    'advise',
    'models mock',
    'route explain mock-model',
    'providers list',
    'plans list',
    'claude --key k',
  ]) {
    const { code, stdout, stderr } = await read(line);
    assert.equal(code, 0, `${line}: ${stderr}`);
    assert.doesNotMatch(stdout, /UNSET/, line);
  }
  const { stderr, code } = await read('providers test mock');
  assert.equal(code, 1);
  for (const name of ['UNSET_KEY', 'UNSET_PATH', 'UNSET_SECRET'])
    assert.match(stderr, new RegExp(`variable ${name} is not set`));
  writeFileSync(file, text.replace(upstream.baseUrl, '${UNSET_ADDRESS}'));
  assert.match((await read('advise')).stderr, /variable UNSET_ADDRESS is not set/);
});

test('an unavailable database is reported with its reason, once, and without advice for clients', async () => {
  const port = await findClosedPort();
  const { code, stderr } = await runCommand(['keys', 'list'], {
    DATABASE_URL: `postgres://u:planted-password@127.0.0.1:${port}/x`,
    SLUICE_SECRET: SECRET,
  });
  assert.equal(code, 1);
  const reason = `connect ECONNREFUSED 127.0.0.1:${port}`;
  assert.equal(stderr, `error: the database is unavailable: ${reason} (see npx sluice doctor)\n`);
});

test('an alert to try warns where none are configured, and is still queued', async () => {
  const { code, json, stderr } = await gateway.cli('alerts', 'test');
  assert.deepEqual([code, json], [0, { queued: true }]);
  assert.match(stderr, /^warning: no `alerts` are configured here/);
});

test('the text of a command agrees in number', async () => {
  const { projectId, organizationId: org } = gateway.account;
  const say = async (...args: string[]): Promise<string> => {
    const env = { DATABASE_URL: gateway.databaseUrl, SLUICE_SECRET: SECRET };
    return (await runCommand(args, env)).stdout;
  };
  assert.match(await say('payloads', 'set', '--project', projectId, '--days', '1'), /for 1 day;/);
  assert.match(
    await say('orgs', 'limits', org, '--rpm', '1'),
    /: 1 request and any number of tokens a minute/,
  );
  await run(`payloads set --project ${projectId} --days off`);
  await run(`orgs limits ${org} --rpm none`);
});

test('the recurring limit of a key can be set, is applied, and can be removed', async () => {
  const { id, authorization } = await gateway.createKey('--label', 'renewing');
  const ask = async (): Promise<number> => {
    const body = { model: 'mock-model', max_tokens: 10, messages: [{ role: 'user', content: 'hello' }] };
    const response = await gateway.post('/v1/chat/completions', body, { authorization });
    await response.arrayBuffer();
    return response.status;
  };
  const set = (limit: string) => run(`keys recurring ${id} ${limit}`);
  const weekly = { amount: '0.000001', period: 'week' };
  assert.deepEqual((await set('0.000001/week'))['recurring_limit'], weekly);
  assert.equal(await ask(), 402);
  assert.equal((await set('none'))['recurring_limit'], null);
  assert.equal(await ask(), 200);
});

test('a manifest may contain an ended key: export writes it, apply creates it', async () => {
  const file = `${gateway.dataDir}/accounts.yaml`;
  writeFileSync(
    file,
    'organizations: [{ name: Past, projects: [{ name: web, keys: [{ label: old, expiresAt: 2020-01-01 }] }] }]',
  );
  const made = await run(`apply -f ${file} --yes`);
  assert.equal((made['done'] as JsonObject[]).length, 3);
  assert.equal((await gateway.cli('export', '-o', file)).code, 0);
  assert.match(readFileSync(file, 'utf8'), /expiresAt: 2020-01-01T00:00:00.000Z/);
  assert.deepEqual((await run(`apply -f ${file} --yes`))['changes'], []);
});

test('lists of commands are read whole, or page by page', async () => {
  for (const name of ['one', 'two']) {
    const { id } = (await run(`orgs create ${name}`)) as { id: string };
    const project = (await run(`projects create --org ${id} web`)) as { id: string };
    await run(`keys create --project ${project.id}`);
  }
  for (const list of ['orgs list', 'projects list', 'keys list', 'admin-keys list']) {
    const { data, has_more: more } = await run(list);
    assert.equal(more, false, list);
    const ids: unknown[] = [];
    for (let after = '', hasMore = true; hasMore;) {
      const page = await run(`${list} --limit 1${after}`);
      ids.push(...(page['data'] as JsonObject[]).map(({ id }) => id));
      after = ` --after ${page['last_id'] as string}`;
      hasMore = page['has_more'] === true;
    }
    assert.deepEqual(
      ids,
      (data as JsonObject[]).map(({ id }) => id),
      list,
    );
  }
});
