import type { Block, MediaBlock } from '#canonical';

/** Whether a media block contains only text. */
export function isTextual(block: MediaBlock): boolean {
  return 'text' in block.source || 'blocks' in block.source;
}

/** A text document, preceded by its title and context. */
export function describeDocument(block: MediaBlock): string {
  const { source } = block;
  const text = 'text' in source ? source.text : 'blocks' in source ? joinTexts(source.blocks) : '';
  return [block.title, block.context, text].filter((line) => line !== undefined && line !== '').join('\n');
}

/** Images in a document of blocks, which its text cannot hold. */
export function listInnerMedia(block: MediaBlock): MediaBlock[] {
  return 'blocks' in block.source ? block.source.blocks.filter((inner) => inner.type === 'media') : [];
}

function joinTexts(blocks: Block[]): string {
  return blocks
    .filter((block) => block.type === 'text')
    .map((block) => block.text)
    .join('\n');
}
