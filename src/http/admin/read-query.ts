import { parseMoment, systemClock } from '#base';
import { GatewayError } from '#errors';

/** The query of an admin endpoint: known names, each once. */
export type Query = Readonly<Record<string, string | undefined>>;

/** A filter that is not known is refused: ignored, it would show more than was asked for. */
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

/** A moment in ISO 8601, as milliseconds since the Unix epoch. */
export function readTime(param: string, text: string): number {
  const time = TIME.test(text) ? parseMoment(text) : undefined;
  if (time === undefined) throw refuse(param, `must be ${A_TIME}`);
  return time;
}

/** A moment to come. One that is past would end a key in silence, and is mostly a mistake. */
export function readEnd(param: string, text: string): number {
  const time = readTime(param, text);
  if (time <= systemClock.now())
    throw refuse(param, 'must be a time to come; "disabled": true ends a key at once');
  return time;
}

const A_TIME = 'a time in ISO 8601 with a zone, such as 2026-11-22T00:00:00Z';
export const AN_END = `${A_TIME}, that is to come`;
const TIME = /T.*(Z|[+-]\d\d:\d\d)$/;

export function refuse(param: string, complaint: string): GatewayError {
  const name = param.slice(0, 100);
  return new GatewayError('invalid_request', `${name}: ${complaint}`, { param: name });
}
