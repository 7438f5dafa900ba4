import type { Block, MediaBlock } from '#canonical';

/** Whether a media block is nothing but text. */
export function isTextual(block: MediaBlock): boolean {
  return 'text' in block.source || 'blocks' in block.source;
}

/** A document of text, with its title and context before it. */
export function describeDocument(block: MediaBlock): string {
  const { source } = block;
  const text = 'text' in source ? source.text : 'blocks' in source ? joinTexts(source.blocks) : '';
  return [block.title, block.context, text].filter((line) => line !== undefined && line !== '').join('\n');
}

/** Pictures inside a document of blocks, which its text cannot hold. */
export function listInnerMedia(block: MediaBlock): MediaBlock[] {
  return 'blocks' in block.source ? block.source.blocks.filter((inner) => inner.type === 'media') : [];
}

function joinTexts(blocks: Block[]): string {
  return blocks
    .filter((block) => block.type === 'text')
    .map((block) => block.text)
    .join('\n');
}
