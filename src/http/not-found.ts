import { GatewayError } from '#errors';

/** What the id in a path names does not exist, or the caller may not see it: both get the same answer. */
export function createNotFound(what: string): GatewayError {
  return new GatewayError('not_found', `there is no such ${what}`, { param: 'id' });
}

export function createNoResponse(id: string): GatewayError {
  return new GatewayError('not_found', `no response with the id ${id} is stored here`, { param: 'id' });
}
