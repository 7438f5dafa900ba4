import type { FinishReason } from '#canonical';
import type { KeyValue } from '#storage';
import { createHash } from 'node:crypto';
import { parseJsonObject } from '#base';

/** Who may see a cached answer. */
export interface Tenant {
  organizationId: string;
  projectId: string;
}

/** A complete, successful answer as it was sent, and who gave it. */
export interface CachedAnswer {
  contentType: string;
  body: string;
  finish: FinishReason;
  providerId: string;
  externalId: string;
}

export interface CacheKeyParts {
  tenant: Tenant;
  endpoint: string;
  /** Headers that change the answer, in a fixed order. */
  headers: readonly string[];
  body: Uint8Array;
}

const VERSION = 'response:1';
const MAX_BODY_CHARACTERS = 1024 * 1024;
const MOST_FOLLOWERS = 1_000;

/** A key over length-prefixed parts, so that no two different requests run together. */
export function createCacheKey({ tenant, endpoint, headers, body }: CacheKeyParts): string {
  const hash = createHash('sha256');
  for (const part of [VERSION, tenant.organizationId, tenant.projectId, endpoint, ...headers]) {
    hash.update(`${Buffer.byteLength(part)}:${part}`);
  }
  return hash.update(`${body.length}:`).update(body).digest('base64url');
}

/** Settles when the request that leads a key is over: with its answer, or with nothing where it gave none to keep. */
type Flight = PromiseWithResolvers<CachedAnswer | undefined> & { followers: number };

/** Replays byte-identical requests of one project; identical requests under way share one generation. */
export class ResponseCache {
  readonly #store: KeyValue;
  readonly #flights = new Map<string, Flight>();

  constructor(store: KeyValue) {
    this.#store = store;
  }

  /** A stored answer; the tenant kept with it is checked again. */
  async find(key: string, tenant: Tenant): Promise<CachedAnswer | undefined> {
    const text = await this.#store.get(key);
    const value = text === undefined ? undefined : parseJsonObject(text);
    if (value?.['organizationId'] !== tenant.organizationId || value['projectId'] !== tenant.projectId)
      return undefined;
    return value['answer'] as unknown as CachedAnswer;
  }

  /**
   * Joins the flight of a key. The first caller becomes its leader (`undefined`) and must `land` it; the others wait
   * for the leader's answer up to `waitMs` and get `none` where it gave nothing to share.
   */
  async join(key: string, waitMs: number): Promise<CachedAnswer | 'none' | undefined> {
    const flight = this.#flights.get(key);
    if (!flight) {
      this.#flights.set(key, { ...Promise.withResolvers<CachedAnswer | undefined>(), followers: 0 });
      return undefined;
    }
    if (flight.followers >= MOST_FOLLOWERS) return 'none';
    flight.followers += 1;
    const late = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => late.resolve(undefined), waitMs);
    const answer = await Promise.race([flight.promise, late.promise]);
    clearTimeout(timer);
    return answer ?? 'none';
  }

  /** Ends a flight this caller leads: keeps the answer for `ttlSeconds` and hands it to those who wait. */
  async land(
    key: string,
    kept?: { answer: CachedAnswer; tenant: Tenant; ttlSeconds: number },
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
