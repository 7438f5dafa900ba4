import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { awaitEarlier } from '../support/await-earlier.ts';
import { configureFormats } from '../support/gateway.ts';
import type { MockUpstream } from '../support/mock-upstream.ts';
import { type AwaitNotices, followNotices } from '../support/notices.ts';
import {
  type Reply,
  answer,
  cutAfter,
  errorAfter,
  errorWithOk,
  fail,
  hang,
  sequence,
} from '../support/upstream-replies.ts';
import { shareGateway } from '../support/share-gateway.ts';

const CHAT = '/v1/chat/completions';
const MESSAGES = '/v1/messages';
const SHORTEST_TTL_SECONDS = 10;

let upstream: MockUpstream;
/** A key of a second project of the same organization. */
let stranger: { authorization: string };
let awaitNotices: AwaitNotices;

const gateway = shareGateway({ config: configureFormats });
before(async () => {
  ({ upstream } = gateway);
  awaitNotices = await followNotices(gateway);
  stranger = await createOtherProject();
});

async function createOtherProject(): Promise<typeof stranger> {
  const projectId = 'prj_other';
  await gateway.database.query({
    text: `INSERT INTO project (id, organization_id, name) VALUES ($1, $2, 'Other')`,
    values: [projectId, gateway.account.organizationId],
  });
  await setTtl('3600', projectId);
  const { authorization } = await gateway.createKey('--project', projectId);
  return { authorization };
}

async function setTtl(ttl: string, projectId = gateway.account.projectId): Promise<void> {
  const { code, json, stderr } = await gateway.cli('cache', 'set', '--project', projectId, '--ttl', ttl);
  assert.equal(code, 0, stderr);
  assert.equal(json?.['cache_ttl_seconds'], ttl === 'off' ? null : Number(ttl));
  await awaitNotices();
}

let serial = 0;

/** A body that no other test has sent. */
function createBody(fields: Record<string, unknown> = {}): string {
  serial += 1;
  return JSON.stringify({
    model: 'chat-model',
    max_tokens: 64,
    ...fields,
    messages: [{ role: 'user', content: `question ${serial}` }],
  });
}

interface Seen {
  status: number;
  text: string;
  isHit: boolean;
  requestId: string;
  /** Sent in one piece, however slowly it was created. */
  isWhole: boolean;
}

async function ask(path: string, body: string, headers: Record<string, string> = {}): Promise<Seen> {
  const response = await gateway.request(path, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', ...headers },
  });
  const text = await response.text();
  return {
    status: response.status,
    text,
    isHit: response.headers.get('x-gateway-cache') === 'HIT',
    requestId: response.headers.get('x-request-id') ?? '',
    isWhole: response.headers.has('content-length'),
  };
}

function script(reply: Reply): void {
  upstream.clear();
  upstream.script({ reply });
}

test('by default nothing is cached, and identical requests do not wait for each other', async () => {
  script(answer({ text: 'fresh' }, 5));
  const body = createBody();
  const together = await Promise.all([ask(CHAT, body), ask(CHAT, body), ask(CHAT, body)]);
  const seen = [...together, await ask(CHAT, body)];
  assert.deepEqual(
    seen.map(({ status, isHit }) => [status, isHit]),
    seen.map(() => [200, false]),
  );
  assert.equal(upstream.truths.length, 4);
});

