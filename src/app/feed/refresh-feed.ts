import type { DocumentReader } from '#providers';
import { setTimeout as sleep } from 'node:timers/promises';
import { reasonOf } from '#base';
import { FeedRefused } from '#catalogue';
import { type AdmissionPorts, type FeedOutcome, type SignedFeed, admitFeed } from './admit-feed.ts';

/** Six times what Sluice's own catalogue takes. */
const MOST_BYTES = 2 * 1024 * 1024;
const MOST_SIGNATURE_BYTES = 1024;
/** A publisher replaces two files, one after the other. */
const REPUBLISHED_MS = 2_000;

/** Fetches a feed and its signature. Throws FeedRefused. */
export async function fetchFeed(reader: Pick<DocumentReader, 'read'>, url: string): Promise<SignedFeed> {
  try {
    const signature = await reader.read(`${url}.sig`, MOST_SIGNATURE_BYTES);
    return { document: await reader.read(url, MOST_BYTES), signature: signature.toString('utf8') };
  } catch (error) {
    throw new FeedRefused('unreachable', reasonOf(error));
  }
}

/** A feed that is not used; `isNew` unless it was refused for the same reason the last time. */
export interface Refusal {
  result: 'refused';
  refused: FeedRefused;
  isNew: boolean;
}

interface RefreshPorts extends AdmissionPorts {
  /** Aborts the fetch; the error is then thrown, because it is not the feed's fault. */
  signal?: AbortSignal;
}

/** Fetches the feed, checks and stores it, and records the result for all processes. */
export async function refreshFeed(
  ports: RefreshPorts,
  reader: Pick<DocumentReader, 'read'>,
  url: string,
): Promise<FeedOutcome | Refusal> {
  try {
    return await admitFeed(ports, await fetchFeed(reader, url)).catch(async (error: unknown) => {
      if (!(error instanceof FeedRefused) || error.fault !== 'signature') throw error;
      await sleep(REPUBLISHED_MS, undefined, { signal: ports.signal });
      return await admitFeed(ports, await fetchFeed(reader, url));
    });
  } catch (error) {
    if (!(error instanceof FeedRefused) || ports.signal?.aborted) throw error;
    const isNew = await ports.store.recordFault(error.fault, error.message);
    return { result: 'refused', refused: error, isNew };
  }
}
