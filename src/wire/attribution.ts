import type { Block } from '#canonical';

/** Claude Code's first instruction: a fingerprint that changes per request and would defeat every prompt cache. */
const ATTRIBUTION = 'x-anthropic-billing-header:';

/** Instructions for providers other than Anthropic. */
export function withoutAttribution(system: readonly Block[]): readonly Block[] {
  const [first, ...rest] = system;
  return first?.type === 'text' && first.text.startsWith(ATTRIBUTION) ? rest : system;
}
