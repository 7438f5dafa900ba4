import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { after, before, test } from 'node:test';
import { spawnCommand } from '../../../test/support/command-line.ts';
import { CHECKOUT } from '../../../test/support/built-program.ts';
import { type Gateway, createProviderConfig, startGateway } from '../../../test/support/gateway.ts';
import { type MockUpstream, startMockUpstream } from '../../../test/support/mock-upstream.ts';
import { stopOrphanDatabase } from '../../../test/support/orphan-database.ts';
import { own } from '../../../test/support/owned.ts';
import { type TemporaryFolder, createTemporaryFolder } from '../../../test/support/temporary.ts';
import { answer, endless } from '../../../test/support/upstream-replies.ts';
import { until } from '../../../test/support/until.ts';

let folder: TemporaryFolder;
let upstream: MockUpstream;
let dataDir: string;
let config: string;

before(async () => {
  folder = createTemporaryFolder();
  dataDir = `${folder.path}/data`;
  upstream = await startMockUpstream();
  config = createProviderConfig(upstream.baseUrl, { models: ['mock-model', 'slow-model', 'endless-model'] });
  upstream.script({ reply: answer({ text: 'hello' }) });
  const slow = Array.from({ length: 30 }, (_, index) => `w${index} `).join('');
  upstream.script({ match: { model: 'slow-model' }, reply: answer({ text: slow, chunks: 30 }, 40) });
  upstream.script({ match: { model: 'endless-model' }, reply: endless(40) });
});

after(async () => {
  await stopOrphanDatabase(dataDir);
  await upstream.close();
  folder.remove();
});

/** As `npm start` does; other tests start the built program. */
const start = (): Promise<Gateway> => startGateway({ program: CHECKOUT, config, dataDir });

async function openStream(gateway: Gateway, key: string, model = 'slow-model'): Promise<Response> {
  const response = await gateway.post(
    '/v1/chat/completions',
    { model, stream: true, messages: [{ role: 'user', content: 'hi' }] },
    { authorization: `Bearer ${key}` },
  );
  assert.equal(response.status, 200);
  return response;
}

let key = '';

test('the first start prints its keys, commands work while it runs, and SIGTERM waits for a stream to finish', async () => {
  await using gateway = await start();
  key = gateway.apiKey;
  assert.match(gateway.adminKey, /^slcadm_/);
  const created = await gateway.cli('keys', 'create', '--label', 'second', '--limit', '1.5');
  assert.equal(created.code, 0, created.stderr);
  assert.equal(created.json?.['limit'], '1.5');
  const stream = await openStream(gateway, key);
  const stopped = gateway.stop();
  assert.match(await stream.text(), /w29 .*\[DONE\]/s);
  assert.equal(await stopped, 0);
  assert.match(gateway.log, /stopping: open requests get up to 30 s[^\n]*\ndraining 1 request…/);
});

test('a second start prints no key, accepts the first one, and shares its data with commands but not with another gateway', async () => {
  await using gateway = await start();
  assert.equal(gateway.line.api_key, undefined);
  assert.equal(gateway.line.admin_key, undefined);
  const response = await gateway.request('/v1/key', { headers: { authorization: `Bearer ${key}` } });
  assert.equal(response.status, 200);
  const file = folder.write('sluice.yaml', config);
  const [second, variables, logs, tested] = await Promise.all([
    spawnCommand(['start', '--port', '0', '--data-dir', dataDir]),
    gateway.cli('env', 'openai', '--key', key),
    gateway.cli('logs', '--model', 'slow-model', '--limit', '1'),
    spawnCommand(['providers', 'test', 'mock', '--config', file, '--json']),
  ]);
  assert.equal(second.code, 1);
  assert.match(second.stderr, /already runs on this data directory, at http:/);
  assert.deepEqual(variables.json, { OPENAI_BASE_URL: `${gateway.url}/v1`, OPENAI_API_KEY: key });
  const [row] = logs.json?.['data'] as { requested_model: string }[];
  assert.equal(row?.requested_model, 'slow-model', logs.stderr);
  assert.equal(tested.code, 0, tested.stderr);
  assert.equal(upstream.truths.at(-1)?.headers['authorization'], 'Bearer mock-key');
});

test('an echo of the first signal is not a second one, and a second one ends the process at once', async () => {
  await using gateway = await start();
  const stream = await openStream(gateway, key, 'endless-model');
  gateway.process.kill('SIGINT');
  gateway.process.kill('SIGINT');
  await until('it is stopping', () => gateway.log.includes('stopping'));
  await sleep(600); // a copy is one that comes within 300 ms
  assert.equal(gateway.exited, false, 'the copy that npm passes on does not count as a second signal');
  const exited = once(gateway.process, 'exit');
  gateway.process.kill('SIGTERM');
  assert.deepEqual(await exited, [130, null]);
  await stream.text().catch(() => undefined);
});

test('the books can be checked while no gateway runs, also after one that left at once', async () => {
  const { code, json, stdout, stderr } = await spawnCommand([
    'ledger',
    'check',
    '--json',
    '--data-dir',
    dataDir,
  ]);
  assert.deepEqual([code, json?.['ok']], [0, true], stdout + stderr);
});

test('the first keys are also printed without a terminal', async () => {
  await using other = {
    path: `${folder.path}/other`,
    [Symbol.asyncDispose]: () => stopOrphanDatabase(`${folder.path}/other`),
  };
  const child = own(
    spawn(process.execPath, [CHECKOUT, 'start', '--port', '0', '--data-dir', other.path], {
      cwd: fileURLToPath(new URL('../../..', import.meta.url)),
      detached: true,
      env: { PATH: process.env['PATH'] },
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  );
  let text = '';
  for await (const part of child.stdout as AsyncIterable<Buffer>) {
    text += part.toString();
    if (text.includes('--run\n')) child.kill('SIGTERM');
  }
  assert.match(text, /API key {4}slc_[A-Za-z0-9]+\n/);
  assert.ok(text.includes(`  npx sluice claude --data-dir '${other.path}' --run\n`), text);
  assert.ok(text.trimEnd().split('\n').length <= 15);
});

test('misuse is exit code 2, failure 1, each with one clear sentence', async () => {
  const [misused, failed, config] = await Promise.all([
    spawnCommand(['keys', 'limit', 'key_1', 'much']),
    spawnCommand(['keys', 'list', '--data-dir', `${folder.path}/nowhere`]),
    spawnCommand(['config', 'check', '--config', folder.write('bad.yaml', 'prots: 1\n'), '--json']),
  ]);
  assert.equal(misused.code, 2);
  assert.match(misused.stderr, /decimal amount of USD/);
  assert.equal(failed.code, 1);
  assert.match(failed.stderr, /^error: there is no Sluice data in [^\n]*\n$/);
  assert.equal(config.code, 1);
  assert.equal(config.json?.['ok'], false);
});
