import type { ClientFormatId, FormatId } from '#canonical';
import type { Part } from './cell.ts';

/** A capability that does not survive whole. */
export interface Limit {
  client: ClientFormatId | 'any';
  provider: FormatId | 'any';
  capability: string;
  lost: Part[];
  why: string;
}

/** The first that fits counts. */
const LIMITS: readonly Limit[] = [
  {
    client: 'gemini',
    provider: 'any',
    capability: 'caching',
    lost: ['asked'],
    why: 'A Gemini client has no marks to set; tokens read from a cache are told.',
  },
  {
    client: 'any',
    provider: 'gemini',
    capability: 'caching',
    lost: ['asked'],
    why: 'Google caches by itself and takes no marks; tokens read from its cache are told.',
  },
];

export function findLimit(client: ClientFormatId, provider: FormatId, capability: string): Limit | undefined {
  return LIMITS.find(
    (limit) =>
      limit.capability === capability &&
      (limit.client === client || limit.client === 'any') &&
      (limit.provider === provider || limit.provider === 'any'),
  );
}
