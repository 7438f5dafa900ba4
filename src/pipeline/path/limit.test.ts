import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { RateLimits } from '#accounts';
import { CLIENT_FORMATS } from '#canonical';
import { askAs } from '../../../test/support/ask-as.ts';
import type { TestAccount } from '../../../test/support/in-process.ts';
import { shareGateway } from '../../../test/support/share-gateway.ts';
import { type Promised, assertRefused } from '../../../test/support/refusal.ts';
import {
  answer,
  answerWithoutUsage,
  cutAfter,
  endless,
  fail,
  hang,
} from '../../../test/support/upstream-replies.ts';
import { RawClient } from '../../../test/support/raw-client.ts';
import { until } from '../../../test/support/until.ts';
import { SLOWNESS_MS } from '../../../test/support/within.ts';

const gateway = shareGateway();

const ASKED = { model: 'chat-model', text: 'hello', most: 50 };
const CHAT = askAs('chat', ASKED);
const MESSAGES = askAs('messages', ASKED);

interface Limited extends TestAccount {
  ask(ask?: { path: string; body: object }, init?: RequestInit): Promise<Response>;
  /** Sends a request and resolves with its status once the answer is read. */
  askForStatus(): Promise<number>;
}

async function createLimited(limits: { key?: RateLimits; organization?: RateLimits }): Promise<Limited> {
  const account = await gateway.createAccount();
  const { directory } = gateway.accounts;
  if (limits.key) await directory.updateKey(account.keyId, { rateLimits: limits.key });
  if (limits.organization)
    await directory.updateOrganization(account.organizationId, { rateLimits: limits.organization });
  const ask: Limited['ask'] = ({ path, body } = CHAT, init = {}) =>
    gateway.request(path, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', authorization: `Bearer ${account.apiKey}` },
      ...init,
    });
  const askForStatus = async (): Promise<number> => {
    const response = await ask();
    await response.arrayBuffer();
    return response.status;
  };
  return { ...account, ask, askForStatus };
}

const REFUSED: Omit<Promised, 'format'> = { status: 429, code: 'rate_limit_exceeded' };

function pick(response: Response, names: readonly string[]): (string | null)[] {
  return names.map((name) => response.headers.get(name));
}

