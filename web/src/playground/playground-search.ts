export const MOST_MODELS = 4;

interface PlaygroundSearch {
  /** Separated by commas. */
  models?: string;
  /** A request whose conversation is continued, where it is kept. */
  from?: string;
}

export function readPlaygroundSearch({ models, from }: Record<string, unknown>): PlaygroundSearch {
  const names = typeof models === 'string' ? splitModels(models) : [];
  return {
    ...(names.length > 0 && { models: names.join(',') }),
    ...(typeof from === 'string' && from !== '' && { from }),
  };
}

export function splitModels(models: string): string[] {
  const names = models.split(',').map((name) => name.trim());
  return [...new Set(names.filter((name) => name !== ''))].slice(0, MOST_MODELS);
}
