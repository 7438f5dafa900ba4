import assert from 'node:assert/strict';
import { chmodSync, statSync } from 'node:fs';
import { after, before, test } from 'node:test';
import type { JsonObject } from '#base';
import { runCommand, spawnCommand } from '../support/command-line.ts';
import { type Gateway, createProviderConfig, startGateway } from '../support/gateway.ts';
import { type MockUpstream, startMockUpstream } from '../support/mock-upstream.ts';
import { stopOrphanDatabase } from '../support/orphan-database.ts';
import { type TemporaryFolder, createTemporaryFolder } from '../support/temporary.ts';
import { answer } from '../support/upstream-replies.ts';

let upstream: MockUpstream;
let gateway: Gateway;
let folder: TemporaryFolder;
let dataDir: string;

before(async () => {
  upstream = await startMockUpstream();
  upstream.script({ reply: answer({ text: 'one two three', chunks: 3 }) });
  folder = createTemporaryFolder('sluice-clients-');
  dataDir = `${folder.path}/data`;
  gateway = await startGateway({ config: createProviderConfig(upstream.baseUrl, {}), dataDir });
});

after(async () => {
  await gateway[Symbol.asyncDispose]();
  await stopOrphanDatabase(dataDir);
  folder.remove();
  await upstream.close();
});

/** Runs a command on the gateway's data that must succeed; returns its output. */
async function runText(line: string): Promise<string> {
  const { code, stdout, stderr } = await runCommand([...line.split(' '), '--data-dir', dataDir]);
  assert.equal(code, 0, `${line}: ${stderr}`);
  return stdout;
}

async function runJson(line: string): Promise<JsonObject> {
  return JSON.parse(await runText(`${line} --json`)) as JsonObject;
}

async function askForStatus(authorization: string): Promise<number> {
  const body = { model: 'mock-model', max_tokens: 100, messages: [{ role: 'user', content: 'hello' }] };
  const response = await gateway.post('/v1/chat/completions', body, { authorization });
  await response.text();
  return response.status;
}

const readVariables = (text: string): Partial<Record<string, string>> =>
  Object.fromEntries(
    [...text.matchAll(/^export (\w+)=(.*)$/gm)].map(([, name = '', value]) => [name, value]),
  );

test('env prints what an SDK needs, and the key works', async () => {
  const openai = readVariables(await runText('env openai'));
  assert.equal(openai['OPENAI_BASE_URL'], `${gateway.url}/v1`);
  assert.equal(await askForStatus(`Bearer ${openai['OPENAI_API_KEY']}`), 200);
  const anthropic = await runJson(`env anthropic --key ${gateway.apiKey}`);
  assert.equal(anthropic['ANTHROPIC_BASE_URL'], gateway.url);
  assert.equal(anthropic['ANTHROPIC_AUTH_TOKEN'], gateway.apiKey);
  assert.match(await runText(`env openai --key k --shell fish`), /^set -gx OPENAI_API_KEY 'k'$/m);
});

test('a client has one key however often its command runs, and a new one once that is disabled', async () => {
  const key = async () => readVariables(await runText('codex'))['SLUICE_API_KEY'];
  const first = await key();
  assert.equal(await key(), first);
  assert.equal(statSync(`${dataDir}/clients/codex.key`).mode & 0o777, 0o600);
  const listed = async () => (await runJson('keys list'))['data'] as JsonObject[];
  const [{ id } = {}] = (await listed()).filter(({ label }) => label === 'codex');
  await runText(`keys disable ${id as string}`);
  const second = await key();
  assert.notEqual(second, first);
  assert.equal(await askForStatus(`Bearer ${second}`), 200);
  assert.equal(await key(), second);
});

test('a misspelt option or address of a client is refused before a key is created', async () => {
  const keys = async (): Promise<unknown> => runJson('keys list');
  const before = await keys();
  for (const [line, message] of [
    ['claude --rum', /--rum: Claude Code is not started without --run/],
    ['codex exec hello', /exec hello: Codex is not started without --run/],
    ['gemini --url 127.0.0.1', /Write an address such as http/],
    ['env openai --url nonsense', /Write an address such as http/],
  ] as const) {
    const { code, stdout, stderr } = await runCommand([...line.split(' '), '--data-dir', dataDir]);
    assert.deepEqual([code, stdout], [2, ''], `${line}: ${stderr}`);
    assert.match(stderr, message, line);
  }
  assert.deepEqual(await keys(), before);
});

