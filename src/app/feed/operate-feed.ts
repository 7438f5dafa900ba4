import { existsSync, readFileSync } from 'node:fs';
import type { PicoUsd } from '#base';
import type { BillReader } from '#logs';
import type { Database } from '#storage';
import type { Catalogue, FeedChange, Mapping, StagedFeed } from '#catalogue';
import type { Settings } from '../settings/settings.ts';
import type { FeedSettings } from '../settings/feed-settings.ts';
import { type PricedUse, priceUsed } from '#advice';
import { systemClock } from '#base';
import {
  FeedRefused,
  buildCatalogue,
  composeFiles,
  extendCatalogue,
  nameKey,
  parseFeed,
  stageFeed,
  verifyFeed,
} from '#catalogue';
import { createDocumentReader } from '#providers';
import { getBaseFiles } from '../settings/base-catalogue.ts';
import {
  type AdmissionPorts,
  type FeedOutcome,
  type SignedFeed,
  acceptHeldFeed,
  admitFeed,
} from './admit-feed.ts';
import { FeedStore } from './feed-store.ts';
import { fetchFeed, refreshFeed } from './refresh-feed.ts';

interface Stores {
  database: Database;
}

type Configured = Pick<Settings, 'catalogue' | 'providers'>;

function getFeed({ catalogue }: Configured): FeedSettings {
  if (catalogue) return catalogue;
  throw new Error('no `catalogue` is configured; docs/catalogue.md describes it');
}

async function createPorts(settings: Configured, { database }: Stores): Promise<AdmissionPorts> {
  const { publicKey, noticeMs } = getFeed(settings);
  const store = new FeedStore(database, nameKey(publicKey));
  const now = systemClock.now();
  return { store, publicKey, noticeMs, built: (await getBaseFiles(now)).files, now };
}

function getUrl({ url }: FeedSettings): string {
  if (url !== undefined) return url;
  throw new Error('`catalogue.url` is not configured; name the file of a feed');
}

/** Reads a feed from its file, with the signature next to it. */
function readFeedFile(path: string): SignedFeed {
  return { document: readFileSync(path), signature: readFileSync(`${path}.sig`, 'utf8') };
}

/** Fetches the feed, or reads it from a file, and stores it; running gateways use it within seconds. Throws FeedRefused. */
export async function updateFeed(
  settings: Configured,
  stores: Stores,
  { file, isAccepted }: { file: string | undefined; isAccepted: boolean },
): Promise<FeedOutcome> {
  const ports = await createPorts(settings, stores);
  const outcome = await (file === undefined
    ? refresh(settings, ports)
    : admitFeed(ports, readFeedFile(file)));
  return (outcome.result === 'held' && isAccepted ? await acceptHeldFeed(ports) : undefined) ?? outcome;
}

async function refresh(settings: Configured, ports: AdmissionPorts): Promise<FeedOutcome> {
  const feed = getFeed(settings);
  const url = getUrl(feed);
  const reader = createDocumentReader(feed.addresses);
  try {
    const outcome = await refreshFeed(ports, reader, url);
    if (outcome.result === 'refused') throw outcome.refused;
    return outcome;
  } finally {
    await reader.close();
  }
}

/** A change, and the requests of the last days that it would have concerned. */
export interface FeedDifference extends FeedChange {
  requests: number;
  /** What they cost. */
  actual: PicoUsd;
  /** What they would have cost; absent if that is not known. */
  cost?: PicoUsd;
}

export interface FeedComparison {
  sequence: number;
  differences: FeedDifference[];
  unknownProviders: readonly string[];
}

function parseFile(file: string): ReturnType<typeof parseFeed> {
  const text = readText(file);
  try {
    return parseFeed(text);
  } catch (error) {
    if (!(error instanceof FeedRefused)) throw error;
    throw new FeedRefused(error.fault, `${file} is not a feed: ${error.message}`);
  }
}

/** What a feed would change, without storing it. A file needs no signature. Throws FeedRefused. */
export async function compareFeed(
  settings: Configured,
  stores: Stores & { bills: BillReader },
  { file, since }: { file: string | undefined; since: number },
): Promise<FeedComparison> {
  const ports = await createPorts(settings, stores);
  const feed = file === undefined ? parseFeed(await fetchText(getFeed(settings))) : parseFile(file);
  const staged = stageFeed(feed, { ...ports, before: await ports.store.readState() });
  const catalogue = composeFuture(settings, ports, staged);
  const { bills } = stores;
  const used = await priceUsed(
    { bills, catalogue, now: ports.now },
    { since },
    listChanged(catalogue, staged),
  );
  const differences = staged.changes.map((change): FeedDifference => {
    const { requests, actual, cost } = sumUses(listUses(used, change));
    return { ...change, requests, actual, ...(change.kind === 'price' && requests > 0 && { cost }) };
  });
  return { sequence: feed.sequence, differences, unknownProviders: staged.state.unknown };
}

/** The catalogue once everything that is announced counts. */
function composeFuture(settings: Configured, { built }: AdmissionPorts, { state }: StagedFeed): Catalogue {
  const { files } = composeFiles(built, state, Number.MAX_SAFE_INTEGER);
  return extendCatalogue(buildCatalogue(files), settings.providers);
}

type Changed = Pick<FeedChange, 'providerId' | 'modelId'>;

/** Of a change of a whole provider, the uses of all its models. */
function listUses(used: ReadonlyMap<string, PricedUse>, change: Changed): PricedUse[] {
  return [...used].filter(([name]) => isChanged(name, change)).map(([, use]) => use);
}

const isChanged = (name: string, { providerId, modelId }: Changed): boolean =>
  modelId === undefined ? name.startsWith(`${providerId}/`) : name === `${providerId}/${modelId}`;

function sumUses(uses: readonly PricedUse[]): PricedUse {
  const sum = { requests: 0, actual: 0n, cost: 0n };
  for (const { requests, actual, cost } of uses) {
    sum.requests += requests;
    sum.actual += actual;
    sum.cost += cost;
  }
  return sum;
}

function listChanged({ models }: Catalogue, { changes }: StagedFeed): Mapping[] {
  return [...models.values()]
    .flatMap(({ mappings }) => mappings)
    .filter(
      ({ modelId, providerId, region }) =>
        region === undefined && changes.some((change) => isChanged(`${providerId}/${modelId}`, change)),
    );
}

async function fetchText(feed: FeedSettings): Promise<string> {
  const reader = createDocumentReader(feed.addresses);
  try {
    const { document, signature } = await fetchFeed(reader, getUrl(feed));
    verifyFeed(document, signature, feed.publicKey);
    return document.toString('utf8');
  } finally {
    await reader.close();
  }
}

function readText(path: string): string {
  if (!existsSync(path)) throw new Error(`there is no file ${path}`);
  return readFileSync(path, 'utf8');
}
