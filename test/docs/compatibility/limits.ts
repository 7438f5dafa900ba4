import type { ClientFormatId, FormatId } from '#canonical';
import type { Part } from './cell.ts';

/** A capability that is not fully kept. */
export interface Limit {
  client: ClientFormatId | 'any';
  provider: FormatId | 'any';
  capability: string;
  lost: Part[];
  why: string;
}

/** The first match applies. */
const LIMITS: readonly Limit[] = [
  {
    client: 'gemini',
    provider: 'any',
    capability: 'caching',
    lost: ['asked'],
    why: 'Gemini clients cannot set cache marks; tokens read from a cache are reported.',
  },
  {
    client: 'any',
    provider: 'gemini',
    capability: 'caching',
    lost: ['asked'],
    why: 'Google caches automatically and has no cache marks; tokens read from its cache are reported.',
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
