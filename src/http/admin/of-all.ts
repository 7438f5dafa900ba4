import type { AdminCaller } from '#accounts';
import { GatewayError } from '#errors';

/** Throws `missing_scope` if the admin key is bound to one organization. */
export function requireAll({ organizationId }: AdminCaller, subject: string): void {
  if (organizationId === undefined) return;
  const message = `this admin key is bound to one organization; ${subject}`;
  throw new GatewayError('missing_scope', message);
}
