import { createParamError, type GatewayError } from '#errors';

/** The query of an admin endpoint: known names, each once. */
export type Query = Readonly<Record<string, string | undefined>>;

/** Unknown filters are refused: ignoring one would return more than was requested. */
export function readQuery(params: URLSearchParams, known: Readonly<Record<string, string>>): Query {
  const query: Record<string, string> = {};
  for (const [name, value] of params) {
    if (!Object.hasOwn(known, name)) {
      const names = Object.keys(known).join(', ');
      throw refuse(name, `is not known here; ${names === '' ? 'it takes no filter' : `known are ${names}`}`);
    }
    if (query[name] !== undefined) throw refuse(name, 'is given twice');
    query[name] = value;
  }
  return query;
}

export function refuse(param: string, complaint: string): GatewayError {
  return createParamError(param.slice(0, 100), complaint);
}
