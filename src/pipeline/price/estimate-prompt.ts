import type { JsonObject } from '#base';
import type { Block, CanonicalRequest, Tool } from '#canonical';
import { inputJsonOf } from '#canonical';
import { inTurn } from '../request/step-scheduler.ts';
import { countTokensOf } from './token-counter.ts';

const IMAGE_TOKENS = 1_500;
const DOCUMENT_BYTES_PER_TOKEN = 16;
const PER_TURN_TOKENS = 4;

/** A tokenizer's time grows with the square of an unbroken run of letters, so long texts are sliced. */
const SLICE_CHARACTERS = 500;
/** Longer text is extrapolated from the counted part. */
const COUNTED_CHARACTERS = 400_000;

/** What a prompt consists of: texts to count, and tokens that are not text. */
interface Parts {
  texts: string[];
  tokens: number;
}

/** Estimates a prompt's tokens over system, tools and turns. */
export async function estimatePrompt(request: CanonicalRequest, queue: string | undefined): Promise<number> {
  const parts = await inTurn(queue, () => listParts(request));
  return Math.max(1, parts.tokens + (await countTexts(parts.texts)));
}

function listParts(request: CanonicalRequest): Parts {
  const parts: Parts = { texts: [], tokens: PER_TURN_TOKENS * request.turns.length };
  addBlocks(parts, request.system);
  for (const turn of request.turns) addBlocks(parts, turn.blocks);
  for (const tool of request.tools) parts.texts.push(JSON.stringify(describeTool(tool)));
  return parts;
}

async function countTexts(texts: readonly string[]): Promise<number> {
  const all = texts.reduce((sum, text) => sum + text.length, 0);
  const slices: string[] = [];
  let counted = 0;
  for (const text of texts) {
    for (let at = 0; at < text.length && counted < COUNTED_CHARACTERS; at += SLICE_CHARACTERS) {
      const slice = text.slice(at, at + SLICE_CHARACTERS);
      slices.push(slice);
      counted += slice.length;
    }
  }
  return counted === 0 ? 0 : Math.round(((await countTokensOf(slices)) * all) / counted);
}

function addBlocks(parts: Parts, blocks: readonly Block[]): void {
  for (const block of blocks) addBlock(parts, block);
}

function addBlock(parts: Parts, block: Block): void {
  switch (block.type) {
    case 'text':
    case 'reasoning':
      parts.texts.push(block.text);
      break;
    case 'tool-call':
      parts.texts.push(`${block.name} ${inputJsonOf(block)}`);
      break;
    case 'tool-result':
      addBlocks(parts, block.blocks);
      break;
    case 'native':
      parts.texts.push(JSON.stringify(block.value));
      break;
    case 'media':
      addMedia(parts, block);
  }
}

function addMedia(parts: Parts, { kind, source }: Block & { type: 'media' }): void {
  if ('text' in source) parts.texts.push(source.text);
  else if ('blocks' in source) addBlocks(parts, source.blocks);
  else if (kind === 'image' || !('base64' in source)) parts.tokens += IMAGE_TOKENS;
  else parts.tokens += Math.ceil(source.base64.length / DOCUMENT_BYTES_PER_TOKEN);
}

function describeTool(tool: Tool): JsonObject {
  if (tool.type === 'native') return tool.value;
  const { name, description } = tool;
  if (tool.type === 'custom') return { name, description, format: tool.format };
  const { inputSchema } = tool;
  return { name, description, inputSchema };
}
