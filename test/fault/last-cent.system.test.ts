import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { formatUsd, parseUsd } from '#base';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { type MockUpstream, startMockUpstream } from '../support/mock-upstream.ts';
import { answer } from '../support/upstream-replies.ts';

const CLIENTS = 64;
const MAX_TOKENS = 100;
const ASK = { model: 'plain', max_tokens: MAX_TOKENS, messages: [{ role: 'user', content: 'spend it' }] };
const BODY = JSON.stringify(ASK);
const STREAM = JSON.stringify({ ...ASK, stream: true });
/** What the gateway must assume of a prompt: every byte a token, and the provider's own frame. */
const boundInput = (body: string): number => Buffer.byteLength(body) + 64;
const INPUT_BOUND = boundInput(BODY);
const PICO_PER_INPUT = 3_000_000n;
const PICO_PER_OUTPUT = 15_000_000n;
const worstCase = (input: number): bigint =>
  BigInt(input) * PICO_PER_INPUT + BigInt(MAX_TOKENS) * PICO_PER_OUTPUT;
const WORST_CASE = worstCase(INPUT_BOUND);
const AFFORDABLE = 20;

let upstream: MockUpstream;
let gateway: Gateway;

before(async () => {
  upstream = await startMockUpstream();
  gateway = await startGateway({
    env: { SLUICE_LEASES: 'on' },
    config: [
      'providers:',
      '  - id: mock',
      '    format: chat',
      `    baseUrl: ${upstream.baseUrl}`,
      '    apiKey: mock-key',
      '    models:',
      '      - { id: plain, contextLength: 100000, maxOutput: 1000, price: { input: "3", output: "15" } }',
      '',
    ].join('\n'),
  });
});

after(async () => {
  await gateway[Symbol.asyncDispose]();
  await upstream.close();
});

async function createKey(limit: bigint): Promise<string> {
  const { json, stderr } = await gateway.cli(
    'keys',
    'create',
    '--label',
    'last cent',
    '--limit',
    formatUsd(limit),
  );
  const key = json?.['secret'];
  assert.equal(typeof key, 'string', stderr);
  return key as string;
}

interface Budget {
  /** A key of a member with a budget, or a session token. */
  credential: string;
  readUsed(): Promise<bigint>;
}

async function createBudget(kind: 'member' | 'session', limit: bigint): Promise<Budget> {
  const budget = formatUsd(limit);
  const list = async (group: string, id: unknown): Promise<bigint> => {
    const { json } = await gateway.cli(group, 'list');
    const found = (json?.['data'] as { id: string; usage: string }[]).find((one) => one.id === id);
    return parseUsd(found?.usage ?? '') ?? -1n;
  };
  if (kind === 'session') {
    const { id } = await gateway.createKey('--label', 'app');
    const { json, stderr } = await gateway.cli('session-tokens', 'create', '--key', id, '--limit', budget);
    assert.equal(typeof json?.['secret'], 'string', stderr);
    const credential = json?.['secret'] as string;
    return { credential, readUsed: () => list('session-tokens', json?.['id']) };
  }
  const { json } = await gateway.cli('members', 'add', 'Ada', '--limit', budget);
  const { apiKey } = await gateway.createKey('--member', json?.['id'] as string);
  return { credential: apiKey, readUsed: () => list('members', json?.['id']) };
}

async function spendAtOnce(key: string, path: string, text = BODY): Promise<number[]> {
  const send = async () => {
    const response = await gateway.request(path, {
      method: 'POST',
      body: text,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    });
    const answered = await response.text();
    if (response.status === 402) {
      const body = JSON.parse(answered) as { error?: { type: string; message: string } };
      assert.equal(body.error?.type, 'billing_error');
      assert.match(body.error.message, /limit|budget/);
    }
    return response.status;
  };
  return Promise.all(Array.from({ length: CLIENTS }, send));
}

async function readUsed(key: string): Promise<bigint> {
  const response = await gateway.request('/v1/key', { headers: { authorization: `Bearer ${key}` } });
  assert.equal(response.status, 200);
  const { data } = (await response.json()) as { data: { usage: string } };
  return parseUsd(data.usage) ?? -1n;
}

