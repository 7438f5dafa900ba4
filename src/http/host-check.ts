import { isIPv4 } from 'node:net';
import { GatewayError } from '#errors';

interface HostRules {
  /** Whether only this machine can reach the gateway. */
  isLocal: boolean;
  /** Accepted hosts: names, addresses, `*.example.com` for all below a name, `*` for any. */
  hosts: readonly string[];
}

/** Throws `unknown_host` if the `Host` of a request for a path is not the gateway's. */
export type HostCheck = (host: string | undefined, path: string) => void;

/** A host with an optional port, which is ignored: a proxy or a tunnel has its own. */
const HOST = /^(\[[^\]]+\]|[^:[\]]+?)\.?(?::\d{1,5})?$/;
/** Probes request these by the machine's address; they reveal nothing confidential. */
export const HEALTH_PATHS: readonly string[] = ['/', '/livez', '/readyz'];
const LONGEST_SHOWN = 100;

/**
 * Protects against DNS rebinding: another site's name can resolve to this machine, so that a browser takes the
 * gateway for a part of that site; only `Host` reveals it. If only this machine can connect, its own names and those
 * of `hosts` are served; otherwise all are, unless `hosts` lists some.
 */
export function createHostCheck({ isLocal, hosts }: HostRules): HostCheck {
  if (hosts.includes('*') || (!isLocal && hosts.length === 0)) return () => undefined;
  const known = new Set(hosts.map((host) => readHost(host) ?? host));
  const suffixes = hosts.filter((host) => host.startsWith('*.')).map((host) => host.slice(1).toLowerCase());
  const isOurs = (host: string): boolean =>
    known.has(host) || isOwnName(host) || suffixes.some((suffix) => host.endsWith(suffix));
  let last = '';
  return (text, path) => {
    if (text === undefined || text === last) return; // browsers always send it
    const host = readHost(text);
    if (host !== undefined && isOurs(host)) {
      last = text;
      return;
    }
    if (host !== undefined && HEALTH_PATHS.includes(path) && isAddress(host)) return;
    throw new GatewayError(
      'unknown_host',
      `the host ${JSON.stringify(text.slice(0, LONGEST_SHOWN))} is not a name of this gateway; if it should be, add it to server.hosts in sluice.yaml`,
      { param: 'host' },
    );
  };
}

function readHost(text: string): string | undefined {
  return (HOST.exec(text) ?? HOST.exec(`[${text}]`))?.[1]?.toLowerCase();
}

function isOwnName(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || (isIPv4(host) && host.startsWith('127.'));
}

function isAddress(host: string): boolean {
  return isIPv4(host) || host.startsWith('[');
}
