import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { GatewayError } from '#errors';
import { type InProcessGateway, openInProcess } from '../../../../test/support/in-process.ts';
import { type MockUpstream, startMockUpstream } from '../../../../test/support/mock-upstream.ts';
import { type Reply, answer, rateLimited } from '../../../../test/support/upstream-replies.ts';

/** A token of the prompt costs 10 USD per million, one from the cache a tenth. */
const TOKEN = 10_000_000n;
const PROMPT = 'All of the book. '.repeat(1_000);
const PROMPT_TOKENS = 4_000;
const MODELS = ['whole', 'stream', 'poor'];

let upstream: MockUpstream;
let gateway: InProcessGateway;
/** What is held, and what it was when each request arrived at the provider. */
let held = 0n;
const heldAtCalls: bigint[] = [];
let isBroke = false;

before(async () => {
  upstream = await startMockUpstream();
  const models = MODELS.map(
    (id) =>
      `{ id: ${id}, contextLength: 100000, maxOutput: 100, price: { input: "10", cacheRead: "1", output: "10" } }`,
  );
  gateway = await openInProcess({
    config: [
      'routing: { hedging: false }',
      'providers:',
      `  - { id: p, format: chat, baseUrl: "${upstream.baseUrl}", models: [${models.join(', ')}],`,
      '      credentials: [{ name: one, apiKey: key-one }, { name: two, apiKey: key-two }] }',
      '',
    ].join('\n'),
  });
  const { ledger } = gateway.accounts;
  const [reserve, grow] = [ledger.reserve.bind(ledger), ledger.grow.bind(ledger)];
  ledger.reserve = async (...asked) => {
    const hold = await reserve(...asked);
    held = hold.amount;
    return hold;
  };
  ledger.grow = async (...asked) => {
    if (isBroke) throw new GatewayError('credits_exhausted', 'the budget is used up');
    return (held = await grow(...asked));
  };
});
after(async () => {
  await gateway[Symbol.asyncDispose]();
  await upstream.close();
});
afterEach(() => {
  upstream.clear();
  heldAtCalls.length = 0;
  isBroke = false;
});

const cached: Reply = answer({
  text: 'Yes.',
  usage: {
    prompt_tokens: PROMPT_TOKENS,
    completion_tokens: 2,
    total_tokens: PROMPT_TOKENS + 2,
    prompt_tokens_details: { cached_tokens: PROMPT_TOKENS - 100 },
  },
});

const keyOf = (headers: Readonly<Record<string, unknown>>): string =>
  String(headers['authorization']).replace('Bearer key-', '');

/** Answers every request, or each but those of one credential. */
function script(limited?: string): void {
  upstream.script({
    reply: (exchange) => {
      heldAtCalls.push(held);
      const isLimited = keyOf(exchange.truth.headers) === limited;
      return (isLimited ? rateLimited('60') : cached)(exchange);
    },
  });
}

async function ask(model: string, stream: boolean): Promise<Response> {
  const messages = [{ role: 'user', content: PROMPT }];
  const response = await gateway.post('/v1/chat/completions', { model, stream, max_tokens: 50, messages });
  await response.clone().text();
  return response;
}

/** A first turn, whose prompt is cached, and then which credential has it. */
async function open(model: string, stream: boolean): Promise<string> {
  script();
  assert.equal((await ask(model, stream)).status, 200);
  const home = keyOf(upstream.truths[0]?.headers ?? {});
  heldAtCalls.length = 0;
  return home;
}

for (const [model, stream] of [
  ['whole', false],
  ['stream', true],
] as const)
  test(`before a ${model} answer is asked for with another credential, its prompt is held at the price without a cache`, async () => {
    script(await open(model, stream));
    assert.equal((await ask(model, stream)).status, 200);
    const [first = 0n, second = 0n] = heldAtCalls;
    assert.equal(heldAtCalls.length, 2);
    assert.ok(first < (BigInt(PROMPT_TOKENS) * TOKEN) / 2n, `${first}: the first has the prompt cached`);
    assert.ok(second >= BigInt(PROMPT_TOKENS) * TOKEN, `${second}: the second may read all of it`);
  });

test('a budget that covers only the cached prompt is not spent on another credential', async () => {
  const home = await open('poor', false);
  script(home);
  isBroke = true;
  const response = await ask('poor', false);
  assert.deepEqual(heldAtCalls.length, 1, 'the other credential is not called');
  assert.equal(response.status, 402, await response.text());
});
