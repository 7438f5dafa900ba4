import type { FeedState } from '#catalogue';

/** Changes that count from a moment on. */
export interface FeedAnnouncement {
  from: number;
  /** Such as `openai/gpt-x`. */
  priced: readonly string[];
  removed: readonly string[];
}

/** Changes that do not apply yet, the next first. */
export function listAnnouncements({ providers, models }: FeedState, now: number): FeedAnnouncement[] {
  const moments = new Map<number, { priced: string[]; removed: string[] }>();
  const add = (from: number | undefined, kind: 'priced' | 'removed', name: string): void => {
    if (from === undefined || from <= now) return;
    const one = moments.get(from) ?? { priced: [], removed: [] };
    moments.set(from, one);
    one[kind].push(name);
  };
  for (const { id, pending } of providers) add(pending?.from, 'priced', id);
  for (const { id, mappings } of models)
    for (const { provider, pending, nextPrice, removedAt } of mappings) {
      add(pending?.from, 'priced', `${provider}/${id}`);
      add(nextPrice && Date.parse(nextPrice.from), 'priced', `${provider}/${id}`);
      add(removedAt, 'removed', `${provider}/${id}`);
    }
  return [...moments].map(([from, changes]) => ({ from, ...changes })).sort((a, b) => a.from - b.from);
}
