import type { HttpHeaders } from '#base';
import { GatewayError } from '#errors';

/** The dashboard sends it with every request; forms and pages of other origins cannot. */
const PAGE_HEADER = 'x-sluice-dashboard';

const FROM_HERE = new Set(['same-origin', 'none']);

/**
 * Throws `cross_site_request` unless a request with a cookie comes from a page of this gateway. `Sec-Fetch-Site` decides
 * where browsers send it, which is over TLS and on localhost; elsewhere `Origin` must be the host that is called.
 */
export function requireOwnPage(headers: HttpHeaders, method: string): void {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && !FROM_HERE.has(String(site))) throw createCrossSite('Sec-Fetch-Site');
  if (method === 'GET' || method === 'HEAD') return;
  if (site !== 'same-origin' && !isOwnOrigin(headers)) throw createCrossSite('Origin');
  if (headers[PAGE_HEADER] === undefined) throw createCrossSite(PAGE_HEADER);
}

function isOwnOrigin({ origin, host }: HttpHeaders): boolean {
  if (typeof origin !== 'string' || !URL.canParse(origin)) return false;
  return new URL(origin).host === String(host).toLowerCase();
}

function createCrossSite(header: string): GatewayError {
  return new GatewayError(
    'cross_site_request',
    `a session of the dashboard is only accepted from its own pages; the header ${header} shows another origin or is missing`,
    { param: header.toLowerCase() },
  );
}
