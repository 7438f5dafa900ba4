import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type JsonObject, formatUsd, parseUsd } from '#base';
import { type CommandResult, runCommand, spawnCommand } from '../support/command-line.ts';
import { type Gateway, createProviderConfig, startGateway } from '../support/gateway.ts';
import { type MockUpstream, startMockUpstream } from '../support/mock-upstream.ts';
import { stopOrphanDatabase } from '../support/orphan-database.ts';
import { own } from '../support/owned.ts';
import { type TemporaryFolder, createTemporaryFolder } from '../support/temporary.ts';
import { answer, fail } from '../support/upstream-replies.ts';
import { until } from '../support/until.ts';
import { SLOWNESS_MS } from '../support/within.ts';

const CHAT = '/v1/chat/completions';
const BODY = { model: 'mock-model', max_tokens: 100, messages: [{ role: 'user', content: 'hello' }] };
const PROVIDER_KEY = 'sk-canary-of-the-provider';
/** What `ledger check` prints when the books agree. */
const AGREEMENT = { object: 'ledger_check', ok: true, differences: [], waiting: 0, lost: '0' };

let upstream: MockUpstream;
let gateway: Gateway;
let folder: TemporaryFolder;
let dataDir: string;
let configFile: string;
/** Everything that commands printed, except the ones that show a new key. */
let written = '';

before(async () => {
  upstream = await startMockUpstream();
  upstream.script({ reply: answer({ text: 'one two three', chunks: 3 }) });
  folder = createTemporaryFolder('sluice-cli-');
  dataDir = `${folder.path}/data`;
  const config = createProviderConfig(upstream.baseUrl, {}).replace('mock-key', PROVIDER_KEY);
  configFile = folder.write('sluice.yaml', config);
  gateway = await startGateway({ config, dataDir });
});

after(async () => {
  await gateway[Symbol.asyncDispose]();
  await stopOrphanDatabase(dataDir);
  folder.remove();
  await upstream.close();
});

/** Runs a command on the gateway's data and configuration. */
async function run(line: string, env: Record<string, string> = {}): Promise<CommandResult> {
  const place = ['--data-dir', dataDir, '--config', configFile];
  const result = await runCommand([...line.split(' '), ...place], env);
  if (!/^(keys create|claude|codex|opencode|gemini|env)/.test(line)) written += result.stdout + result.stderr;
  return result;
}

/** Runs a command that must succeed; returns its JSON. */
async function runJson(line: string): Promise<JsonObject> {
  const { code, json, stdout, stderr } = await run(`${line} --json`);
  assert.equal(code, 0, `${line}: ${stderr}`);
  assert.ok(json, `${line}: ${stdout}`);
  return json;
}

async function runText(line: string): Promise<string> {
  const { code, stdout, stderr } = await run(line);
  assert.equal(code, 0, `${line}: ${stderr}`);
  return stdout;
}

const listOf = (json: JsonObject): JsonObject[] => json['data'] as JsonObject[];

async function ask(authorization = `Bearer ${gateway.apiKey}`): Promise<Response> {
  return gateway.post(CHAT, BODY, { authorization });
}

async function askForStatus(authorization?: string): Promise<number> {
  const response = await ask(authorization);
  await response.arrayBuffer();
  return response.status;
}

describe('keys', () => {
  test('a key is shown once, listed masked, and disabled, enabled and limited with immediate effect', async () => {
    const created = await runText('keys create --label lifetime --limit 5');
    const [, secret = '', id = ''] =
      /^(slc_\w+)\n(key_\w+); this secret is not shown again\n$/.exec(created) ?? [];
    const authorization = `Bearer ${secret}`;
    assert.equal(await askForStatus(authorization), 200);
    const find = async () => listOf(await runJson('keys list')).find((key) => key['id'] === id);
    const listed = await find();
    assert.equal(listed?.['masked'], `slc_…${secret.slice(-4)}`);
    assert.deepEqual([listed['limit'], listed['disabled'], listed['label']], ['5', false, 'lifetime']);
    assert.match(
      await runText('keys list'),
      new RegExp(`${id} +slc_….{4} +lifetime +– +0\\.\\d+ +5 +enabled`),
    );
    assert.equal((await runJson(`keys disable ${id}`))['disabled'], true);
    await until('it is refused', async () => (await askForStatus(authorization)) === 401);
    assert.match(await runText(`keys enable ${id}`), /is enabled/);
    await until('it is let in', async () => (await askForStatus(authorization)) === 200);
    assert.equal((await runJson(`keys limit ${id} 0.000001`))['limit'], '0.000001');
    const refused = await ask(authorization);
    assert.equal(refused.status, 402);
    assert.match(await refused.text(), /key_limit_reached/);
    assert.equal((await runJson(`keys limit ${id} none`))['limit'], null);
    assert.equal(await askForStatus(authorization), 200);
  });

  test('a list can be narrowed to a project or an organization', async () => {
    const { organization_id: organizationId, project_id: projectId } = gateway.line;
    const { id: other } = await runJson('orgs create Narrow');
    const filters = ['', ` --project ${projectId} --org ${organizationId}`, ` --org ${other as string}`];
    const [all, ours, none] = await Promise.all(filters.map((filter) => runJson(`keys list${filter}`)));
    assert.deepEqual(ours, all);
    assert.deepEqual(listOf(none ?? {}), []);
  });
});

