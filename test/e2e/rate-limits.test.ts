import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { createProviderConfig } from '../support/gateway.ts';
import { openInProcess } from '../support/in-process.ts';
import { type MockUpstream, startMockUpstream } from '../support/mock-upstream.ts';
import { startRedis } from '../support/redis.ts';

const CHAT = '/v1/chat/completions';
const BODY = { model: 'mock-model', max_tokens: 20, messages: [{ role: 'user', content: 'hello' }] };

let upstream: MockUpstream;
let config: string;
before(async () => {
  upstream = await startMockUpstream();
  config = createProviderConfig(upstream.baseUrl, {});
});
after(() => upstream.close());

const redis = await startRedis();
after(() => redis?.[Symbol.asyncDispose]());

const STORES = { 'in process': false, 'in Redis': true };

for (const [place, isShared] of Object.entries(STORES)) {
  suite(`limits counted ${place}`, { skip: isShared && !redis && 'redis-server is not installed' }, () => {
    test('a key created with --rpm is limited to it, and commands change and show the limit', async () => {
      await using gateway = await openInProcess({
        config,
        ...(isShared && redis && { env: { REDIS_URL: redis.url } }),
      });
      const ask = async (authorization: string): Promise<Response> => {
        const response = await gateway.post(CHAT, BODY, { authorization });
        await response.arrayBuffer();
        return response;
      };
      const { id, authorization } = await gateway.createKey(
        '--rpm',
        '2',
        '--tpm',
        '50000',
        '--concurrency',
        '3',
      );
      /** A running gateway is notified of a change; without a notification it checks after half a minute. */
      const askUntil = async (wanted: number): Promise<number> => {
        const deadlineMs = performance.now() + 15_000;
        for (;;) {
          const { status } = await ask(authorization);
          if (status === wanted || performance.now() > deadlineMs) return status;
        }
      };
      const listed = (await gateway.cli('keys', 'list')).json?.['data'] as {
        id: string;
        rate_limits: object;
      }[];
      const rateLimits = { requests_per_minute: 2, tokens_per_minute: 50_000, concurrency: 3 };
      assert.deepEqual(listed.find((key) => key.id === id)?.rate_limits, rateLimits);
      const answers = [await ask(authorization), await ask(authorization), await ask(authorization)];
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 200, 429],
      );
      assert.deepEqual(
        answers.map(({ headers }) => headers.get('x-ratelimit-remaining-requests')),
        ['1', '0', '0'],
      );
      const changed = await gateway.cli('keys', 'limits', id, '--rpm', '3', '--tpm', 'none');
      assert.equal(changed.stderr, '');
      assert.deepEqual(changed.json?.['rate_limits'], {
        ...rateLimits,
        requests_per_minute: 3,
        tokens_per_minute: null,
      });
      assert.equal(await askUntil(200), 200);
      await gateway.cli('keys', 'limits', id, '--rpm', 'none');
      const { organizationId } = gateway.account;
      const org = await gateway.cli('orgs', 'limits', organizationId, '--rpm', '1');
      assert.deepEqual(org.json?.['rate_limits'], {
        requests_per_minute: 1,
        tokens_per_minute: null,
        concurrency: null,
      });
      assert.deepEqual([await askUntil(200), await askUntil(429)], [200, 429]);
      const wrong = await gateway.cli('keys', 'limits', id, '--rpm', '0');
      assert.notEqual(wrong.code, 0);
      if (isShared) await redis?.stop();
      assert.equal((await ask(authorization)).status, 429, 'an outage of Redis admits no more requests');
    });
  });
}
