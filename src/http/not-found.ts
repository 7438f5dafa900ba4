import { GatewayError } from '#errors';

/** The error for the id in a path, whether nothing has it or the caller may not see it. */
export function createNotFound(what: string): GatewayError {
  return new GatewayError('not_found', `there is no such ${what}`, { param: 'id' });
}

export function createNoResponse(id: string): GatewayError {
  return new GatewayError('not_found', `no response with the id ${id} is stored here`, { param: 'id' });
}