describe('logs', () => {
  test('rows are narrowed by model, ending, key, project and time, and one is shown whole', async () => {
    const { id, authorization } = await gateway.createKey();
    const requestId = (await ask(authorization)).headers.get('x-request-id') ?? '';
    await gateway.post(CHAT, { ...BODY, model: 'nothing' }, { authorization });
    const count = async (filter: string) => listOf(await runJson(`logs --key ${id}${filter}`)).length;
    const filters = [
      '',
      ' --model mock-model',
      ' --finish client_error',
      ' --error model_not_found',
      ' --limit 1',
    ];
    const { id: other } = await runJson(`projects create --org ${gateway.line.organization_id} narrow`);
    filters.push(' --since 1h', ` --since 2020-01-01 --project ${other as string}`);
    assert.deepEqual(await Promise.all(filters.map(count)), [2, 1, 1, 1, 1, 2, 0]);
    const row = await runJson(`logs --request ${requestId}`);
    assert.deepEqual(
      [row['id'], row['finish_reason'], row['key_id'], row['requested_model']],
      [requestId, 'completed', id, 'mock-model'],
    );
    const text = await runText(`logs --request ${requestId}`);
    assert.ok(text.includes(requestId) && text.includes('completed'), text);
    assert.match(await runText('logs --limit 1'), /^TIME +STATUS .*\n.* 404 +model_not_found +nothing/);
  });

  test('--follow shows a new row within 2 s', async () => {
    const args = ['src/main.ts', 'logs', '--follow', '--json', '--limit', '1', '--data-dir', dataDir];
    const child = own(
      spawn(process.execPath, args, {
        cwd: fileURLToPath(new URL('../..', import.meta.url)),
        detached: true,
        stdio: ['ignore', 'pipe', 'inherit'],
      }),
    );
    const lines = createInterface({ input: child.stdout });
    const seen = new Map<string, number>();
    lines.on('line', (line) => {
      written += `${line}\n`;
      seen.set((JSON.parse(line) as { id: string }).id, performance.now());
    });
    await once(lines, 'line'); // already there
    const asked = new Map<string, number>();
    for (let number = 0; number < 3; number += 1) {
      const response = await ask();
      asked.set(response.headers.get('x-request-id') ?? '', performance.now());
      await response.arrayBuffer();
    }
    while (seen.size < 4) await once(lines, 'line', { signal: AbortSignal.timeout(15_000) });
    child.kill('SIGINT');
    const [code] = (await once(child, 'close')) as [number];
    assert.equal(code, 0);
    for (const [id, askedMs] of asked)
      assert.ok((seen.get(id) ?? Infinity) - askedMs < 2_000 + SLOWNESS_MS, id);
  });
});

describe('what there is', () => {
  test('projects, providers, models and the configuration are listed for people and for machines', async () => {
    const { organization_id: organizationId, project_id: projectId } = gateway.line;
    const [project] = listOf(await runJson('projects list'));
    assert.deepEqual([project?.['id'], project?.['organization_id']], [projectId, organizationId]);
    assert.match(await runText('projects list'), new RegExp(`^${projectId} .*${organizationId}$`, 'm'));
    assert.match(await runText('orgs list'), new RegExp(`^${organizationId} .*not metered$`, 'm'));
    const providers = listOf(await runJson('providers list'));
    assert.ok(providers.some((provider) => provider['id'] === 'mock'));
    assert.match(await runText('providers list'), /mock +chat +1 /);
    const ids = (json: JsonObject) => listOf(json).map((model) => model['id']);
    assert.deepEqual(ids(await runJson('models mock')), ['mock-model']);
    assert.ok(ids(await runJson('models claude --mapped')).includes('anthropic/claude-sonnet-5'));
    assert.ok(!ids(await runJson('models --live')).includes('claude-sonnet-5'));
    assert.match(await runText('models mock-model'), /mock-model +200000 +32000 +3 +15 +mock/);
    assert.equal((await runJson('config check'))['ok'], true);
    assert.match(await runText('config check'), /mock +chat +1 +\S+ +http:/);
  });

  test('providers are tried for real: a good answer is 0, a refusal 1 with the reason', async () => {
    const [good] = listOf(await runJson('providers test'));
    assert.deepEqual([good?.['provider_id'], good?.['ok']], ['mock', true]);
    upstream.script({
      match: { marker: 'Say ok.' },
      reply: fail(401, 'authentication_error', { message: `no such key: ${PROVIDER_KEY}` }),
    });
    const bad = await run('providers test mock');
    assert.equal(bad.code, 1);
    assert.match(bad.stdout, /mock +failed \(401\)/);
  });

  test('doctor and `ledger check` work while a gateway runs', async () => {
    const doctor = await runJson('doctor');
    assert.equal(doctor['ok'], true);
    assert.match(await runText('doctor'), new RegExp(`process ${gateway.pid}\\) listens on ${gateway.url}`));
    assert.deepEqual(await runJson('ledger check'), AGREEMENT);
    assert.equal(await runText('ledger check'), 'the books agree\n');
  });
});

