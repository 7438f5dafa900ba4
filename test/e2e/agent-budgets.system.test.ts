import assert from 'node:assert/strict';
import { dirname } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { OPUS } from '../support/agent-sessions.ts';
import { runAgentPlan } from '../support/agent-run.ts';
import { CachingProvider } from '../support/caching-provider.ts';
import {
  CODING_CLIENTS,
  type CodingClient,
  findClientFolder,
  runCodingClient,
} from '../support/coding-clients.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { type MockUpstream, startMockUpstream } from '../support/mock-upstream.ts';
import { type TemporaryFolder, createTemporaryFolder } from '../support/temporary.ts';

const SEED = 3;

/** The long form is `npm run test:long -- agents`. */
test('coding agents can spend nearly all of a budget, and never more', async () => {
  const { overspent, least, leastAtWorstCase } = await runAgentPlan({ seed: SEED, count: 3 });
  assert.equal(overspent, 0);
  assert.ok(least >= 85, `${least} % usable`);
  assert.ok(leastAtWorstCase < 50, 'with holds of the worst case most of it is not');
});

const client = CODING_CLIENTS.claudeCode;
const binFolder = findClientFolder(client);
const skip = binFolder === undefined && 'Claude Code is not installed (set CLAUDE_BIN)';

/** Some 1,500 tokens. */
const EXPLANATION = 'The next step is to read the file once more and compare it with what was said. '.repeat(
  68,
);
const TIMEOUT_MS = 300_000;

describe('Claude Code at Opus’ list price', { skip }, () => {
  let upstream: MockUpstream;
  let gateway: Gateway;
  let folder: TemporaryFolder;

  before(async () => {
    upstream = await startMockUpstream();
    folder = createTemporaryFolder('sluice-agent-');
    gateway = await startGateway({
      config: `providers:\n  - { id: opus, format: messages, baseUrl: "${upstream.baseUrl}", apiKey: k, models: [{ id: opus, ${OPUS} }] }\n`,
    });
  });

  after(async () => {
    await gateway[Symbol.asyncDispose]();
    await upstream.close();
    folder.remove();
  });

  /** A model that explains and reads the file this many times. */
  function scriptReader(source: string, times: number): () => number {
    let calls = 0;
    upstream.clear();
    upstream.script({
      reply: new CachingProvider().reply(({ body }) => {
        if (!JSON.stringify(body['tools'] ?? '').includes('"Read"')) return { text: 'side question' };
        if (JSON.stringify(body['messages']).split('tool_result').length > times) return { text: 'Done.' };
        calls += 1;
        return { text: EXPLANATION, toolCalls: [{ ...reading(source), id: `toolu_${calls}` }] };
      }),
    });
    return () => calls;
  }

  function reading(source: string): ReturnType<CodingClient['read']> {
    return client.read(source);
  }

  function run(apiKey: string, home: string, source: string): ReturnType<typeof runCodingClient> {
    assert.ok(binFolder !== undefined);
    return runCodingClient({
      client,
      folder: binFolder,
      gateway: { dataDir: gateway.dataDir, url: gateway.url, apiKey },
      model: 'opus',
      prompt: `Read ${source} until you are sure`,
      home,
      workingDirectory: dirname(source),
    });
  }

  async function readUsed(authorization: string): Promise<number> {
    const response = await gateway.request('/v1/key', { headers: { authorization } });
    const { data } = (await response.json()) as { data: { usage: string } };
    return Number(data.usage);
  }

  test('works under a key of 2.45 USD until at least 97 % is spent', { timeout: TIMEOUT_MS }, async () => {
    const source = folder.write('one/source.txt', 'the answer is 42\n'.repeat(100));
    const countCalls = scriptReader(source, Infinity);
    const { apiKey, authorization } = await gateway.createKey('--limit', '2.45');
    const { text } = await run(apiKey, folder.path, source);
    const used = await readUsed(authorization);
    assert.ok(used >= 0.97 * 2.45 && used <= 2.45, `${used} USD spent: ${text.slice(-2_000)}`);
    assert.ok(countCalls() > 10, `${countCalls()} turns`);
  });

  test('works in parallel, five times, under a key of 5 USD', { timeout: TIMEOUT_MS }, async () => {
    const { apiKey, authorization } = await gateway.createKey('--limit', '5');
    const source = folder.write('five/source.txt', 'the answer is 42\n'.repeat(100));
    const countCalls = scriptReader(source, 6);
    const homes = Array.from({ length: 5 }, (_, at) => dirname(folder.write(`home-${at}/.keep`, '')));
    const runs = await Promise.all(homes.map((home) => run(apiKey, home, source)));
    for (const { code, text } of runs) {
      assert.equal(code, 0, text.slice(-2_000));
      assert.match(text, /Done\./);
    }
    assert.ok(countCalls() >= 30, `${countCalls()} turns`);
    const used = await readUsed(authorization);
    assert.ok(used > 1 && used <= 5, `${used} USD spent`);
  });
});
