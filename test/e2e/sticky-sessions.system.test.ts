import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Books, openBooks } from '../support/books.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { type MockUpstream, startMockUpstream } from '../support/mock-upstream.ts';
import { until } from '../support/until.ts';
import { type Reply, overloaded, rateLimited, sendText, sequence } from '../support/upstream-replies.ts';

const PROMPT = 'All of the book. '.repeat(600);

/** Reports that it has read so much of each prompt from its cache. */
const cachedAnswer =
  (share: number): Reply =>
  (exchange) => {
    const { inputTokens } = exchange.truth;
    const body = {
      id: 'a',
      object: 'chat.completion',
      created: 1,
      model: 'm',
      choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Yes.' } }],
      usage: {
        prompt_tokens: inputTokens,
        completion_tokens: 5,
        total_tokens: inputTokens + 5,
        prompt_tokens_details: { cached_tokens: Math.floor(inputTokens * share) },
      },
    };
    return sendText(exchange, { status: 200, type: 'application/json', text: JSON.stringify(body) });
  };

let cheap: MockUpstream;
let expensive: MockUpstream;
let gateway: Gateway;
let books: Books;

before(async () => {
  cheap = await startMockUpstream();
  expensive = await startMockUpstream();
  const describe = (id: string, { baseUrl }: MockUpstream, price: string): string =>
    `  - { id: ${id}, format: chat, baseUrl: ${baseUrl}, apiKey: k, models: [{ id: m, contextLength: 100000, maxOutput: 100, price: ${price} }] }\n`;
  const pooled = `  - { id: pooled, format: chat, baseUrl: ${cheap.baseUrl}, credentials: [{ name: a, apiKey: key-a }, { name: b, apiKey: key-b }], models: [{ id: p, contextLength: 100000, maxOutput: 100, price: { input: "1", cacheRead: "0.1", output: "2" } }] }\n`;
  const config = `providers:\n${pooled}${describe('cheap', cheap, '{ input: "1", cacheRead: "0.1", output: "2" }')}${describe('expensive', expensive, '{ input: "2", cacheRead: "0.2", output: "2" }')}`;
  gateway = await startGateway({ config });
  books = await openBooks(gateway.dataDir);
  cheap.script({ reply: cachedAnswer(0.9) });
  expensive.script({ reply: cachedAnswer(0.9) });
});

after(async () => {
  await books[Symbol.asyncDispose]();
  await gateway[Symbol.asyncDispose]();
  await cheap.close();
  await expensive.close();
});

/** The providers called for the next turn of a session. */
async function ask(session: string, provider?: object): Promise<string> {
  return askWith({}, session, { ...(provider && { provider }) });
}

async function askWith(headers: Record<string, string>, session: string, fields: object): Promise<string> {
  const messages = [{ role: 'user', content: `${session}: ${PROMPT}` }];
  const body = { model: 'm', max_tokens: 50, messages, ...fields };
  const response = await gateway.post('/v1/chat/completions', body, headers);
  assert.equal(response.status, 200, await response.clone().text());
  const row = await books.getRow(response.headers.get('x-request-id') ?? '');
  return row.attempts
    .map(({ providerId, outcome, reason }) => `${providerId} ${outcome} ${reason}`)
    .join(', ');
}

test('a session stays where its prompt is cached while that saves more than the cheaper provider would', async () => {
  assert.equal(await ask('one'), 'cheap answered cheapest', 'a new session goes to the cheapest');
  assert.equal(await ask('one'), 'cheap answered sticky');
  assert.equal(await ask('one', { ignore: ['cheap'] }), 'expensive answered only');
  assert.equal(await ask('one'), 'expensive answered sticky', 'the session has moved');
  assert.equal(await ask('two'), 'cheap answered cheapest', 'another has not');
  assert.equal(await ask('one', { order: ['cheap'] }), 'cheap answered order', 'an order is obeyed');
});

test('a session stays where it was asked for several choices at once', async () => {
  const attempt = 'expensive answered only';
  assert.equal(
    await askWith({}, 'seven', { n: 2, provider: { ignore: ['cheap'] } }),
    `${attempt}, ${attempt}`,
  );
  assert.equal(await ask('seven'), 'expensive answered sticky');
});

test('`route explain --session` knows where the log has the prompt of a session', async () => {
  const headers = { 'x-claude-code-session-id': 'five' };
  assert.equal(
    await askWith(headers, 'five', { provider: { ignore: ['cheap'] } }),
    'expensive answered only',
  );
  const { data } = (await gateway.run('keys', 'list')) as { data: { id: string }[] };
  const explain = (...options: string[]) =>
    gateway.run(
      'route',
      'explain',
      'm',
      '--config',
      gateway.configFile,
      '--key',
      data[0]?.id ?? '',
      ...options,
    );
  const home = await explain('--session', 'five');
  assert.deepEqual(
    [home['first'], (home['candidates'] as { provider: string }[])[0]?.provider],
    ['sticky', 'expensive'],
  );
  const other = await explain('--session', 'six');
  assert.equal((other['candidates'] as { provider: string }[])[0]?.provider, 'cheap');
});

test('a cache that saves less than the difference in price keeps no session', async () => {
  expensive.script({ reply: cachedAnswer(0.2) });
  assert.equal(await ask('three', { ignore: ['cheap'] }), 'expensive answered only');
  assert.equal(await ask('three', { ignore: ['cheap'] }), 'expensive answered only');
  assert.equal(await ask('three'), 'cheap answered cheapest');
  expensive.script({ reply: cachedAnswer(0.9) });
});

test('a provider that fails is left at once, and the session stays with the next', async () => {
  assert.equal(await ask('four', { ignore: ['cheap'] }), 'expensive answered only');
  assert.equal(await ask('four'), 'expensive answered sticky');
  expensive.script({ reply: overloaded() });
  assert.equal(await ask('four'), 'expensive overloaded sticky, cheap answered next');
  assert.equal(await ask('four'), 'cheap answered sticky');
  expensive.script({ reply: cachedAnswer(0.9) });
  assert.equal(await ask('four'), 'cheap answered sticky');
});

/** The credentials called for a prompt at the provider that has two; the caller pays what the provider charges. */
async function askPooled(content: string): Promise<string[]> {
  const body = { model: 'p', max_tokens: 50, messages: [{ role: 'user', content }] };
  const response = await gateway.post('/v1/chat/completions', body);
  assert.equal(response.status, 200, await response.clone().text());
  const row = await books.getRow(response.headers.get('x-request-id') ?? '');
  assert.equal(row.customer, row.provider);
  return row.attempts.map(({ credential, outcome }) => `${credential} ${outcome}`);
}

test('a session stays with the credential that answered it last, although the one before it is healthy again', async () => {
  const prompt = `seven: ${PROMPT}`;
  const [first = ''] = await askPooled(prompt);
  const [home, other] = first === 'a answered' ? ['a', 'b'] : ['b', 'a'];
  assert.deepEqual(await askPooled(prompt), [`${home} answered`]);
  cheap.script({
    match: ({ headers }) => headers['authorization'] === `Bearer key-${home}`,
    reply: sequence(rateLimited('1'), cachedAnswer(0.9)),
  });
  assert.deepEqual(await askPooled(prompt), [`${home} rate-limited`, `${other} answered`]);
  let answers = 0;
  await until('the first credential answers other requests again', async () => {
    const [lead] = await askPooled('Hello?');
    answers += lead === `${home} answered` ? 1 : 0;
    return answers === 5;
  });
  assert.deepEqual(await askPooled(prompt), [`${other} answered`]);
});
