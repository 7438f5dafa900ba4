import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type Gateway, createProviderConfig, startGateway } from '../support/gateway.ts';
import { createTemporaryFolder } from '../support/temporary.ts';
import { until } from '../support/until.ts';

const STREAMS = 30;
const BODY_BYTES = 400 * 1024;
const PROBE = fileURLToPath(new URL('../support/memory-probe.ts', import.meta.url));
const FIRST = `data: ${JSON.stringify({
  id: 'c',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'mock-model',
  choices: [{ index: 0, delta: { role: 'assistant', content: 'a word' }, finish_reason: null }],
})}\n\n`;

/** A provider that begins its answers and does not end them. */
async function startEndless(): Promise<Server> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(FIRST);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server;
}

/** Bytes of buffers that remain after garbage collection. */
async function measureBuffers(gateway: Gateway, probe: string): Promise<number> {
  rmSync(probe, { force: true });
  process.kill(gateway.pid, 'SIGUSR2');
  await until('memory is measured', () => existsSync(probe));
  const { arrayBuffers } = JSON.parse(readFileSync(probe, 'utf8')) as NodeJS.MemoryUsage;
  return arrayBuffers;
}

/** Opens a stream and reads its beginning. */
async function open(gateway: Gateway, leaving: AbortSignal): Promise<void> {
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'mock-model',
      stream: true,
      max_tokens: 10,
      messages: [{ role: 'user', content: 'x'.repeat(BODY_BYTES) }],
    }),
    signal: leaving,
  });
  assert.equal(response.status, 200);
  await response.body?.getReader().read();
}

test('an open stream keeps nothing of its request, neither as it came nor as it was sent', async () => {
  using folder = createTemporaryFolder('sluice-streams-');
  const probe = `${folder.path}/memory.json`;
  const provider = await startEndless();
  const { port } = provider.address() as AddressInfo;
  await using gateway = await startGateway({
    config: createProviderConfig(`http://127.0.0.1:${port}/v1`, {}),
    nodeOptions: ['--expose-gc', '--import', PROBE],
    env: { MEMORY_PROBE: probe },
  });
  const leaving = new AbortController();
  await open(gateway, leaving.signal); // what any stream takes is now allocated
  const before = await measureBuffers(gateway, probe);
  await Promise.all(Array.from({ length: STREAMS }, () => open(gateway, leaving.signal)));
  const grown = (await measureBuffers(gateway, probe)) - before;
  leaving.abort();
  provider.closeAllConnections();
  provider.close();
  assert.ok(grown < (STREAMS * BODY_BYTES) / 4, `${Math.round(grown / STREAMS / 1024)} KiB per stream`);
});
