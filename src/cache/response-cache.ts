import type { FinishReason } from '#canonical';
import type { KeyValue } from '#storage';
import { createHash } from 'node:crypto';
import { parseJsonObject } from '#base';

/** The tenant that may see a cached answer. */
export interface CacheTenant {
  organizationId: string;
  projectId: string;
}

/** A complete, successful answer as it was sent, and its provider. */
export interface CachedAnswer {
  contentType: string;
  body: string;
  finish: FinishReason;
  providerId: string;
  externalId: string;
  /** The id of the stored response, if any; the cached answer is only replayed while that exists. */
  keptId?: string;
}

interface CacheKeyParts {
  tenant: CacheTenant;
  endpoint: string;
  /** Headers that change the answer, in a fixed order. */
  headers: readonly string[];
  body: Uint8Array;
}

const VERSION = 'response:1';
const MAX_BODY_CHARACTERS = 1024 * 1024;
const MOST_FOLLOWERS = 1_000;
/** After a second failed leader the request itself is probably at fault. */
const MOST_LEADERS = 2;

/** A key over length-prefixed parts, so that different requests cannot share one. */
export function createCacheKey({ tenant, endpoint, headers, body }: CacheKeyParts): string {
  const hash = createHash('sha256');
  for (const part of [VERSION, tenant.organizationId, tenant.projectId, endpoint, ...headers]) {
    hash.update(`${Buffer.byteLength(part)}:${part}`);
  }
  return hash.update(`${body.length}:`).update(body).digest('base64url');
}

/** Resolves when the leading request ends: with its answer, or with `undefined` if there is none to share. */
type Flight = PromiseWithResolvers<CachedAnswer | undefined> & { followers: number };

/** Replays byte-identical requests of one project; identical concurrent requests share one generation. */
export class ResponseCache {
  readonly #store: KeyValue;
  readonly #flights = new Map<string, Flight>();

  constructor(store: KeyValue) {
    this.#store = store;
  }

  /** Finds a stored answer and checks its tenant again. */
  async find(key: string, tenant: CacheTenant): Promise<CachedAnswer | undefined> {
    const text = await this.#store.get(key);
    const value = text === undefined ? undefined : parseJsonObject(text);
    if (value?.['organizationId'] !== tenant.organizationId || value['projectId'] !== tenant.projectId)
      return undefined;
    return value['answer'] as unknown as CachedAnswer;
  }

  /**
   * Joins the flight of a key. The first caller becomes its leader (`undefined`) and must `release` it; the others wait up
   * to `waitMs` for the leader's answer. If it has none, one of them becomes the new leader and the rest wait once
   * more; then, or when the time is up or `signal` aborts, they get `none` and run on their own.
   */
  async join(key: string, waitMs: number, signal?: AbortSignal): Promise<CachedAnswer | 'none' | undefined> {
    const late = Promise.withResolvers<'none'>();
    const stop = (): void => late.resolve('none');
    const timer = setTimeout(stop, waitMs);
    signal?.addEventListener('abort', stop);
    if (signal?.aborted === true) stop();
    try {
      for (let leaders = 0; leaders < MOST_LEADERS; leaders += 1) {
        const flight = this.#flights.get(key);
        if (!flight) {
          this.#flights.set(key, { ...Promise.withResolvers<CachedAnswer | undefined>(), followers: 0 });
          return undefined;
        }
        if (flight.followers >= MOST_FOLLOWERS) return 'none';
        flight.followers += 1;
        const answer = await Promise.race([flight.promise, late.promise]);
        if (answer) return answer;
      }
      return 'none';
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
    }
  }

  /** Ends a flight this caller leads: stores the answer for `ttlSeconds` and passes it to the waiting callers. */
  async release(
    key: string,
    kept?: { answer: CachedAnswer; tenant: CacheTenant; ttlSeconds: number },
  ): Promise<void> {
    const fits = kept !== undefined && kept.answer.body.length <= MAX_BODY_CHARACTERS;
    if (fits)
      await this.#store.set(
        key,
        JSON.stringify({ ...kept.tenant, answer: kept.answer }),
        kept.ttlSeconds * 1000,
      );
    this.#flights.get(key)?.resolve(kept?.answer);
    this.#flights.delete(key);
  }
}
