import assert from 'node:assert/strict';
import { test } from 'node:test';
import { existsSync, readFileSync } from 'node:fs';
import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { own } from '../owned.ts';
import { createTemporaryFolder } from '../temporary.ts';

const PROBE = fileURLToPath(new URL('stall-probe.ts', import.meta.url));
/** A server that spends 300 ms of processor time on `/slow`, asks itself for that and for `/quick`, and ends. */
const PROGRAM = `
const { createServer } = await import('node:http');
const spent = () => process.threadCpuUsage().user + process.threadCpuUsage().system;
const server = createServer((request, response) => {
  const until = spent() + (request.url === '/slow' ? 300_000 : 0);
  while (spent() < until);
  response.end();
}).listen(0, '127.0.0.1', async () => {
  const ask = (path, number) =>
    fetch('http://127.0.0.1:' + server.address().port + path, { headers: { 'x-fuzz-number': number } });
  await ask('/quick', '1');
  await new Promise((resolve) => setTimeout(resolve, 100));
  await ask('/slow', '2');
  await new Promise((resolve) => setTimeout(resolve, 100));
  process.exit();
});`;

test('a request that holds the event loop is named with its processor time, and no other', async () => {
  using folder = createTemporaryFolder('sluice-probe-');
  const file = `${folder.path}/stalls`;
  const child = own(
    spawn(process.execPath, ['--import', PROBE, '--input-type=module', '--eval', PROGRAM], {
      env: { ...process.env, STALL_PROBE: file, STALL_MS: '250' },
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe'],
    }),
  );
  const [stderr] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  assert.ok(existsSync(file), stderr);
  const stalls = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { heldMs: number; numbers: string[] });
  assert.deepEqual(
    stalls.map(({ numbers }) => numbers),
    [['2']],
  );
  assert.ok((stalls[0]?.heldMs ?? 0) >= 250);
});
