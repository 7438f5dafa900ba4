import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { STRICT_ADDRESSES } from '#base';
import { type Catalogue, type CatalogueFiles, CatalogueError, nameKey, resolveModel } from '#catalogue';
import { type DocumentReader, createDocumentReader } from '#providers';
import type { Log } from '#telemetry';
import { FeedPublisher, offer } from '../../../test/support/feed-publisher.ts';
import { openFreshDatabase } from '../../../test/support/fresh-database.ts';
import { shareOpened } from '../../../test/support/share-opened.ts';
import { MovableClock } from '../../../test/support/movable-clock.ts';
import { until } from '../../../test/support/until.ts';
import { getBaseFiles } from '../settings/base-catalogue.ts';
import type { FeedSettings } from '../settings/feed-settings.ts';
import { admitFeed } from './admit-feed.ts';
import { listFeedConditions } from './feed-conditions.ts';
import { FeedStore } from './feed-store.ts';
import { FeedFollower } from './follow-feed.ts';
import { updateFeed } from './operate-feed.ts';
import { fetchFeed } from './refresh-feed.ts';

const HOUR_MS = 3_600_000;

let publisher: FeedPublisher;
let clock: MovableClock;
let logLines: string[] = [];
let settings: FeedSettings;

const write = (facts: object, message: string): void =>
  void logLines.push(`${message} ${JSON.stringify(facts)}`);
const log: Log = { debug: write, info: write, warn: write, error: write };

const fresh = shareOpened(() => openFreshDatabase());

afterEach(() => publisher.stop());
beforeEach(async () => {
  publisher = await FeedPublisher.start();
  clock = new MovableClock();
  logLines = [];
  const addresses = { ...STRICT_ADDRESSES, trustedHosts: ['127.0.0.1'] };
  const { url, publicKey } = publisher;
  settings = { url, publicKey, refreshMs: 700 * HOUR_MS, noticeMs: 24 * HOUR_MS, addresses };
});

/** A process that follows the feed, and the catalogue that it uses. */
async function follow(
  openReader: (rules: FeedSettings['addresses']) => DocumentReader = createDocumentReader,
): Promise<{
  follower: FeedFollower;
  priceOf(model?: string): number | undefined;
  fail(error?: Error): void;
}> {
  const follower = new FeedFollower({ database: fresh.database, clock, log, openReader, lookEveryMs: 10 });
  let catalogue: Catalogue = await follower.open(settings);
  let failure: Error | undefined;
  follower.start(async (next) => {
    if (failure) throw failure;
    catalogue = next;
  });
  return {
    follower,
    priceOf: (model = 'feedling') => {
      const found = resolveModel(catalogue, model, clock.now());
      if (found.kind !== 'found') return undefined;
      return Number(found.mappings[0]?.price?.parts.inputUncached) / 1_000_000;
    },
    fail: (error) => (failure = error),
  };
}

const publish = (sequence: number, ...models: CatalogueFiles['models']): void =>
  publisher.publish(models, { sequence, publishedAt: clock.now() });

const update = (): Promise<unknown> =>
  updateFeed({ catalogue: settings, providers: [] }, fresh, { file: undefined, isAccepted: false });

test('of two processes one fetches, and both change the price when its moment comes, without the publisher', async () => {
  publish(1, offer('feedling', '1', '2'));
  const processes = [await follow(), await follow()];
  for (const { priceOf } of processes) await until('the first feed', () => priceOf() === 1);
  assert.equal(publisher.fetched, 1);
  publish(2, offer('feedling', '1.5', '2'));
  await update();
  await publisher.stop();
  const [first, second] = processes;
  assert.ok(first && second);
  await until('the announcement', () => first.follower.report?.announcements.length === 1);
  const [condition] = listFeedConditions(first.follower.report);
  assert.equal(condition?.begins, 'catalogue.announced');
  assert.deepEqual([condition.data['prices'], condition.data['names']], [1, ['groq/feedling']]);
  assert.equal(first.priceOf(), 1);
  clock.advance(24 * HOUR_MS);
  for (const { priceOf } of processes) await until('the new price', () => priceOf() === 1.5);
  assert.deepEqual(first.follower.report?.announcements, []);
  for (const { follower } of processes) await follower.close();
  const restarted = await follow();
  assert.equal(restarted.priceOf(), 1.5);
  await restarted.follower.close();
});

test('a price whose storing fails is tried again, and a feed that does not fit the configuration is named and left', async () => {
  publish(1, offer('feedling', '1', '2'));
  const { follower, priceOf, fail } = await follow();
  await until('the first feed', () => priceOf() === 1);
  fail(new Error('the disk is full'));
  publish(2, offer('feedling', '1', '2'), offer('newling', '3', '4'));
  await update();
  await until('the failure', () => logLines.some((line) => line.includes('the disk is full')));
  assert.equal(priceOf('newling'), undefined);
  fail();
  await until('the next try', () => priceOf('newling') === 3);
  fail(new CatalogueError('the name feedling belongs to another'));
  publish(3, offer('feedling', '1', '2'), offer('thirdling', '3', '4'));
  await update();
  await until('the refusal', () => logLines.some((line) => line.includes('does not fit this configuration')));
  assert.equal(priceOf('newling'), 3);
  await follower.close();
});

