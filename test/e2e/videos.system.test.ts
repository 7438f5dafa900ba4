import type { JsonObject } from '#base';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type IncomingMessage, createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { LLMock } from '@copilotkit/aimock';
import OpenAI from 'openai';
import { type Gateway, startGateway } from '../support/gateway.ts';
import {
  type MockVideoProvider,
  createVideoConfig,
  startMockVideoProvider,
} from '../support/mock-video-provider.ts';
import { finishVideo, orderVideo } from '../support/video-client.ts';

/** With 48 readers of 64 MB each, provider and readers share one process. */
const READERS_SILENCE_MS = 30_000;

let mock: MockVideoProvider;
let gateway: Gateway;
before(async () => {
  mock = await startMockVideoProvider();
  gateway = await startGateway({ config: createVideoConfig(mock.origin, READERS_SILENCE_MS) });
});
after(async () => {
  await gateway[Symbol.asyncDispose]();
  await mock[Symbol.asyncDispose]();
});

test('the official SDK: create, retrieve, list, download, delete, and a webhook it can verify', async () => {
  const received = Promise.withResolvers<{ body: string; headers: Record<string, string> }>();
  const receiver = createServer((request, response) => {
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString()));
    request.on('end', () => {
      response.writeHead(204).end();
      received.resolve({ body, headers: request.headers as Record<string, string> });
    });
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  const { json } = await gateway.cli('videos', 'webhook', '--url', url);
  const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.apiKey, maxRetries: 0 });
  mock.steps = ['queued', 'in_progress', 'completed'];
  const created = await client.videos.create({
    model: 'open-video',
    prompt: 'a cat',
    seconds: '4',
    size: '1280x720',
  });
  const { status } = await finishVideo(gateway, created.id);
  assert.equal(status, 'completed');
  const video = await client.videos.retrieve(created.id);
  assert.deepEqual([video.object, video.status, video.progress], ['video', 'completed', 100]);
  const listed: string[] = [];
  for await (const { id } of client.videos.list({ limit: 1 })) listed.push(id);
  assert.deepEqual(listed, [created.id]);
  const content = await client.videos.downloadContent(created.id);
  assert.equal(await content.text(), mock.content.toString());
  const { body, headers } = await received.promise;
  const event = await client.webhooks.unwrap(body, headers, json?.['secret'] as string);
  assert.equal(event.type, 'video.completed');
  assert.equal((JSON.parse(body) as { data: { id: string } }).data.id, created.id);
  assert.equal((JSON.parse(body) as { id: string }).id, headers['webhook-id']);
  await assert.rejects(async () => client.webhooks.unwrap(`${body} `, headers, json?.['secret'] as string));
  assert.equal((await client.videos.delete(created.id)).deleted, true);
  await gateway.cli('videos', 'webhook', '--off');
  receiver.close();
});

test('a job is polled through kill -9 and a restart, billed once, and explained', async () => {
  mock.steps = ['in_progress'];
  await using first = await startGateway({ config: createVideoConfig(mock.origin) });
  const { id } = await orderVideo(first, { seconds: 8 });
  const apiKey = first.apiKey;
  await first.kill();
  mock.intercept = (request, response) => {
    if (!/^\/v1\/videos\/job_\d+$/.test(request.path)) return false;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ id: request.path.split('/').at(-1), status: 'completed' }));
    return true;
  };
  await using second = await startGateway({
    config: createVideoConfig(mock.origin),
    dataDir: first.dataDir,
  });
  const headers = { authorization: `Bearer ${apiKey}` };
  const video = await finishVideo(second, id, headers);
  mock.clear();
  assert.equal(video.status, 'completed');
  const check = await second.cli('ledger', 'check');
  assert.deepEqual(check.json, {
    object: 'ledger_check',
    ok: true,
    differences: [],
    waiting: 0,
    lost: '0',
  });
  const logId = /logs\/(\w+)\//.exec(video.content?.[0]?.url ?? '')?.[1] ?? '';
  const { json } = await second.cli('ledger', 'explain', logId);
  assert.ok(json);
  const [line, ...others] = json['lines'] as JsonObject[];
  assert.deepEqual(
    [line?.['part'], line?.['detail'], line?.['units'], line?.['price'], line?.['amount'], others],
    ['video_second', '1280x720', 8, '0.1', '0.8', []],
  );
  assert.equal(json['cost'], '0.8');
  const status = (await (await fetch(`${second.url}/v1/key`, { headers })).json()) as {
    data: { usage: string };
  };
  assert.equal(status.data.usage, '0.8');
});

