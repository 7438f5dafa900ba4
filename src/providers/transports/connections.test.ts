import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, type Server, type Socket, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { createServer as createTlsServer } from 'node:tls';
import type { UpstreamFailure } from '#errors';
import { createTemporaryFolder } from '../../../test/support/temporary.ts';
import { own } from '../../../test/support/owned.ts';
import { SLOWNESS_MS } from '../../../test/support/within.ts';
import { HttpTransport } from './http.ts';

const CONNECT_MS = 500;
const LOOKUP_MS = 50;

async function listen(context: TestContext, server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => server.close());
  return (server.address() as AddressInfo).port;
}

function open(context: TestContext, origin: string): HttpTransport {
  const transport = new HttpTransport({ baseUrl: `${origin}/v1`, connectTimeoutMs: CONNECT_MS });
  context.after(() => transport.close());
  return transport;
}

/** The body of an answer, or the failure in its place. */
async function ask(transport: HttpTransport, body: string): Promise<string | UpstreamFailure> {
  const { promise, resolve } = Promise.withResolvers<string | UpstreamFailure>();
  let text = '';
  const onData = (bytes: Buffer): void => void (text += bytes.toString());
  const onEnd = (): void => resolve(text);
  transport.send(
    { path: '/chat/completions', headers: {}, body },
    { onHead: () => undefined, onData, onEnd, onFailure: resolve },
  );
  return promise;
}

/** Whether the system answers no attempt to connect; one that it answers is noticed in the next turns of the event loop. */
async function isSilentTo(socket: Socket): Promise<boolean> {
  for (let turn = 0; turn < 60; turn += 1) {
    if (!socket.connecting) return false;
    await sleep(5);
  }
  return true;
}

/** A server whose queue of connections is full, so that the system answers no further one. */
async function startSilentServer(context: TestContext): Promise<number> {
  const script = `
    const server = require('node:net').createServer();
    server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => console.log(server.address().port));`;
  const child = own(
    spawn(process.execPath, ['-e', script], { detached: true, stdio: ['ignore', 'pipe', 'inherit'] }),
  );
  context.after(() => child.kill('SIGKILL'));
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  child.kill('SIGSTOP');
  const port = Number(line.toString());
  for (let count = 0; count < 8; count += 1) {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    context.after(() => socket.destroy());
    if (await isSilentTo(socket)) return port;
  }
  context.skip('this system takes connections for a process that does not');
  return 0;
}

test('[U3] a host that answers no connection is given up after its time', async (context) => {
  const port = await startSilentServer(context);
  if (port === 0) return;
  const startedMs = performance.now();
  const outcome = await ask(open(context, `http://127.0.0.1:${port}`), '{}');
  assert.equal(typeof outcome === 'string' ? outcome : outcome.kind, 'timed-out');
  // undici looks at its clocks every half second
  assert.ok(performance.now() - startedMs < CONNECT_MS + 1_000 + SLOWNESS_MS);
});

test('[U18] an unsolicited second answer reaches no later request', async (context) => {
  const ROUNDS = 200;
  const answerTo = (body: string): string =>
    `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  const server = createServer((socket: Socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      const round = /round-(\d+)/.exec(bytes.toString())?.[1] ?? '';
      const [good, stranger] = [answerTo(`for ${round}`), answerTo('for a stranger')];
      if (Number(round) % 2 === 0) socket.write(good + stranger);
      else {
        socket.write(good);
        setImmediate(() => socket.write(stranger));
      }
    });
  });
  const transport = open(context, `http://127.0.0.1:${await listen(context, server)}`);
  for (let round = 0; round < ROUNDS; round += 1)
    assert.equal(await ask(transport, `round-${round}`), `for ${round}`);
});

