import type { FeedChange } from '#catalogue';

const MOST = 20;

/** Such as `openai/gpt-x: input 1 → 2 from 2026-12-01T00:00:00.000Z`. */
export function describeChange({ kind, modelId, providerId, amounts, from }: FeedChange): string {
  const place = modelId === undefined ? providerId : `${providerId}/${modelId}`;
  if (kind === 'added') return `${place}: added`;
  const since = `from ${new Date(from).toISOString()}`;
  if (kind === 'removed') return `${place}: shut down ${since}`;
  const terms = amounts.map(({ name, before = 'none', after = 'none' }) => `${name} ${before} → ${after}`);
  return `${place}: ${terms.length === 0 ? 'other terms' : terms.join(', ')} ${since}`;
}

/** The first of them, for a line of the log. */
export function describeChanges(changes: readonly FeedChange[]): string {
  const lines = changes.slice(0, MOST).map(describeChange);
  return [...lines, ...(changes.length > MOST ? [`and ${changes.length - MOST} more`] : [])].join('; ');
}