describe('with a time to live', () => {
  let aging: { body: string; storedMs: number };

  before(async () => {
    await setTtl(String(SHORTEST_TTL_SECONDS));
    script(answer({ text: 'this will grow old' }));
    const body = createBody();
    assert.equal((await ask(CHAT, body)).isHit, false);
    aging = { body, storedMs: performance.now() };
    assert.equal((await ask(CHAT, body)).isHit, true);
    await setTtl('3600');
  });

  for (const path of [CHAT, MESSAGES]) {
    for (const model of ['chat-model', 'messages-model']) {
      for (const stream of [false, true]) {
        test(`${path} → ${model}, ${stream ? 'stream' : 'JSON'}: the same bytes get the same answer at once, for nothing`, async () => {
          script(answer({ text: 'one two three four five six', chunks: 6 }, 30));
          const body = createBody({ model, stream, stream_options: { include_usage: true } });
          const first = await ask(path, body);
          assert.equal(first.status, 200, first.text);
          const again = await ask(path, body);
          assert.deepEqual([first.isHit, again.isHit], [false, true]);
          assert.equal(again.text, first.text, 'the same id, the same usage, byte for byte');
          assert.notEqual(again.requestId, first.requestId);
          assert.deepEqual([first.isWhole, again.isWhole], [!stream, true], 'at once');
          assert.equal(upstream.truths.length, 1);
          const [paid, free] = await Promise.all([
            gateway.waitForRow(first.requestId),
            gateway.waitForRow(again.requestId),
          ]);
          assert.ok(BigInt(paid.customer) > 0n);
          assert.equal(paid.cached, false);
          assert.equal(free.cached, true);
          assert.deepEqual([free.customer, free.provider, free.attempts.length], ['0', '0', 0]);
          assert.deepEqual(
            [free.finishReason, free.providerId, free.modelId, free.stream, free.status],
            [paid.finishReason, paid.providerId, paid.modelId, stream, 200],
          );
        });
      }
    }
  }

  test('a replay does not count against the key’s limit', async () => {
    script(answer({ text: 'spent once' }));
    const { authorization } = await gateway.createKey('--limit', '5');
    const key = { authorization };
    const readUsage = async (): Promise<unknown> => {
      const response = await gateway.request('/v1/key', { headers: key });
      return ((await response.json()) as { data: { usage: string } }).data.usage;
    };
    const body = createBody();
    await ask(CHAT, body, key);
    const usage = await readUsage();
    assert.notEqual(usage, '0');
    assert.equal((await ask(CHAT, body, key)).isHit, true);
    assert.equal(await readUsage(), usage);
  });

  const VARIATIONS: Record<string, (body: string) => Promise<Seen>> = {
    'one byte more': (body) => ask(MESSAGES, body.replace('{', '{ ')),
    'one byte changed': (body) => ask(MESSAGES, body.replace('question', 'Question')),
    'another endpoint': (body) => ask(CHAT, body),
    'another anthropic-beta': (body) =>
      ask(MESSAGES, body, { 'anthropic-beta': 'context-management-2025-06-27' }),
    'another anthropic-version': (body) => ask(MESSAGES, body, { 'anthropic-version': '2023-06-01' }),
    'x-no-metadata': (body) => ask(MESSAGES, body, { 'x-no-metadata': 'true' }),
    'another project': (body) => ask(MESSAGES, body, stranger),
  };

  for (const [name, vary] of Object.entries(VARIATIONS)) {
    test(`${name} is another request`, async () => {
      script(answer({ text: 'an answer' }));
      const body = createBody();
      assert.equal((await ask(MESSAGES, body)).isHit, false);
      const varied = await vary(body);
      assert.deepEqual([varied.status, varied.isHit, upstream.truths.length], [200, false, 2]);
      assert.equal((await ask(MESSAGES, body)).isHit, true, 'the first answer is still there');
    });
  }

  test('another key of the project shares its answers; what does not change an answer is no part of the request', async () => {
    script(answer({ text: 'shared' }));
    const { authorization } = await gateway.createKey();
    const body = createBody();
    await ask(CHAT, body);
    assert.equal((await ask(CHAT, body, { authorization })).isHit, true);
    assert.equal((await ask(`${CHAT}?beta=true`, body, { 'user-agent': 'another' })).isHit, true);
  });

  test('x-no-cache does not read, does not write, and does not wait for a request under way', async () => {
    script(answer({ text: 'unkept' }, 50));
    const body = createBody();
    const askPlainly = () => ask(CHAT, body, { 'x-no-cache': 'true' });
    const together = await Promise.all([askPlainly(), askPlainly()]);
    const seen = [...together, await ask(CHAT, body), await askPlainly()];
    assert.ok(seen.every(({ isHit }) => !isHit));
    assert.equal(upstream.truths.length, 4);
  });

  const FAULTS: Record<string, Reply> = {
    'a refusal': fail(400, 'invalid_request_error'),
    'a failure': fail(500, 'api_error'),
    'an error with status 200': errorWithOk(),
    'a cut stream': cutAfter(4, { text: 'a b c d e f', chunks: 6 }),
    'a stream that ends in an error': errorAfter(4),
  };

  for (const [name, reply] of Object.entries(FAULTS)) {
    for (const path of [CHAT, MESSAGES]) {
      test(`${path}: ${name} is never replayed`, async () => {
        const body = createBody({ stream: name.includes('stream') });
        script(sequence(reply, answer({ text: 'well again' })));
        const first = await ask(path, body);
        assert.ok(first.status >= 400 || !/\[DONE\]|message_stop/.test(first.text), first.text);
        const second = await ask(path, body);
        assert.deepEqual([second.status, second.isHit], [200, false]);
        assert.equal((await ask(path, body)).isHit, true);
        assert.equal(upstream.truths.length, 2);
      });
    }
  }

  test('a stream whose caller disconnected is never replayed', async () => {
    const goesOn = cutAfter(4, { text: 'one two three four', chunks: 4, how: 'silence' });
    script(sequence(goesOn, answer({ text: 'well again' })));
    const body = createBody({ stream: true });
    const response = await gateway.post(CHAT, JSON.parse(body));
    await response.body?.cancel();
    const row = await gateway.waitForRow(response);
    assert.equal(row.finishReason, 'canceled');
    const second = await ask(CHAT, body);
    assert.equal(second.isHit, false);
    assert.match(second.text, /\[DONE\]/);
  });

  for (const stream of [false, true]) {
    test(`100 identical ${stream ? 'streams' : 'requests'} at once are one call of the provider and one bill`, async () => {
      script(answer({ text: 'generated once, sent to all', chunks: 5 }, 40));
      const body = createBody({ stream });
      const seen = await Promise.all(Array.from({ length: 100 }, () => ask(CHAT, body)));
      const rows = await Promise.all(seen.map(({ requestId }) => gateway.waitForRow(requestId)));
      const called = rows.filter(({ cached }) => !cached);
      assert.equal(called.length, 1, JSON.stringify(called));
      // Of this question: a port may have been that of another test, whose gateway still calls it.
      const own = upstream.find(`question ${serial}"`);
      assert.equal(own.length, 1, JSON.stringify({ calls: upstream.truths, called }));
      assert.equal(new Set(seen.map(({ text }) => text)).size, 1);
      assert.equal(seen.filter(({ isHit }) => isHit).length, 99);
      assert.equal(rows.filter(({ customer }) => customer !== '0').length, 1);
    });
  }

  test('if the first of several identical requests fails, another takes over and the rest share its answer', async () => {
    const slowFailure: Reply = async (exchange) => {
      await exchange.pause(150);
      await fail(500, 'api_error')(exchange);
    };
    script(sequence(slowFailure, answer({ text: 'second try' }, 50)));
    const body = createBody();
    const seen = await Promise.all(Array.from({ length: 30 }, () => ask(CHAT, body)));
    assert.equal(seen.filter(({ status }) => status === 502).length, 1);
    assert.equal(seen.filter(({ status }) => status === 200).length, 29);
    assert.equal(upstream.truths.length, 2);
  });

  test('a leader that disconnects does not end its followers', async () => {
    script(sequence(hang(), answer({ text: 'still here' })));
    const [body, leaving] = [createBody(), new AbortController()];
    const headers = { 'content-type': 'application/json' };
    const leader = gateway.request(CHAT, { method: 'POST', body, headers, signal: leaving.signal });
    await upstream.waitForRequests(1);
    const followers = Array.from({ length: 5 }, () => ask(CHAT, body));
    await awaitEarlier(gateway);
    leaving.abort();
    await assert.rejects(leader);
    for (const { status, text } of await Promise.all(followers)) assert.equal(status, 200, text);
    assert.equal(upstream.truths.length, 2);
  });

  test('a disabled key gets no replay', async () => {
    script(answer({ text: 'for holders of a key' }));
    const { id, authorization } = await gateway.createKey();
    const [headers, body] = [{ authorization }, createBody()];
    await ask(CHAT, body, headers);
    assert.equal((await ask(CHAT, body, headers)).isHit, true);
    assert.equal((await gateway.cli('keys', 'disable', id)).code, 0);
    await awaitNotices();
    assert.equal((await ask(CHAT, body, headers)).status, 401);
    assert.equal((await ask(CHAT, body)).isHit, true);
  });

  test('turned off, nothing is replayed; on again, what is still young is', async () => {
    script(answer({ text: 'kept' }));
    const body = createBody();
    await ask(CHAT, body);
    await setTtl('off');
    assert.equal((await ask(CHAT, body)).isHit, false);
    await setTtl('60');
    assert.equal((await ask(CHAT, body)).isHit, true);
  });

  test('a cached answer expires', async () => {
    script(answer({ text: 'this is new' }));
    await sleep(Math.max(0, aging.storedMs + SHORTEST_TTL_SECONDS * 1_000 + 100 - performance.now()));
    const seen = await ask(CHAT, aging.body);
    assert.equal(seen.isHit, false);
    assert.match(seen.text, /this is new/);
  });
});

test('the ledger is consistent afterwards', async () => {
  const { code, stdout } = await gateway.cli('ledger', 'check');
  assert.equal(code, 0, stdout);
});