test('48 clients that stop reading do not fill the gateway’s memory with their 3 GB', async () => {
  const small = mock.content;
  mock.content = Buffer.alloc(64 * 1024 * 1024, 'v');
  const readRss = (): number =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${gateway.pid}/status`, 'utf8'))?.[1]) / 1024;
  mock.steps = ['completed'];
  const links: string[] = [];
  for (let count = 0; count < 4; count += 1) {
    const { id } = await orderVideo(gateway);
    links.push((await finishVideo(gateway, id)).content?.[0]?.url ?? '');
  }
  await (await fetch(gateway.url + (links[0] ?? ''))).arrayBuffer(); // allocates what any read needs
  const beforeMb = readRss();
  const readers = links.flatMap((link) =>
    Array.from({ length: 12 }, () =>
      get(`${gateway.url}${link}`, { agent: false }).on('error', () => undefined),
    ),
  );
  const answers = await Promise.all(
    readers.map(async (reader) => (await once(reader, 'response')) as [IncomingMessage]),
  );
  await sleep(1_500); // long enough to fill every buffer on the way
  const grownMb = readRss() - beforeMb;
  for (const [answer] of answers) assert.equal(answer.statusCode, 200);
  for (const reader of readers) reader.destroy();
  // 3 GB are on their way; without back-pressure all of it would be here, and what the garbage collector has not
  // freed is little beside it. The exact bound is that of `npm run test:long -- readers`.
  assert.ok(grownMb <= 300, `grew by ${grownMb} MB`);
  mock.content = small;
});

test('an operator can list running jobs and cancel them', async () => {
  mock.steps = ['in_progress'];
  const { id } = await orderVideo(gateway);
  const { json } = await gateway.cli('videos', 'list', '--open');
  assert.deepEqual(
    (json?.['data'] as { id: string }[]).map((video) => video.id),
    [id],
  );
  assert.deepEqual((await gateway.cli('videos', 'cancel', id)).json, { id, status: 'canceled' });
  assert.equal((await finishVideo(gateway, id)).status, 'canceled');
  const listed = (await gateway.cli('videos', 'list')).json?.['data'] as Record<string, unknown>[];
  const canceled = listed.find((video) => video['id'] === id);
  assert.equal(canceled?.['cost'], '0'); // canceled, so no one pays
  assert.match(String(canceled['created_at']), /^\d{4}-\d\d-\d\dT/);
  const nowhere = await gateway.cli(
    'videos',
    'webhook',
    '--url',
    'https://example.com/hook',
    '--project',
    'x',
  );
  assert.match(nowhere.stderr, /neither the id nor the name of a project/);
});

test('jobs of upstreams that others wrote: OpenAI, Veo and xAI as aimock has them', async () => {
  const other = new LLMock({ port: 0 });
  const video = { id: 'video_aimock', status: 'completed' as const, url: 'https://example.com/a.mp4' };
  other.onVideo('a cat', { video });
  other.onVideo('a dog', { video: { id: 'video_dog', status: 'failed', error: 'no dogs' } });
  await other.start();
  const config = createVideoConfig(other.url).replace('/xai/v1', '/v1');
  await using own = await startGateway({ config });
  for (const model of ['open-video', 'veo-video', 'grok-video']) {
    const { id } = await orderVideo(own, { model });
    assert.equal((await finishVideo(own, id)).status, 'completed', model);
    const failed = await orderVideo(own, { model, prompt: 'a dog' });
    assert.equal((await finishVideo(own, failed.id)).status, 'failed', model);
  }
  assert.deepEqual((await own.cli('ledger', 'check')).json, {
    object: 'ledger_check',
    ok: true,
    differences: [],
    waiting: 0,
    lost: '0',
  });
  await other.stop();
});
