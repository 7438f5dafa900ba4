import { Resolver } from 'node:dns/promises';
import { type LookupFunction, isIPv6 } from 'node:net';
import type { ResolveHost } from './outside-url.ts';
import { isPublicAddress } from './public-address.ts';

const QUERY_MS = 1_500;
const TRIES = 2;

/** A name that resolves to an address that is not public. */
export class AddressRefused extends Error {
  readonly code = 'ERR_ADDRESS_NOT_PUBLIC';

  constructor(hostname: string) {
    super(`${hostname} has an address that is not public`);
    this.name = 'AddressRefused';
  }
}

/**
 * Queries DNS directly: the system's lookup reads the hosts file, and a slow name would block a thread of the pool that
 * file access also uses.
 */
export function createDnsResolver(servers?: readonly string[]): ResolveHost {
  let resolver: Resolver | undefined;
  return async (hostname) => {
    if (!resolver) {
      resolver = new Resolver({ timeout: QUERY_MS, tries: TRIES });
      if (servers) resolver.setServers(servers);
    }
    const found = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const addresses = found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
    if (addresses.length > 0) return addresses;
    throw Object.assign(new Error(`${hostname} cannot be resolved`), { code: 'ENOTFOUND' });
  };
}

const resolveByDns = createDnsResolver();

/** Resolves a host whose addresses must all be public; rejects with AddressRefused otherwise. */
export async function resolvePublicly(
  hostname: string,
  resolveHost: ResolveHost = resolveByDns,
): Promise<readonly string[]> {
  const addresses = await resolveHost(hostname);
  if (addresses.length === 0 || !addresses.every(isPublicAddress)) throw new AddressRefused(hostname);
  return addresses;
}

/**
 * A lookup for sockets that connects to the very addresses it checked, so that a name cannot resolve differently in
 * between (DNS rebinding). Literal addresses skip the lookup; they are checked when the URL is parsed.
 */
export function createPublicLookup(resolveHost?: ResolveHost): LookupFunction {
  return (hostname, { all, family }, callback) => {
    resolvePublicly(hostname, resolveHost).then(
      (addresses) => {
        const wanted = toFamily(family);
        const usable = addresses
          .map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }))
          .filter((one) => wanted === 0 || one.family === wanted);
        const [first] = usable;
        if (!first)
          callback(
            Object.assign(new Error(`${hostname} has no address of this family`), { code: 'ENOTFOUND' }),
            '',
          );
        else if (all === true) callback(null, usable);
        else callback(null, first.address, first.family);
      },
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), ''),
    );
  };
}

function toFamily(family: number | string | undefined): number {
  if (family === 'IPv4') return 4;
  if (family === 'IPv6') return 6;
  return typeof family === 'number' ? family : 0;
}
