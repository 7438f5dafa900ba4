import type { JsonValue } from '#base';

/** Arguments stay text. Clients replay what upstreams sent: empty arguments may be `""`, null or absent. */
export function decodeArguments(given: JsonValue | undefined): string {
  if (!given) return '{}';
  return typeof given === 'string' ? given : JSON.stringify(given);
}
