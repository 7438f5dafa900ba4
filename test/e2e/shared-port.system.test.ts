import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Gateway, type GatewayOptions, startGateway } from '../support/gateway.ts';
import { RawClient } from '../support/raw-client.ts';
import { toUrl } from '../support/external-server.ts';
import { createSharedDatabase } from '../support/shared-server.ts';
import { until } from '../support/until.ts';

const CONNECTIONS = 40;

/** Sends each request on a connection of its own. */
async function askOnNewConnections({ url, apiKey }: Gateway): Promise<void> {
  const ids = new Set<string>();
  for (let n = 0; n < CONNECTIONS; n += 1) {
    using client = await RawClient.open(url);
    client.post(
      '/v1/chat/completions',
      { model: 'local/echo', messages: [{ role: 'user', content: `hello ${n}` }] },
      { authorization: `Bearer ${apiKey}` },
    );
    const { status, headers } = await client.readResponse();
    assert.equal(status, 200);
    ids.add(headers['x-request-id'] ?? '');
  }
  assert.equal(ids.size, CONNECTIONS);
}

/** Clients that keep their connections alive, until the work is done; returns their statuses. */
async function askDuring({ url, apiKey }: Gateway, work: () => Promise<unknown>): Promise<number[]> {
  const statuses: number[] = [];
  let isOver = false;
  const ask = async (): Promise<void> => {
    while (!isOver) {
      const response = await fetch(`${url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'local/echo', messages: [{ role: 'user', content: 'hello' }] }),
      });
      await response.arrayBuffer();
      statuses.push(response.status);
    }
  };
  const clients = Array.from({ length: 8 }, ask);
  // A connection that is being opened as a gateway stops listening is reset.
  await until('every client is connected', () => statuses.length > 50);
  await work().finally(() => (isOver = true));
  await Promise.all(clients);
  return statuses;
}

/** Its own count of requests, from its metrics. */
async function countServed({ line }: Gateway): Promise<number> {
  const text = await (await fetch(String(line.metrics_url))).text();
  const counts = text.matchAll(/^sluice_requests_total\{[^}]*\} (\d+)/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

test(
  'gateways with reusePort share a port: both answer, and one stops while the other takes all',
  { skip: process.platform !== 'linux' && 'only Linux spreads connections over sockets of one port' },
  async () => {
    await using shared = await createSharedDatabase();
    const env = {
      DATABASE_URL: toUrl(shared),
      SLUICE_SECRET: 'a secret of thirty-two characters',
      SLUICE_METRICS_PORT: '0',
    };
    const start = (options: GatewayOptions): Promise<Gateway> =>
      startGateway({ ...options, env: { ...env, ...options.env } });
    await using first = await start({ env: { SLUICE_REUSE_PORT: 'true' } });
    const port = Number(new URL(first.url).port);
    await assert.rejects(start({ port }), /another program listens there/);
    const second = await start({ port, flags: ['--reuse-port'] });
    try {
      await askOnNewConnections(first);
      // A request is counted after its answer has been sent.
      await until('both have counted', async () => {
        const [one = 0, other = 0] = await Promise.all([first, second].map(countServed));
        return one > 0 && other > 0 && one + other === CONNECTIONS;
      });
      const statuses = await askDuring(first, () => second.stop());
      assert.deepEqual([...new Set(statuses)], [200]);
    } finally {
      await second[Symbol.asyncDispose]();
    }
    await askOnNewConnections(first);
  },
);
