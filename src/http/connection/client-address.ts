import type { HttpHeaders } from '#base';

/** `192.0.2.1:443`, `[2001:db8::1]:443` or `[2001:db8::1]`: how some proxies write an address. */
const WITH_PORT = /^(?:\[([^\]]+)\]|(\d{1,3}(?:\.\d{1,3}){3}))(?::\d{1,5})?$/;

/**
 * The caller's address: the socket's peer or, behind trusted proxies, the last address in `X-Forwarded-For` that is
 * not a trusted proxy. Anything before it can be forged. Absent if a trusted proxy reports a malformed address:
 * network rules then refuse.
 */
export function findClientAddress(
  socketAddress: string | undefined,
  headers: HttpHeaders,
  { isTrusted, isAddress }: { isTrusted(address: string): boolean; isAddress(text: string): boolean },
): string | undefined {
  if (socketAddress === undefined || !isTrusted(socketAddress)) return socketAddress;
  let address = socketAddress;
  for (const hop of listHops(headers['x-forwarded-for']).reverse()) {
    const [, v6, v4] = WITH_PORT.exec(hop) ?? [];
    address = v6 ?? v4 ?? hop;
    if (!isAddress(address)) return undefined;
    if (!isTrusted(address)) break;
  }
  return address;
}

function listHops(header: string | string[] | undefined): string[] {
  if (header === undefined) return [];
  return String(header)
    .split(',')
    .map((hop) => hop.trim());
}
