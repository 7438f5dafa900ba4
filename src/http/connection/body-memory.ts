import { getHeapStatistics } from 'node:v8';
import { GatewayError } from '#errors';

const MEBIBYTE = 1024 * 1024;
/** A body of the largest size must fit together with another. */
const LEAST_BYTES = 96 * MEBIBYTE;
/** Parsed, decoded and encoded, a body takes several times its size, partly outside the heap. */
const HEAP_PART = 24;
const RETRY_AFTER_SECONDS = 2;

/** The default memory for all open bodies together. */
export function chooseBodyBytes(): number {
  return Math.max(LEAST_BYTES, Math.floor(getHeapStatistics().heap_size_limit / HEAP_PART));
}

/** The bytes of one body as they arrive. */
export interface BodyShare {
  /** Adds bytes; throws if that is too much. */
  take(bytes: number): void;
  /** Releases all; later calls do nothing. */
  release(): void;
}

/** How much of what others leave the bodies of one organization may take; two of the largest size fit. */
const TENANT_SHARE = 3 / 4;

/**
 * Counts the bytes of all bodies whose requests are not answered yet. A body may take half of what the others leave,
 * so large ones are refused long before there is no room for small ones, and those of one organization three quarters.
 */
export class BodyMemory {
  readonly #most: number;
  #taken = 0;
  /** The bytes of each organization. */
  readonly #tenants = new Map<string, number>();

  constructor(most = chooseBodyBytes()) {
    this.#most = most;
  }

  /** Opens a share for a body of an announced length; throws if it does not fit now. Unknown callers count as one tenant. */
  open(announced: number, tenant = ''): BodyShare {
    this.#check(announced, 0, tenant);
    let own = 0;
    let isReleased = false;
    return {
      take: (bytes) => {
        if (isReleased) return;
        this.#check(own + bytes, own, tenant);
        own += bytes;
        this.#add(bytes, tenant);
      },
      release: () => {
        this.#add(-own, tenant);
        own = 0;
        isReleased = true;
      },
    };
  }

  #add(bytes: number, tenant: string): void {
    this.#taken += bytes;
    const taken = (this.#tenants.get(tenant) ?? 0) + bytes;
    if (taken === 0) this.#tenants.delete(tenant);
    else this.#tenants.set(tenant, taken);
  }

  #check(wanted: number, own: number, tenant: string): void {
    const left = this.#most - (this.#taken - own);
    const ofTenant = this.#tenants.get(tenant) ?? 0;
    const leftToTenant = (this.#most - (this.#taken - ofTenant)) * TENANT_SHARE;
    if (wanted <= left / 2 && ofTenant - own + wanted <= leftToTenant) return;
    throw new GatewayError(
      'bodies_too_large',
      `the requests under way leave no room for a body of this size; retry in ${RETRY_AFTER_SECONDS} s`,
      { retryAfterSeconds: RETRY_AFTER_SECONDS },
    );
  }
}
