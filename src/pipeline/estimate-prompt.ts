import type { JsonObject } from '#base';
import type { Block, CanonicalRequest, Tool } from '#canonical';
import { inputJsonOf } from '#canonical';

const IMAGE_TOKENS = 1_500;
const DOCUMENT_BYTES_PER_TOKEN = 16;
const PER_TURN_TOKENS = 4;

type CountText = (text: string) => number;

/** Estimates a prompt's tokens over system, tools and turns; the tokenizer is loaded when first needed. */
export async function estimatePrompt(request: CanonicalRequest): Promise<number> {
  const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base');
  const countText: CountText = (text) => countTokens(text, { disallowedSpecial: new Set() });
  let total = countBlocks(request.system, countText);
  for (const turn of request.turns) total += PER_TURN_TOKENS + countBlocks(turn.blocks, countText);
  for (const tool of request.tools) total += countText(JSON.stringify(describeTool(tool)));
  return Math.max(1, total);
}

function countBlocks(blocks: readonly Block[], countText: CountText): number {
  return blocks.reduce((total, block) => total + countBlock(block, countText), 0);
}

function countBlock(block: Block, countText: CountText): number {
  switch (block.type) {
    case 'text':
    case 'reasoning':
      return countText(block.text);
    case 'tool-call':
      return countText(`${block.name} ${inputJsonOf(block)}`);
    case 'tool-result':
      return countBlocks(block.blocks, countText);
    case 'native':
      return countText(JSON.stringify(block.value));
    case 'media':
      return countMedia(block, countText);
  }
}

function countMedia({ kind, source }: Block & { type: 'media' }, countText: CountText): number {
  if ('text' in source) return countText(source.text);
  if ('blocks' in source) return countBlocks(source.blocks, countText);
  if (kind === 'image' || !('base64' in source)) return IMAGE_TOKENS;
  return Math.ceil(source.base64.length / DOCUMENT_BYTES_PER_TOKEN);
}

function describeTool(tool: Tool): JsonObject {
  if (tool.type === 'native') return tool.value;
  const { name, description, inputSchema } = tool;
  return { name, description, inputSchema };
}