test('a refusal is logged once, reported as a condition, and over with the next good feed', async () => {
  publish(1, offer('feedling', '1', '2'));
  publisher.tamper((text) => text.replace('"1"', '"9"'));
  const { follower, priceOf } = await follow();
  await until('the refusal', () => follower.report?.record?.fault?.kind === 'signature');
  await assert.rejects(update());
  await assert.rejects(update());
  assert.equal(logLines.filter((line) => line.includes('was refused')).length, 1);
  assert.equal(listFeedConditions(follower.report)[0]?.begins, 'catalogue.refused');
  publish(2, offer('feedling', '1', '2'));
  await update();
  await until('the good feed', () => priceOf() === 1 && listFeedConditions(follower.report).length === 0);
  await follower.close();
});

test('an edit of the configuration takes the feed away, and brings it back', async () => {
  publish(1, offer('feedling', '1', '2'));
  const { follower, priceOf } = await follow();
  await until('the feed', () => priceOf() === 1);
  follower.replace(undefined);
  await until('the built-in catalogue', () => priceOf() === undefined && priceOf('claude-opus-4-8') === 5);
  assert.equal(follower.report, undefined);
  follower.replace(settings);
  await until('the feed again', () => priceOf() === 1);
  await follower.close();
});

test('an edit of the configuration keeps what is announced, and its moment', async () => {
  publish(1, offer('feedling', '1', '2'));
  const { follower, priceOf } = await follow();
  await until('the feed', () => priceOf() === 1);
  publish(2, offer('feedling', '1.5', '2'));
  await update();
  const isAnnounced = (): boolean => follower.report?.announcements.length === 1;
  await until('the announcement', isAnnounced);
  follower.replace({ ...settings, refreshMs: settings.refreshMs + 1 });
  await until('the announcement again', isAnnounced);
  clock.advance(24 * HOUR_MS);
  await until('the new price', () => priceOf() === 1.5);
  await follower.close();
});

test('a price that is built in with its day counts from then on, without a restart', async () => {
  const start = Date.parse('2026-12-01');
  clock.advance(start - HOUR_MS - clock.now());
  const { follower, priceOf } = await follow();
  assert.equal(priceOf('gemini-4-argon'), 2);
  clock.advance(HOUR_MS);
  await until('the price of December', () => priceOf('gemini-4-argon') === 4);
  await follower.close();
});

test('a gateway that stops ends a download in progress, which is no fault of the feed, and another fetches it', async () => {
  publish(1, offer('feedling', '1', '2'));
  const started = Promise.withResolvers<undefined>();
  const ended = Promise.withResolvers<Buffer>();
  const { follower } = await follow(() => ({
    read: () => {
      started.resolve(undefined);
      return ended.promise;
    },
    close: async () => ended.reject(new Error('closed')),
  }));
  await started.promise;
  await follower.close();
  assert.equal((await new FeedStore(fresh.database, nameKey(settings.publicKey)).read())?.fault, undefined);
  const { follower: other, priceOf } = await follow();
  await until('the other fetches it', () => priceOf() === 1);
  await other.close();
});

test('a price changes at its moment while a publisher does not answer', async () => {
  publish(1, offer('feedling', '1', '2'));
  await update();
  publish(2, offer('feedling', '1.5', '2'));
  await update();
  await fresh.database.query({ text: `UPDATE catalogue_feed SET due_at = '-infinity'` });
  const started = Promise.withResolvers<undefined>();
  const ended = Promise.withResolvers<Buffer>();
  const { follower, priceOf } = await follow(() => ({
    read: () => {
      started.resolve(undefined);
      return ended.promise;
    },
    close: async () => ended.reject(new Error('closed')),
  }));
  await started.promise;
  assert.equal(priceOf(), 1);
  clock.advance(24 * HOUR_MS);
  await until('the new price', () => priceOf() === 1.5);
  await follower.close();
});

test('a fault that quotes what PostgreSQL does not store is reported all the same', async () => {
  const signature = JSON.stringify({ keyId: '\u0000\uD83D', signature: 'x' });
  const { follower } = await follow(() => ({
    read: async (address) => Buffer.from(address.endsWith('.sig') ? signature : '{}'),
    close: async () => undefined,
  }));
  await until('the refusal', () => follower.report?.record?.fault?.kind === 'signature');
  assert.match(follower.report?.record?.fault?.message ?? '', /with the key \uFFFD\uFFFD,/);
  await follower.close();
});

test('after an upgrade the same feed brings the models of providers that the earlier version did not know', async () => {
  publish(1, offer('feedling', '1', '2'), offer('newling', '3', '4'));
  const { publicKey, noticeMs } = settings;
  const {
    files: { providers, models },
  } = await getBaseFiles();
  const store = new FeedStore(fresh.database, nameKey(publicKey));
  const ports = { store, publicKey, noticeMs, now: clock.now() };
  const reader = createDocumentReader(settings.addresses);
  const fetched = await fetchFeed(reader, publisher.url);
  await reader.close();
  const earlier = { providers: providers.filter(({ id }) => id !== 'groq'), models: [] };
  assert.deepEqual((await admitFeed({ ...ports, built: earlier }, fetched)).unknownProviders, ['groq']);
  assert.equal((await admitFeed({ ...ports, built: earlier }, fetched)).result, 'current');
  const { result, changes } = await admitFeed({ ...ports, built: { providers, models } }, fetched);
  assert.equal(result, 'stored');
  assert.deepEqual(
    changes.map(({ kind, modelId }) => [kind, modelId]),
    [
      ['added', 'feedling'],
      ['added', 'newling'],
    ],
  );
  assert.equal((await admitFeed({ ...ports, built: { providers, models } }, fetched)).result, 'current');
});