suite('requests per minute', () => {
  for (const format of CLIENT_FORMATS) {
    const ask = askAs(format, ASKED);
    test(`${format}: a request over the limit gets a 429 of the format with the limit and a retry time; nothing is sent upstream`, async () => {
      const limited = await createLimited({ key: { requestsPerMinute: 2 } });
      for (const remaining of ['1', '0']) {
        const response = await limited.ask(ask);
        assert.equal(response.status, 200);
        const names = ['x-ratelimit-limit-requests', 'x-ratelimit-remaining-requests'];
        assert.deepEqual(pick(response, names), ['2', remaining]);
        await response.arrayBuffer();
      }
      const asked = gateway.upstream.truths.length;
      const response = await limited.ask(ask);
      const message = await assertRefused(gateway, response, { ...REFUSED, format });
      assert.match(message, /this key.*2 requests per minute.*try again in \d+s/);
      const retryAfter = Number(response.headers.get('retry-after'));
      assert.ok(Number.isInteger(retryAfter) && retryAfter >= 1 && retryAfter <= 61, String(retryAfter));
      assert.deepEqual(pick(response, ['x-ratelimit-remaining-requests']), ['0']);
      assert.equal(gateway.upstream.truths.length, asked);
      gateway.clock.advance(retryAfter * 1_000);
      assert.equal((await limited.ask(ask)).status, 200, 'the wait was true');
    });
  }

  test('headers have the forms of both vendors on Messages and of one elsewhere', async () => {
    const limited = await createLimited({ key: { requestsPerMinute: 5, tokensPerMinute: 10_000 } });
    const response = await limited.ask(MESSAGES);
    const sentMs = gateway.clock.now();
    await response.arrayBuffer();
    for (const kind of ['requests', 'tokens']) {
      assert.match(
        response.headers.get(`x-ratelimit-reset-${kind}`) ?? '',
        /^(?:1m[01](?:\.\d+)?|[56]\d(?:\.\d+)?)s$/,
      );
      const reset = response.headers.get(`anthropic-ratelimit-${kind}-reset`) ?? '';
      assert.match(reset, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
      assert.ok(Math.abs(Date.parse(reset) - sentMs - 60_500) < 3_000 + SLOWNESS_MS, reset);
      for (const figure of ['limit', 'remaining'])
        assert.equal(
          response.headers.get(`anthropic-ratelimit-${kind}-${figure}`),
          response.headers.get(`x-ratelimit-${figure}-${kind}`),
        );
    }
    const elsewhere = await limited.ask(CHAT);
    await elsewhere.arrayBuffer();
    assert.equal(elsewhere.headers.get('x-ratelimit-remaining-requests'), '3');
    assert.equal(elsewhere.headers.get('anthropic-ratelimit-requests-limit'), null);
  });

  test('a key without limits gets no rate-limit headers', async () => {
    const response = await gateway.post(MESSAGES.path, MESSAGES.body);
    await response.arrayBuffer();
    assert.deepEqual(
      [...response.headers.keys()].filter((name) => name.includes('ratelimit')),
      [],
    );
  });

  test('streams and errors carry them too; what is refused before it is counted counts nothing', async () => {
    const limited = await createLimited({ key: { requestsPerMinute: 3 } });
    const bad = await limited.ask({ path: CHAT.path, body: { model: 'chat-model' } });
    assert.equal(bad.status, 400);
    const names = [
      'x-ratelimit-limit-requests',
      'x-ratelimit-remaining-requests',
      'x-ratelimit-reset-requests',
    ];
    assert.deepEqual(pick(bad, names), ['3', '3', '0s']);
    const stream = await limited.ask({ path: CHAT.path, body: { ...CHAT.body, stream: true } });
    assert.match(stream.headers.get('content-type') ?? '', /event-stream/);
    await stream.arrayBuffer();
    assert.deepEqual(pick(stream, names.slice(0, 2)), ['3', '2']);
    gateway.upstream.script({ reply: fail(400, 'invalid_request_error') });
    const failed = await limited.ask();
    assert.equal(failed.status, 400);
    assert.deepEqual(pick(failed, names.slice(0, 2)), ['3', '1']);
  });

  test('an organization’s limit applies to all its keys together, and the tighter limit is the one reported', async () => {
    const limited = await createLimited({
      key: { requestsPerMinute: 100 },
      organization: { requestsPerMinute: 2 },
    });
    const { secret } = await gateway.accounts.directory.createKey({
      projectId: limited.projectId,
      label: 'second',
    });
    const second = { authorization: `Bearer ${secret}` };
    const first = await limited.ask();
    assert.deepEqual(pick(first, ['x-ratelimit-limit-requests']), ['2']);
    await first.arrayBuffer();
    assert.equal((await gateway.post(CHAT.path, CHAT.body, second)).status, 200);
    const response = await gateway.post(CHAT.path, CHAT.body, second);
    const message = await assertRefused(gateway, response, { ...REFUSED, format: 'chat' });
    assert.match(message, /organization of this key.*2 requests per minute/);
  });

  test('a change holds for the very next request', async () => {
    const limited = await createLimited({ key: { requestsPerMinute: 1 } });
    const statuses = [await limited.askForStatus(), await limited.askForStatus()];
    await gateway.accounts.directory.updateKey(limited.keyId, { rateLimits: { requestsPerMinute: 2 } });
    statuses.push(await limited.askForStatus(), await limited.askForStatus());
    await gateway.accounts.directory.updateKey(limited.keyId, { rateLimits: { requestsPerMinute: null } });
    statuses.push(await limited.askForStatus());
    assert.deepEqual(statuses, [200, 429, 200, 429, 200]);
  });
});

suite('tokens per minute', () => {
  const remainingOf = async (limited: Limited): Promise<number> => {
    const bad = await limited.ask({ path: CHAT.path, body: {} });
    return Number(bad.headers.get('x-ratelimit-remaining-tokens'));
  };

  test('a request counts with its estimate until its usage is known', async () => {
    const limited = await createLimited({ key: { tokensPerMinute: 10_000 } });
    gateway.upstream.script({ reply: answer({ text: 'one two three' }) });
    const response = await limited.ask();
    const { usage } = (await response.json()) as { usage: { total_tokens: number } };
    const estimate = 10_000 - Number(response.headers.get('x-ratelimit-remaining-tokens'));
    assert.ok(estimate > 0 && estimate < 100, String(estimate));
    assert.equal(await remainingOf(limited), 10_000 - usage.total_tokens);
  });

  test('an answer that used more than was left delays the next request', async () => {
    const limited = await createLimited({ key: { tokensPerMinute: 60 } });
    gateway.upstream.script({ reply: answerWithoutUsage({ text: 'x'.repeat(4_000) }) });
    assert.equal(await limited.askForStatus(), 200);
    const response = await limited.ask();
    const message = await assertRefused(gateway, response, { ...REFUSED, format: 'chat' });
    assert.match(message, /60 tokens per minute/);
    gateway.clock.advance(Number(response.headers.get('retry-after')) * 1_000);
    assert.equal(await limited.askForStatus(), 200);
  });

  test('a prompt beyond the whole limit is refused as too large, without a retry', async () => {
    const limited = await createLimited({ key: { tokensPerMinute: 100 } });
    const content = 'word '.repeat(1_000);
    const body = { ...CHAT.body, messages: [{ role: 'user', content }] };
    const response = await limited.ask({ path: CHAT.path, body });
    const message = await assertRefused(gateway, response, { ...REFUSED, format: 'chat' });
    assert.match(message, /100 tokens per minute.*about 1\d\d\d; make it smaller/);
    assert.deepEqual(pick(response, ['retry-after', 'x-should-retry']), [null, 'false']);
  });

  test('a failed request releases its tokens', async () => {
    const limited = await createLimited({ key: { tokensPerMinute: 1_000 } });
    gateway.upstream.script({ reply: fail(400, 'invalid_request_error') });
    assert.equal(await limited.askForStatus(), 400);
    assert.equal(await remainingOf(limited), 1_000);
  });
});

suite('concurrency', () => {
  const STREAM = { path: CHAT.path, body: { ...CHAT.body, stream: true } };

  /** Retries until a concurrency slot is free. */
  async function becomesFree(limited: Limited): Promise<void> {
    gateway.upstream.clear();
    await until('the place is given back', async () => (await limited.askForStatus()) === 200);
  }

  test('a request beyond it is refused while the others run, and admitted afterwards', async () => {
    const limited = await createLimited({ key: { concurrency: 2 } });
    gateway.upstream.script({ reply: endless(5) });
    const gone = new AbortController();
    const open = await Promise.all([1, 2].map(() => limited.ask(STREAM, streamInit(limited, gone.signal))));
    assert.deepEqual(
      open.map(({ status }) => status),
      [200, 200],
    );
    const response = await limited.ask();
    const message = await assertRefused(gateway, response, { ...REFUSED, format: 'chat' });
    assert.match(message, /2 concurrent requests/);
    assert.deepEqual(pick(response, ['retry-after']), ['1']);
    gone.abort();
    await becomesFree(limited);
  });

  test('every ending gives the place back at once', async () => {
    const limited = await createLimited({ key: { concurrency: 1 } });
    const replies = [
      answer({}),
      fail(400, 'invalid_request_error'),
      fail(500, 'api_error'),
      cutAfter(1, { how: 'reset' }),
      hang(),
    ];
    for (const [index, reply] of replies.entries()) {
      gateway.upstream.clear();
      gateway.upstream.script({ reply });
      const response = await gateway.impatiently(() => limited.ask(STREAM));
      await response.arrayBuffer().catch(() => undefined);
      gateway.upstream.clear();
      assert.equal(await limited.askForStatus(), 200, `after ending ${index}`);
    }
  });

  test('a client that disconnects before the provider answered releases its slot', async () => {
    const limited = await createLimited({ key: { concurrency: 1 } });
    gateway.upstream.script({ reply: hang() });
    const asked = gateway.upstream.truths.length;
    const gone = new AbortController();
    const left = limited.ask(STREAM, streamInit(limited, gone.signal)).catch(() => 'left');
    await gateway.upstream.waitForRequests(asked + 1);
    assert.equal(await limited.askForStatus(), 429);
    gone.abort();
    assert.equal(await left, 'left');
    await becomesFree(limited);
  });

  test('a request refused with 402 releases its slot', async () => {
    const limited = await createLimited({ key: { concurrency: 1 } });
    await gateway.accounts.directory.updateKey(limited.keyId, { limit: 0n });
    assert.deepEqual([await limited.askForStatus(), await limited.askForStatus()], [402, 402]);
  });

  function streamInit({ apiKey }: Limited, signal: AbortSignal): RequestInit {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` };
    return { method: 'POST', body: JSON.stringify(STREAM.body), headers, signal };
  }
});

test('a replay counts as a request and uses no tokens', async () => {
  const account = await gateway.createAccount({ cacheTtlSeconds: 60 });
  await gateway.accounts.directory.updateKey(account.keyId, {
    rateLimits: { requestsPerMinute: 2, tokensPerMinute: 1_000 },
  });
  const headers = { authorization: `Bearer ${account.apiKey}` };
  const first = await gateway.post(CHAT.path, CHAT.body, headers);
  await first.arrayBuffer();
  const replayed = await gateway.post(CHAT.path, CHAT.body, headers);
  await replayed.arrayBuffer();
  assert.equal(replayed.headers.get('x-gateway-cache'), 'HIT');
  assert.equal(replayed.headers.get('x-ratelimit-remaining-requests'), '0');
  assert.equal((await gateway.post(CHAT.path, CHAT.body, headers)).status, 429);
});

test('a key at its limit is refused before a large body is read, which counts nothing', async () => {
  const limited = await createLimited({ key: { requestsPerMinute: 1 } });
  const sendHead = async (contentLength: number): Promise<RawClient> => {
    const client = await RawClient.open(gateway.url);
    const head = `POST ${CHAT.path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n`;
    client.send(`${head}authorization: Bearer ${limited.apiKey}\r\ncontent-length: ${contentLength}\r\n\r\n`);
    return client;
  };
  using early = await sendHead(30_000_000);
  early.send('{"model":');
  assert.equal(await limited.askForStatus(), 200, 'an incomplete body takes no slot');
  for (const contentLength of [30_000_000, 64 * 1024]) {
    using client = await sendHead(contentLength);
    await until('the refusal came without a byte of the body', async () =>
      client.received.startsWith('HTTP/1.1 429 '),
    );
  }
});
