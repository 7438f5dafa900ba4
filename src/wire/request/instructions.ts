import type { Block, TextBlock } from '#canonical';
import { refuseFeature } from '../errors/refuse-feature.ts';
import { withoutAttribution } from './attribution.ts';

/** The instructions as texts, for providers that accept nothing else there; throws if there are media among them. */
export function listInstructions(system: readonly Block[]): TextBlock[] {
  return listTexts(withoutAttribution(system), 'system');
}

/** The texts of instructions in mid-conversation. */
export function listTexts(blocks: readonly Block[], param = 'messages'): TextBlock[] {
  if (blocks.some(({ type }) => type === 'media'))
    return refuseFeature('images or documents in instructions', param);
  return blocks.filter((block) => block.type === 'text');
}
