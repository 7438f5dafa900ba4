import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Catalogue } from '#catalogue';
import type { Provider } from '#providers';
import type { LogRow } from '#logs';
import { createFindProvider } from './video-provider.ts';

const NO_SOURCE = async (): Promise<undefined> => undefined;

/** The key with which a job is polled, where these credentials are configured; the first is also the provider's own client. */
async function askedWith(
  names: readonly string[],
  credential: string | undefined,
): Promise<string | undefined> {
  const asked: string[] = [];
  const createClient = (name: string): Provider =>
    ({
      id: 'pooled',
      redact: (text: string) => text,
      resources: {
        baseUrl: 'https://videos.example',
        ask: async () => (asked.push(name), { failure: { kind: 'broken', message: 'no' } }),
      },
    }) as unknown as Provider;
  const pool = names.map((name) => ({ name, provider: createClient(name) }));
  const [first] = pool;
  const source = {
    catalogue: {
      providers: new Map([['pooled', { id: 'pooled', videoProtocol: 'openai' }]]),
    } as unknown as Catalogue,
    providers: new Map(first && [['pooled', first.provider]]),
    pools: new Map(names.length > 1 ? [['pooled', pool]] : []),
    timeouts: { firstEventMs: 1_000, idleMs: 1_000, totalMs: 1_000 },
  };
  const job = { organizationId: 'org_1', providerId: 'pooled', row: {} as LogRow };
  const provider = await createFindProvider(
    () => source,
    NO_SOURCE,
  )({ ...job, ...(credential !== undefined && { credential }) });
  await provider?.poll('video_1');
  return asked[0];
}

test('a video that was ordered when its provider had one key without a name is asked for with the first of several', async () => {
  assert.equal(await askedWith(['only'], undefined), 'only');
  assert.equal(await askedWith(['main', 'spare'], undefined), 'main');
  assert.equal(await askedWith(['spare', 'default'], undefined), 'default', 'unless one is named as it was');
});

test('a video that was ordered with a named credential is asked for with no other', async () => {
  assert.equal(await askedWith(['main', 'spare'], 'spare'), 'spare');
  assert.equal(await askedWith(['main', 'other'], 'spare'), undefined);
});