test('[U21] a provider with an untrusted certificate is sent nothing', async (context) => {
  using folder = createTemporaryFolder('sluice-tls-');
  const [key, cert] = [join(folder.path, 'key.pem'), join(folder.path, 'cert.pem')];
  const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  try {
    const place = ['-keyout', key, '-out', cert, '-days', '1', '-subj', '/CN=127.0.0.1'];
    execFileSync('openssl', [...request, ...place], { stdio: 'ignore' });
  } catch {
    context.skip('openssl is not installed');
    return;
  }
  let reported = 0;
  const server = createTlsServer({ key: readFileSync(key), cert: readFileSync(cert) }, (socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (bytes: Buffer) => {
      reported += bytes.length;
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}');
    });
  });
  server.on('tlsClientError', () => undefined);
  const port = await listen(context, server);
  for (const host of ['127.0.0.1', 'localhost']) {
    const outcome = await ask(open(context, `https://${host}:${port}`), '{}');
    assert.equal(typeof outcome === 'string' ? outcome : outcome.kind, 'unreachable', host);
  }
  assert.equal(reported, 0);
});

/** Answers the first request of each connection, and closes it as the next one arrives. */
async function startClosingServer(
  context: TestContext,
  end: (socket: Socket) => void,
): Promise<{ port: number; seen: string[] }> {
  const seen: string[] = [];
  const server = createServer((socket) => {
    let requests = 0;
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      requests += 1;
      seen.push(`${requests}: ${bytes.toString().split('\r\n\r\n')[1] ?? ''}`);
      if (requests === 1) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
      else end(socket);
    });
  });
  return { port: await listen(context, server), seen };
}

for (const [how, end] of Object.entries({
  reset: (socket: Socket) => socket.resetAndDestroy(),
  closed: (socket: Socket) => socket.end(),
})) {
  test(`a request whose kept-alive connection is ${how} as it is used is sent again on another`, async (context) => {
    const { port, seen } = await startClosingServer(context, end);
    const transport = open(context, `http://127.0.0.1:${port}`);
    assert.equal(await ask(transport, 'first'), 'ok');
    await nextTurn();
    assert.equal(await ask(transport, 'second'), 'ok');
    assert.deepEqual(seen, ['1: first', '2: second', '1: second']);
  });
}

test('a request that waits for a kept-alive connection which is reset meanwhile is sent on another', async (context) => {
  const accepted: Socket[] = [];
  const server = createServer((socket) => {
    accepted.push(socket);
    socket.on('data', () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'));
  });
  const transport = open(context, `http://127.0.0.1:${await listen(context, server)}`);
  for (const body of ['first', 'second', 'x'.repeat(20_000)]) {
    assert.equal(await ask(transport, body), 'ok');
    await nextTurn();
    accepted.at(-1)?.resetAndDestroy(); // this process reads of it only after the next call
  }
  assert.equal(await ask(transport, 'last'), 'ok');
  assert.equal(accepted.length, 4);
});

test('a new connection that is closed without an answer is a failure of the provider', async (context) => {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.on('error', () => undefined);
    socket.on('data', () => socket.resetAndDestroy());
  });
  const transport = open(context, `http://127.0.0.1:${await listen(context, server)}`);
  const failure = await ask(transport, 'first');
  assert.equal(typeof failure === 'string' ? failure : failure.kind, 'unreachable');
  assert.equal(connections, 1);
});

test('a call knows how long it waited for its connection; one that is open is there at once', async (context) => {
  const server = createServer((socket) => {
    socket.on('data', () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}'));
    socket.on('error', () => undefined);
  });
  const port = await listen(context, server);
  const transport = new HttpTransport({
    baseUrl: `http://slow.test:${port}/v1`,
    connectTimeoutMs: SLOWNESS_MS,
    lookup: (_host, _options, reply) =>
      void setTimeout(() => reply(null, [{ address: '127.0.0.1', family: 4 }]), LOOKUP_MS),
  });
  context.after(() => transport.close());
  const send = async (): Promise<(number | undefined)[]> => {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const ignore = (): void => undefined;
    const sink = { onHead: ignore, onData: ignore, onEnd: () => resolve(undefined), onFailure: resolve };
    const call = transport.send({ path: '/x', headers: {}, body: '{}' }, sink);
    const before = call.connectMs;
    assert.equal(await promise, undefined);
    return [before, call.connectMs];
  };
  const [unknown, first = 0] = await send();
  assert.equal(unknown, undefined);
  assert.ok(first > LOOKUP_MS - 1, `${first} ms`); // timers have whole milliseconds
  await sleep(LOOKUP_MS); // the connection is free a moment after the end of its answer
  const [, second = first] = await send();
  assert.ok(second < first, `${second} ms`);
});
