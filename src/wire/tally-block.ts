import type { Block, ToolTally } from '#canonical';
import { FORMAT_FACTS } from './facts.ts';
import { tallyImage } from './tools/tool-uses.ts';

/** Counts a block of an answer that may be cut before the provider reports its uses. */
export function tallyBlock(tally: ToolTally, block: Block): void {
  if (block.type === 'native') FORMAT_FACTS[block.format].tallyUse?.(tally, block.value);
  else if (block.type === 'media' && block.extra?.responses) tallyImage(tally, block.extra.responses);
}
