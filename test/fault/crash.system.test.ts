import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base';
import { formatUsd } from '#base';
import { CrashDriver, createDeaths } from '../support/crash-driver.ts';
import { type Gateway, createProviderConfig } from '../support/gateway.ts';
import { startMockUpstream } from '../support/mock-upstream.ts';
import { answer } from '../support/upstream-replies.ts';

/** `CRASH_KILLS=50 npm test -- --only crash` is the long run. */
const KILLS = Number(process.env['CRASH_KILLS'] ?? 6);
const SEED = Number(process.env['CRASH_SEED'] ?? 20261121);
const CLIENTS = 12;

interface Seen {
  /** Request ids of answers the client received completely, with their reported tokens. */
  completed: Map<string, number>;
}

async function load(gateway: Gateway, dead: AbortSignal): Promise<Seen> {
  const completed = new Map<string, number>();
  const client = async (number: number) => {
    for (let turn = 0; !dead.aborted; turn += 1) {
      const stream = (number + turn) % 2 === 0;
      const body = {
        model: 'mock-model',
        max_tokens: 50,
        stream,
        stream_options: { include_usage: true },
        messages: [{ role: 'user', content: `client ${number} turn ${turn}` }],
      };
      try {
        const response = await gateway.request('/v1/chat/completions', {
          method: 'POST',
          body: JSON.stringify(body),
          headers: { 'content-type': 'application/json' },
          signal: dead,
        });
        const text = await response.text();
        const tokens = Number(/"completion_tokens":(\d+)/.exec(text)?.[1] ?? -1);
        const isWhole = stream ? text.includes('[DONE]') : response.ok;
        if (isWhole) completed.set(response.headers.get('x-request-id') ?? '', tokens);
      } catch {
        // The gateway crashed during this request; the books decide its outcome.
      }
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)));
  return { completed };
}

test(
  `after ${KILLS} kill -9 under load every request that reached the provider has one row, completed ones exact`,
  { timeout: 1_800_000 },
  async (t) => {
    await using upstream = await startMockUpstream();
    upstream.script({ reply: answer({ text: 'one two three four five six', chunks: 6 }, 5) });
    await using driver = new CrashDriver<Seen>({
      options: { config: createProviderConfig(upstream.baseUrl, {}) },
      load,
    });
    const lives = await driver.run(createDeaths(SEED, KILLS, [100, 700]));
    const gateway = await driver.restart();
    const { json, stderr, stdout } = await gateway.cli('logs', '--limit', '1000000');
    const rows = (json?.['data'] ?? JSON.parse(stdout)) as JsonObject[];
    assert.ok(Array.isArray(rows), stderr);
    const byId = Map.groupBy(rows, (row) => row['id']);
    const reached = upstream.truths.map((truth) => truth.headers['x-request-id'] ?? '');
    const missing = reached.filter((id) => !byId.has(id));
    const double = [...byId].filter(([, group]) => group.length !== 1);
    assert.deepEqual(missing, [], `seed ${SEED}`);
    assert.deepEqual(double, [], `seed ${SEED}`);
    let completed = 0;
    for (const { seen } of lives) {
      for (const [id, tokens] of seen?.completed ?? []) {
        completed += 1;
        const [row] = byId.get(id) ?? [];
        assert.ok(row, `a completed request has a row: ${id}`);
        const truth = upstream.truths.find((one) => one.headers['x-request-id'] === id);
        const cost = BigInt(truth?.inputTokens ?? 0) * 3_000_000n + BigInt(tokens) * 15_000_000n;
        assert.equal(row['cost'], formatUsd(cost), `exact to the last digit: ${id}`);
      }
    }
    const { code, stdout: difference } = await gateway.cli('ledger', 'check');
    assert.equal(code, 0, difference);
    t.diagnostic(
      `${reached.length} requests reached the provider, ${completed} completed, ${KILLS} kills, seed ${SEED}`,
    );
  },
);
