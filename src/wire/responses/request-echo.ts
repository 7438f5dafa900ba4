import { type JsonObject } from '#base';
import type { CanonicalRequest } from '#canonical';
import { ECHOED_FIELDS, OPTIONAL_ECHOES } from './fields.ts';

const ECHOED = Object.keys(ECHOED_FIELDS);

/** The members of a request that its answer repeats; the large ones are shared with the body, not copied. */
export function createEcho(request: Pick<CanonicalRequest, 'origin'>): JsonObject {
  const { body } = request.origin;
  const echo: JsonObject = {};
  for (const name of ECHOED) if (body[name] !== undefined && body[name] !== null) echo[name] = body[name];
  for (const name of OPTIONAL_ECHOES) if (body[name] !== undefined) echo[name] = body[name];
  return echo;
}
