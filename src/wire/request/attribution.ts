import type { Block } from '#canonical';

/** Claude Code's first instruction: a fingerprint that changes per request and would defeat every prompt cache. */
const ATTRIBUTION = 'x-anthropic-billing-header:';

export function isAttribution(text: unknown): boolean {
  return typeof text === 'string' && text.startsWith(ATTRIBUTION);
}

/** Instructions for providers other than Anthropic. */
export function withoutAttribution(system: readonly Block[]): readonly Block[] {
  const [first, ...rest] = system;
  return first?.type === 'text' && isAttribution(first.text) ? rest : system;
}
