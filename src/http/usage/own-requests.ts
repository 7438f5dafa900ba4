import type { Caller } from '#accounts';
import type { Tenant } from '#logs';
import { refuse } from '../admin/read-query.ts';

/** Requests that a credential may see. */
interface OwnRequests extends Tenant {
  keyId?: string;
  memberId?: string;
  sessionTokenId?: string;
}

export const OWN_QUERY = {
  of: '`key`, the default: requests with this key, or with this session token; `member`: with all keys of the key’s member.',
};

/** A session token sees the requests that were made with it. The end user of a row is no proof: a key may name anyone. */
export function scopeToCaller(caller: Caller, of = 'key'): OwnRequests {
  const { organizationId, keyId, memberId, sessionTokenId } = caller;
  if (of === 'key') return { organizationId, keyId, ...(sessionTokenId !== undefined && { sessionTokenId }) };
  if (of !== 'member') throw refuse('of', 'must be key or member');
  if (memberId === undefined || sessionTokenId !== undefined)
    throw refuse('of', 'must be key: the credential is not the key of a member');
  return { organizationId, memberId };
}
