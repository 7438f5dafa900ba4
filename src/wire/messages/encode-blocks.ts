import type { JsonObject } from '#base';
import type { Block, MediaBlock, ReasoningBlock, Target, ToolCallBlock } from '#canonical';
import { refuseFeature } from '../errors/refuse-feature.ts';
import type { MessagesBlock, MessagesSource } from './block-schema.ts';
import type { Members } from '../body/unchecked.ts';
import { encodeInput } from '../tools/call-arguments.ts';
import { encodeCacheMark } from './cache-marks.ts';
import { isReplayable } from './signature.ts';

type RawBlock = Members<MessagesBlock>;

const PDF = 'application/pdf';
const TEXTUAL = /^(?:text\/|application\/(?:json|xml)\b)/;

/**
 * A turn's blocks as content for a Messages upstream; tool calls and results are paired elsewhere. Blank text is
 * dropped and its cache mark moves to the block before it.
 */
export function encodeBlocks(blocks: readonly Block[], target: Target): RawBlock[] {
  const content: RawBlock[] = [];
  for (const block of blocks) {
    const encoded = encodeBlock(block, target);
    if (encoded) content.push(encoded);
    if (!block.cache || target.dialect.cacheMarks !== 'cache_control') continue;
    const marked = encoded && encoded.type !== 'thinking' ? encoded : findMarkable(content);
    if (marked) marked.cache_control ??= encodeCacheMark(block.cache);
  }
  return content;
}

function findMarkable(content: readonly RawBlock[]): RawBlock | undefined {
  return content.findLast(({ type }) => type !== 'thinking' && type !== 'redacted_thinking');
}

function encodeBlock(block: Block, target: Target): RawBlock | undefined {
  switch (block.type) {
    case 'text':
      return block.text.trim() === '' ? undefined : { type: 'text', text: block.text };
    case 'reasoning':
      return encodeReasoning(block, target);
    case 'media':
      return encodeMedia(block, target);
    case 'native':
      return block.format === 'messages' ? { ...block.value } : undefined;
    default:
      return undefined;
  }
}

/** Anthropic accepts only the thinking it signed; some compatible upstreams require plain thinking. */
function encodeReasoning(block: ReasoningBlock, { dialect }: Target): RawBlock | undefined {
  const isPlain = block.issuer === undefined && block.redacted === undefined && block.text !== '';
  if (!isReplayable(block, dialect) && !(isPlain && dialect.reasoningReplay !== 'none')) return undefined;
  if (block.redacted !== undefined) return { type: 'redacted_thinking', data: block.redacted };
  return { type: 'thinking', thinking: block.text, signature: block.signature ?? '' };
}

export function encodeToolInput(call: ToolCallBlock): JsonObject {
  if (call.custom) return { input: 'json' in call.input ? call.input.json : '' };
  return encodeInput(call);
}

function encodeMedia(block: MediaBlock, target: Target): RawBlock {
  const { media } = target.dialect;
  const takes = block.kind === 'audio' ? false : media[block.kind];
  if (!takes) return refuseFeature(`${block.kind} input`, 'messages');
  return {
    type: block.kind,
    source: encodeSource(block, target),
    ...(block.kind === 'document' && block.title !== undefined && { title: block.title }),
    ...(block.kind === 'document' && block.context !== undefined && { context: block.context }),
  };
}

function encodeSource({ source, kind, mediaType }: MediaBlock, target: Target): Members<MessagesSource> {
  if ('base64' in source) {
    const type = mediaType ?? (kind === 'image' ? 'image/png' : PDF);
    if (kind === 'document' && TEXTUAL.test(type)) return toTextSource(source.base64);
    if (kind === 'document' && type !== PDF)
      return refuseFeature(`a document of the type ${type}`, 'messages');
    return { type: 'base64', media_type: type, data: source.base64 };
  }
  if ('url' in source) {
    if (!target.dialect.media.imageUrl) return refuseFeature('media by URL', 'messages');
    return { type: 'url', url: source.url };
  }
  if ('text' in source) return { type: 'text', media_type: 'text/plain', data: source.text };
  if ('blocks' in source) return { type: 'content', content: encodeBlocks(source.blocks, target) };
  if (source.format !== 'messages') return refuseFeature('a file of another provider', 'messages');
  return { type: 'file', file_id: source.fileId };
}

/** Only PDF files are accepted as bytes; text documents become text. */
function toTextSource(base64: string): Members<MessagesSource> {
  const data = Buffer.from(base64, 'base64').toString('utf8');
  return { type: 'text', media_type: 'text/plain', data };
}
