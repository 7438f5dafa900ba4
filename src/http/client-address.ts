import type { RequestHeaders } from '#wire';

/** `192.0.2.1:443`, `[2001:db8::1]:443` or `[2001:db8::1]`: an address as some proxies write it. */
const WITH_PORT = /^(?:\[([^\]]+)\]|(\d{1,3}(?:\.\d{1,3}){3}))(?::\d{1,5})?$/;

/**
 * Who calls: the socket's other end; where that is a proxy the operator trusts, whom it names in `X-Forwarded-For`, and so on
 * from the last name to the first that is no trusted proxy. What stands before that, anybody may have written. Absent where a
 * trusted proxy names something that is no address: rules about networks then refuse.
 */
export function findClientAddress(
  socketAddress: string | undefined,
  headers: RequestHeaders,
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