async function assertBooksAgree(): Promise<void> {
  const { code, stdout } = await gateway.cli('ledger', 'check');
  assert.equal(code, 0, stdout);
}

for (const path of ['/v1/chat/completions', '/v1/messages']) {
  test(`${path}: 64 clients on a limit for 20 worst cases that cost their worst: exactly 20 are served`, async () => {
    upstream.clear();
    const usage = {
      prompt_tokens: INPUT_BOUND,
      completion_tokens: MAX_TOKENS,
      total_tokens: INPUT_BOUND + MAX_TOKENS,
    };
    upstream.script({ reply: answer({ text: 'spent', usage }) });
    const limit = WORST_CASE * BigInt(AFFORDABLE);
    const key = await createKey(limit);
    const statuses = await spendAtOnce(key, path);
    assert.equal(statuses.filter((status) => status === 200).length, AFFORDABLE);
    assert.equal(statuses.filter((status) => status === 402).length, CLIENTS - AFFORDABLE);
    assert.equal(upstream.truths.length, AFFORDABLE, 'nothing unaffordable reached the provider');
    assert.equal(await readUsed(key), limit);
    await assertBooksAgree();
  });

  test(`${path}: requests that cost less than their worst case give way to others, never above the limit`, async () => {
    upstream.clear();
    const usage = { prompt_tokens: 10, completion_tokens: 40, total_tokens: 50 };
    upstream.script({ reply: answer({ text: 'spent', usage }) });
    const cost = 10n * PICO_PER_INPUT + 40n * PICO_PER_OUTPUT;
    const limit = WORST_CASE * 2n;
    const key = await createKey(limit);
    const statuses = await spendAtOnce(key, path);
    const served = statuses.filter((status) => status === 200).length;
    // A worst case must fit into what is left, so the last one starts while at least that much remains.
    assert.equal(served, Number((limit - WORST_CASE) / cost) + 1);
    assert.equal(await readUsed(key), cost * BigInt(served));
    await assertBooksAgree();
  });
}

for (const path of ['/v1/chat/completions', '/v1/messages'])
  test(`${path}: of 64 streams that are billed to their end, on a limit for 20, exactly 20 are served`, async () => {
    upstream.clear();
    const input = boundInput(STREAM);
    const usage = {
      prompt_tokens: input,
      completion_tokens: MAX_TOKENS,
      total_tokens: input + MAX_TOKENS,
    };
    upstream.script({ reply: answer({ text: 'spent', usage }) });
    const limit = worstCase(input) * BigInt(AFFORDABLE);
    const key = await createKey(limit);
    const statuses = await spendAtOnce(key, path, STREAM);
    assert.equal(statuses.filter((status) => status === 200).length, AFFORDABLE);
    assert.equal(upstream.truths.length, AFFORDABLE, 'nothing unaffordable reached the provider');
    assert.equal(await readUsed(key), limit);
    await assertBooksAgree();
  });

for (const kind of ['session', 'member'] as const) {
  test(`${kind}: 64 clients on a budget for 20 worst cases that cost their worst: exactly 20 are served`, async () => {
    upstream.clear();
    const usage = {
      prompt_tokens: INPUT_BOUND,
      completion_tokens: MAX_TOKENS,
      total_tokens: INPUT_BOUND + MAX_TOKENS,
    };
    upstream.script({ reply: answer({ text: 'spent', usage }) });
    const limit = WORST_CASE * BigInt(AFFORDABLE);
    const budget = await createBudget(kind, limit);
    const statuses = await spendAtOnce(budget.credential, '/v1/messages');
    assert.equal(statuses.filter((status) => status === 200).length, AFFORDABLE);
    assert.equal(statuses.filter((status) => status === 402).length, CLIENTS - AFFORDABLE);
    assert.equal(upstream.truths.length, AFFORDABLE, 'nothing unaffordable reached the provider');
    assert.equal(await budget.readUsed(), limit);
    await assertBooksAgree();
  });
}
