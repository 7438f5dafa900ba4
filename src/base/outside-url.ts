import { isIP } from 'node:net';
import { isPublicAddress } from './public-address.ts';

/** All addresses of a host name; rejects where it has none. */
export type ResolveHost = (hostname: string) => Promise<readonly string[]>;

/** Which addresses may be called that somebody else than the operator chose. */
export interface AddressRules {
  /** Hosts that the operator vouches for, as `host` or `host:port`: they may be private, and need no https. */
  trustedHosts: readonly string[];
  /** The ports of all other hosts. */
  ports: readonly number[];
  /** Looks names up; DNS unless told. */
  resolveHost?: ResolveHost;
}

/** What holds unless the operator says otherwise. */
export const STRICT_ADDRESSES: AddressRules = { trustedHosts: [], ports: [443] };

/** An address that may be called, as far as its text tells; or what is wrong with it, as it follows "must be". */
type OutsideUrl = { url: URL; isTrusted: boolean } | { expected: string };

const LONGEST = 500;
/** Names that no public DNS answers for. */
const INSIDE = /(^|\.)(localhost|local|internal|intranet|lan|home|corp|private|onion|home\.arpa)$/;
const PORTS: Record<string, number> = { 'https:': 443, 'http:': 80 };

/**
 * Reads an address as a client will read it, and judges what its text tells. A host that is a name must be looked up as well,
 * at the moment of the connection.
 */
export function parseOutsideUrl(text: string, rules: AddressRules): OutsideUrl {
  if (text.length > LONGEST) return { expected: `an address of at most ${LONGEST} characters` };
  // Parsers differ over these, and what one takes for a path another takes for a host.
  if (!/^https?:\/\/[\x21-\x7e]+$/i.test(text) || /[\\@?#]/.test(text))
    return {
      expected: 'an address such as https://api.example.com/v1, without user, query, fragment or backslash',
    };
  const url = URL.parse(text);
  if (!url) return { expected: 'an address such as https://api.example.com/v1' };
  const { hostname, protocol } = url;
  const port = url.port === '' ? (PORTS[protocol] ?? 0) : Number(url.port);
  if (isTrusted(rules, hostname, port)) return { url, isTrusted: true };
  if (protocol !== 'https:') return { expected: 'an https address' };
  if (!rules.ports.includes(port))
    return { expected: `an address with the port ${rules.ports.join(' or ')}` };
  return isPublicHost(hostname)
    ? { url, isTrusted: false }
    : { expected: 'an address of the public internet' };
}

function isTrusted({ trustedHosts }: AddressRules, hostname: string, port: number): boolean {
  return trustedHosts.some((host) => {
    const name = host.toLowerCase();
    return name === hostname || name === `${hostname}:${port}`;
  });
}

/** Whether the text of a host tells nothing of the inside: a public address, or a name that public DNS may answer for. */
export function isPublicHost(hostname: string): boolean {
  const address = hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(address) !== 0) return isPublicAddress(address);
  return /^[a-z0-9_-]+(\.[a-z0-9_-]+)+$/.test(hostname) && !INSIDE.test(hostname);
}
