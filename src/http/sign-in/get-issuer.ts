import type { HttpPorts } from '../endpoint.ts';
import { GatewayError } from '#errors';

/** The OpenID provider of this gateway; throws `not_found` if it has none. */
export function getIssuer({
  issuer,
}: Pick<HttpPorts, 'issuer'>): NonNullable<ReturnType<HttpPorts['issuer']>> {
  const found = issuer();
  if (!found) throw new GatewayError('not_found', 'This gateway has no auth.oidc in its sluice.yaml.');
  return found;
}