const MISUSES: [line: string, sentence: RegExp, code: 1 | 2][] = [
  ['nonsense', /unknown command 'nonsense'/, 2],
  ['keys nonsense', /unknown command 'nonsense'/, 2],
  ['keys create --limit -1', /decimal amount of USD/, 2],
  ['keys create --project prj_none', /"prj_none" is neither the id nor the name of a project/, 1],
  ['keys disable', /missing required argument 'id'/, 2],
  ['keys disable key_none --json', /"key_none" is neither the id nor the name of a key/, 1],
  ['keys limit key_none 1', /"key_none" is neither the id nor the name of a key/, 1],
  ['credits add 5', /--org/, 2],
  ['credits add --org org_none 5', /"org_none" is neither the id nor the name of an organization/, 1],
  ['cache set --ttl 9', /10 to 31536000/, 2],
  ['logs --since yesterday', /30m, 2h, 7d/, 2],
  ['logs --request req_none', /no row for the request req_none/, 1],
  ['models --lively', /unknown option '--lively'/, 2],
  ['env cobol', /openai, anthropic/, 2],
  ['start --port 99999', /port from 0 to 65535/, 1],
];

test('misuse gets one clear sentence and an exit code that is not 0', async () => {
  const results = await Promise.all(MISUSES.map(([line]) => run(line)));
  for (const [index, [line, sentence, code]] of MISUSES.entries()) {
    const result = results[index];
    assert.equal(result?.code, code, `${line}: ${result?.stderr}`);
    assert.match(result.stderr, sentence, line);
    assert.doesNotMatch(result.stderr, / {4}at |node:internal/, line);
    assert.equal(result.stdout, '', line);
  }
});

test('the list of commands leads to the help of each', async () => {
  const { code, stdout } = await spawnCommand(['--help']);
  assert.equal(code, 0);
  const [, list = ''] = stdout.split('Start and look:\n');
  const names = [...list.matchAll(/^ {2}([a-z-]+)/gm)]
    .map(([, name = '']) => name)
    .filter((name) => name !== 'help');
  assert.ok(names.length >= 40, stdout);
  const helps = await Promise.all(names.map((name) => runCommand([name, '--help'])));
  for (const [index, help] of helps.entries()) {
    assert.equal(help.code, 0);
    assert.ok(help.stdout.startsWith(`Usage: sluice ${names[index]}`), help.stdout);
  }
});

test('an organization can spend all its credits, then gets 402 until it has more', async () => {
  const { organization_id: organizationId } = gateway.line;
  const add = async (rest: string) => runJson(`credits add --org ${organizationId} ${rest}`);
  assert.equal((await add('0.0001'))['balance'], '0.0001');
  const refused = await ask();
  assert.equal(refused.status, 402);
  const { error } = (await refused.json()) as { error: { code: string; message: string } };
  assert.equal(error.code, 'credits_exhausted');
  assert.match(error.message, /0\.0001/);
  const more = await add('100 --idempotency-key invoice-1');
  assert.equal(more['balance'], '100.0001');
  assert.equal((await add('100 --idempotency-key invoice-1'))['balance'], '100.0001', 'added once');
  const response = await ask();
  const { usage } = (await response.json()) as {
    usage: { prompt_tokens: number; completion_tokens: number };
  };
  const cost = BigInt(usage.prompt_tokens) * 3_000_000n + BigInt(usage.completion_tokens) * 15_000_000n;
  const left = formatUsd((parseUsd('100.0001') ?? 0n) - cost);
  assert.equal(listOf(await runJson('orgs list'))[0]?.['balance'], left);
  assert.match(await runText(`credits add --org ${organizationId} $0.5`), /has [\d.]+ USD of credits left/);
  assert.deepEqual(await runJson('ledger check'), AGREEMENT);
});

test('without a running gateway the same commands work on the same data', async () => {
  const lists = ['keys list', 'projects list', 'logs', 'ledger check'];
  const running = await Promise.all(lists.map(runJson));
  assert.equal(await gateway.stop(), 0);
  for (const [index, line] of lists.entries()) assert.deepEqual(await runJson(line), running[index], line);
  assert.equal((await runJson('doctor'))['ok'], true);
  const { code, stderr } = await run('env openai');
  assert.equal(code, 0);
  assert.match(stderr, /no gateway runs on this data directory; start one with: npx sluice start/);
});

test('nothing that was written holds a secret', () => {
  const secrets = [
    gateway.apiKey,
    gateway.adminKey,
    PROVIDER_KEY,
    readFileSync(`${dataDir}/secret`, 'utf8').trim(),
  ];
  for (const secret of secrets) assert.ok(!written.includes(secret), `${secret.slice(0, 8)}…`);
  assert.doesNotMatch(written, /slc(adm)?_[A-Za-z0-9]{8}/);
  assert.ok(written.length > 10_000);
});