test('an address may be given with or without /v1, and each client gets the form it needs', async () => {
  for (const url of ['https://llm.example.com', 'https://llm.example.com/v1/']) {
    const openai = await runJson(`env openai --key k --url ${url}`);
    assert.equal(openai['OPENAI_BASE_URL'], 'https://llm.example.com/v1');
    const claude = await runJson(`claude --key k --url ${url}`);
    assert.equal(claude['ANTHROPIC_BASE_URL'], 'https://llm.example.com');
  }
});

test('claude prints the variables, or runs Claude Code with them and hands on its exit code', async () => {
  const printed = readVariables(await runText('claude --model mock-model'));
  assert.equal(printed['ANTHROPIC_BASE_URL'], gateway.url);
  assert.equal(await askForStatus(`Bearer ${printed['ANTHROPIC_AUTH_TOKEN']}`), 200);
  const program = folder.write(
    'bin/claude',
    '#!/bin/sh\necho "$ANTHROPIC_BASE_URL $ANTHROPIC_API_KEY $*"\nexit 7\n',
  );
  chmodSync(program, 0o755);
  const env = { PATH: `${folder.path}/bin:${process.env['PATH']}`, ANTHROPIC_API_KEY: 'another' };
  const args = ['claude', '--data-dir', dataDir, '--run', '-p', 'Explain this'];
  const ran = await spawnCommand(args, env);
  assert.equal(ran.code, 7, ran.stderr);
  assert.equal(ran.stdout, `${gateway.url}  -p Explain this\n`);
  const missing = await spawnCommand(['claude', '--data-dir', dataDir, '--run'], { PATH: '/nowhere' });
  assert.deepEqual([missing.code, /not installed; npm install/.test(missing.stderr)], [127, true]);
  assert.doesNotMatch(missing.stderr, /created the API key/, 'no key is created without a use');
  const away = await spawnCommand([...args, '--url', 'http://127.0.0.1:9'], env);
  assert.deepEqual([away.code, away.stdout], [1, '']);
  assert.match(
    away.stderr,
    /^error: no gateway answers at http:\/\/127\.0\.0\.1:9; start one with npx sluice/,
  );
});

test('a model that the gateway does not serve is named before the client asks for it', async () => {
  const warn = async (line: string): Promise<string> =>
    (await runCommand([...line.split(' '), '--data-dir', dataDir])).stderr;
  for (const client of ['claude', 'codex', 'opencode', 'gemini'])
    assert.match(
      await warn(`${client} --key ${gateway.apiKey} --model mock-modle`),
      /^warning: .*"mock-modle".*mock-model/,
      client,
    );
  for (const model of ['mock-model', 'mock-model[1m]', 'mock/mock-model'])
    assert.equal(await warn(`claude --key ${gateway.apiKey} --model ${model}`), '', model);
  assert.equal(await warn('claude --key k --model mock-modle --url http://127.0.0.1:9'), '');
});

test('codex, opencode and gemini print what points them here, and start with it', async () => {
  const codex = await runJson('codex --model mock-model');
  const { text } = codex['file'] as { text: string };
  assert.match(text, /^model_providers\.sluice\.wire_api = "responses"$/m);
  assert.ok(text.includes(`base_url = "${gateway.url}/v1"`));
  const { OPENCODE_CONFIG_CONTENT: config = '{}' } = (await runJson('opencode --model mock-model'))[
    'variables'
  ] as Record<string, string>;
  assert.equal((JSON.parse(config) as { model: string }).model, 'sluice/mock-model');
  const program = folder.write(
    'bin/gemini',
    '#!/bin/sh\necho "$GOOGLE_GEMINI_BASE_URL $GEMINI_MODEL $*"\ncat "$GEMINI_CLI_SYSTEM_DEFAULTS_PATH"\n',
  );
  chmodSync(program, 0o755);
  const env = { PATH: `${folder.path}/bin:${process.env['PATH']}` };
  const args = ['gemini', '--data-dir', dataDir, '--run', '--model', 'mock-model', '-p', 'Hi'];
  const ran = await spawnCommand(args, env);
  assert.equal(ran.code, 0, ran.stderr);
  assert.ok(ran.stdout.startsWith(`${gateway.url} mock-model -p Hi\n`), ran.stdout);
  assert.match(ran.stdout, /"selectedType": "gemini-api-key"/);
});
