import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, afterEach, before, test } from 'node:test';
import { type InProcessGateway, openInProcess } from '../../test/support/in-process.ts';
import {
  type MockVideoProvider,
  createVideoConfig,
  startMockVideoProvider,
} from '../../test/support/mock-video-provider.ts';
import { finishVideo, orderVideo } from '../../test/support/video-client.ts';
import { until } from '../../test/support/until.ts';
import { EventStore } from './webhooks/event-store.ts';

let mock: MockVideoProvider;
let gateway: InProcessGateway;
const waiting: ServerResponse[] = [];
const servers: Server[] = [];
before(async () => {
  mock = await startMockVideoProvider();
  const config = createVideoConfig(mock.origin, 60_000);
  gateway = await openInProcess({ config });
});
afterEach(() => {
  mock.clear();
  for (const response of waiting.splice(0)) response.destroy();
  for (const server of servers.splice(0)) server.close();
});
after(async () => {
  await gateway[Symbol.asyncDispose]();
  await mock[Symbol.asyncDispose]();
});

interface Notice {
  id: string;
  type: string;
}

/** A project with a webhook receiver that answers as `answer` does; received events are kept. */
async function openReceiver(answer: (response: ServerResponse, count: number) => void) {
  const received: Notice[] = [];
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let body = '';
    for await (const part of request as AsyncIterable<Buffer>) body += part.toString();
    received.push(JSON.parse(body) as Notice);
    answer(response, received.length);
  };
  const server = createServer((request, response) => void receive(request, response));
  servers.push(server.listen(0, '127.0.0.1'));
  await once(server, 'listening');
  const { apiKey, projectId } = await gateway.createAccount();
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  await new EventStore(gateway.database).setWebhook(projectId, url, false);
  const headers = { authorization: `Bearer ${apiKey}` };
  const make = async () => finishVideo(gateway, (await orderVideo(gateway, {}, headers)).id, headers);
  return { received, make, url };
}

/** Absent while an attempt is in progress. */
const readEvent = async (id: string) => {
  const { rows } = await gateway.database.query<{ delivered: boolean; abandoned: boolean; attempts: number }>(
    {
      text: `SELECT delivered_at IS NOT NULL AS delivered, abandoned_at IS NOT NULL AS abandoned, attempts
      FROM video_event WHERE id = $1 AND leased_until IS NULL`,
      values: [id],
    },
  );
  return rows[0];
};

/** The event once that many attempts are recorded; earlier changes would be overwritten by the record. */
async function waitForAttempts(id: string, attempts: number): ReturnType<typeof readEvent> {
  let event: Awaited<ReturnType<typeof readEvent>>;
  await until(`attempt ${attempts} is recorded`, async () => {
    event = await readEvent(id);
    return event !== undefined && event.attempts >= attempts;
  });
  return event;
}

test('a provider that hangs does not delay videos of others', async () => {
  let polls = 0;
  mock.intercept = ({ method, path }, response) => {
    if (method !== 'GET' || !path.startsWith('/v1/videos/')) return false;
    polls += 1;
    waiting.push(response);
    return true;
  };
  await orderVideo(gateway);
  await until('the provider is asked', () => polls > 0);
  const { id } = await orderVideo(gateway, { model: 'grok-video' });
  assert.equal((await finishVideo(gateway, id)).status, 'completed');
});

test('a webhook receiver that hangs does not delay others', async () => {
  const hanging = await openReceiver((response) => void waiting.push(response));
  const prompt = await openReceiver((response) => void response.writeHead(204).end());
  await hanging.make();
  await until('the hanging receiver got its notice', () => hanging.received.length > 0);
  await prompt.make();
  await until('the other receiver got its notice', () => prompt.received.length > 0);
});

test('a webhook that fails is sent again with the same id; redirects are not followed, and a 410 ends it', async () => {
  const trap = await openReceiver((response) => void response.writeHead(204).end());
  const { received, make } = await openReceiver((response, count) => {
    if (count === 1) response.writeHead(307, { location: trap.url }).end();
    else if (count === 2) response.socket?.destroy();
    else response.writeHead(count === 3 ? 500 : 410).end();
  });
  await make();
  for (let tries = 1; tries <= 4; tries += 1) {
    await until('it is reported', () => received.length === tries);
    const event = await waitForAttempts(received[0]?.id ?? '', tries);
    assert.deepEqual(event, { delivered: false, abandoned: tries === 4, attempts: tries });
    const { outcome, attempts, next_attempt_at: next } = await findDelivery(received[0]?.id);
    assert.deepEqual(
      [outcome, attempts, typeof next],
      tries === 4 ? ['abandoned', 4, 'object'] : ['waiting', tries, 'string'],
    );
    await gateway.database.query({ text: 'UPDATE video_event SET next_at = clock_timestamp()' });
  }
  const later = await openReceiver((response) => void response.writeHead(204).end());
  await later.make();
  await until('the later job is reported', () => later.received.length > 0);
  assert.deepEqual(new Set(received.map(({ id, type }) => `${type} ${id}`)).size, 1);
  assert.deepEqual([received.length, received[0]?.type, trap.received.length], [4, 'video.completed', 0]);
  await waitForAttempts(later.received[0]?.id ?? '', 1);
  assert.equal((await findDelivery(later.received[0]?.id)).outcome, 'delivered');
});

interface Delivery {
  id: string;
  outcome: string;
  attempts: number;
  next_attempt_at: string | null;
}

/** What the operator reads of a message, and another organization does not. */
async function findDelivery(id: string | undefined): Promise<Delivery> {
  const { directory } = gateway.accounts;
  const { organizationId } = gateway.account;
  const [found, ...others] = await Promise.all(
    [{ label: 'operator' }, { label: 'other', organizationId }].map(async (admin) => {
      const { secret } = await directory.createAdminKey(admin);
      const headers = { authorization: `Bearer ${secret}` };
      const response = await gateway.request('/admin/v1/webhook_deliveries', { headers });
      const { data } = (await response.json()) as { data: Delivery[] };
      return data.find((delivery) => delivery.id === id);
    }),
  );
  assert.deepEqual(others, [undefined]);
  return found ?? assert.fail('it is not listed');
}

test('an event that was not accepted for a day is abandoned', async () => {
  const { received, make } = await openReceiver((response) => void response.writeHead(500).end());
  await make();
  await until('it is reported', () => received.length === 1);
  await waitForAttempts(received[0]?.id ?? '', 1);
  gateway.clock.advance(24 * 3_600_000);
  await gateway.database.query({ text: 'UPDATE video_event SET next_at = clock_timestamp()' });
  await until('it is reported', () => received.length === 2);
  assert.equal((await waitForAttempts(received[0]?.id ?? '', 2))?.abandoned, true);
});

test('a webhook gets a new secret with each different address, also after removal, and keeps it with the same one', async () => {
  const { projectId } = await gateway.createAccount();
  const events = new EventStore(gateway.database);
  const set = async (url: string, rotate = false): Promise<number> => {
    await events.setWebhook(projectId, url, rotate);
    return (await events.findWebhook(projectId))?.secretVersion ?? 0;
  };
  const first = await set('https://a.example.com/hook');
  assert.equal(await set('https://a.example.com/hook'), first);
  const versions = [first, await set('https://b.example.com/hook'), await set('https://a.example.com/hook')];
  versions.push(await set('https://a.example.com/hook', true));
  await events.removeWebhook(projectId);
  versions.push(await set('https://a.example.com/hook'));
  assert.equal(new Set(versions).size, 5);
});
