import { readTexts } from '../parts/read-texts.ts';

export const MOST_MODELS = 4;

interface PlaygroundSearch {
  /** Separated by commas. */
  models?: string;
  /** A request whose conversation is continued, where it is kept. */
  from?: string;
}

export function readPlaygroundSearch(search: Record<string, unknown>): PlaygroundSearch {
  const { models } = search;
  const names = typeof models === 'string' ? splitModels(models) : [];
  return {
    ...(names.length > 0 && { models: names.join(',') }),
    ...readTexts(search, 'from'),
  };
}

export function splitModels(models: string): string[] {
  const names = models.split(',').map((name) => name.trim());
  return [...new Set(names.filter((name) => name !== ''))].slice(0, MOST_MODELS);
}
