import { isIP } from 'node:net';
import { isPublicAddress } from './public-address.ts';

/** Resolves a host name to all its addresses; rejects if it has none. */
export type ResolveHost = (hostname: string) => Promise<readonly string[]>;

/** Rules for addresses chosen by anyone but the operator. */
export interface AddressRules {
  /** Hosts the operator trusts, as `host` or `host:port`: they may be private and do not need https. */
  trustedHosts: readonly string[];
  /** Allowed ports of all other hosts. */
  ports: readonly number[];
  /** Resolves names; DNS by default. */
  resolveHost?: ResolveHost;
}

/** The default rules. */
export const STRICT_ADDRESSES: AddressRules = { trustedHosts: [], ports: [443] };

/** A URL that passes the checks on its text, or what was expected instead, phrased to follow "must be". */
type OutsideUrl = { url: URL; isTrusted: boolean } | { expected: string };

const LONGEST = 500;
/** Names that public DNS does not resolve. */
const INSIDE = /(^|\.)(localhost|local|internal|intranet|lan|home|corp|private|onion|home\.arpa)$/;
const PORTS: Record<string, number> = { 'https:': 443, 'http:': 80 };

/** Parses an address and checks its text. A host name must also be resolved and checked when the connection is made. */
export function parseOutsideUrl(text: string, rules: AddressRules): OutsideUrl {
  if (text.length > LONGEST) return { expected: `an address of at most ${LONGEST} characters` };
  // Parsers disagree on these characters: what one reads as a path another reads as a host.
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

/** Whether the text of a host can be public: a public address, or a name that public DNS may resolve. */
export function isPublicHost(hostname: string): boolean {
  const address = hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(address) !== 0) return isPublicAddress(address);
  return /^[a-z0-9_-]+(\.[a-z0-9_-]+)+$/.test(hostname) && !INSIDE.test(hostname);
}
