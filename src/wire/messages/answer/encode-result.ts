import type {
  Annotation,
  Block,
  GenerationResult,
  MediaBlock,
  ReasoningBlock,
  TextBlock,
  Usage,
} from '#canonical';
import { createUsage } from '#canonical';
import type { ReplyContext } from '../../contract.ts';
import type { MessagesAnswer } from './answer-schema.ts';
import { readCitation } from '../../answer/citation.ts';
import { isObject } from '../../body/read-field.ts';
import type { MessagesBlock, MessagesCitation } from '../block-schema.ts';
import type { Members } from '../../body/unchecked.ts';
import { awaitsClient, encodeFinish } from './finish.ts';
import { seal } from '../../seal.ts';
import { NATIVE_ISSUER } from '../signature.ts';
import type { CallIds } from '../../tools/call-ids.ts';
import { encodeToolInput } from '../encode-blocks.ts';
import { createAnswerIds } from '../tool-id.ts';
import { encodeUsage } from './usage.ts';

type RawAnswer = Members<MessagesAnswer>;
type RawBlock = Members<MessagesBlock>;

export function encodeResult(result: GenerationResult, context: ReplyContext): RawAnswer {
  const ids = createAnswerIds(context.answerId);
  const content: RawBlock[] = [];
  for (const block of result.blocks) {
    const encoded = encodeAnswerBlock(block, ids);
    if (encoded) content.push(encoded);
  }
  const { usage, stop_reason: unnamed, ...extra }: RawAnswer = result.extra?.messages ?? {};
  return {
    ...extra,
    id: toMessageId(result.id, context),
    type: 'message',
    role: 'assistant',
    model: context.model,
    content,
    ...encodeFinish(result.finish, hasToolCall(result.blocks), unnamed),
    usage: encodeUsage(result.usage ?? estimateUsage(context), isObject(usage) ? usage : {}),
  };
}

export function toMessageId(upstreamId: string, { answerId }: ReplyContext): string {
  if (upstreamId.startsWith('msg_')) return upstreamId;
  return answerId.startsWith('msg_') ? answerId : `msg_${answerId}`;
}

/** The known usage before the upstream reports any. */
export function estimateUsage(context: ReplyContext): Usage {
  return createUsage({ inputUncached: context.inputEstimate, outputText: 1 });
}

function hasToolCall(blocks: readonly Block[]): boolean {
  return blocks.some(awaitsClient);
}

/** `undefined` for blocks a Message cannot hold: empty text, and blocks of other formats. */
function encodeAnswerBlock(block: Block, ids: CallIds): RawBlock | undefined {
  switch (block.type) {
    case 'text':
      return encodeText(block);
    case 'reasoning':
      return encodeReasoning(block);
    case 'tool-call':
      return {
        ...block.extra?.messages,
        type: 'tool_use',
        id: ids.claim(block.id),
        name: block.name,
        input: encodeToolInput(block),
      };
    case 'media':
      return encodeImage(block);
    case 'native':
      return block.format === 'messages' ? block.value : undefined;
    case 'tool-result':
      return undefined;
  }
}

/**
 * A generated image. Anthropic's answers have no block for it, so it becomes a user's image block, which clients of
 * this format can send back.
 */
export function encodeImage({ kind, source, mediaType = 'image/png' }: MediaBlock): RawBlock | undefined {
  if (kind !== 'image') return undefined;
  if ('base64' in source)
    return { type: 'image', source: { type: 'base64', media_type: mediaType, data: source.base64 } };
  return 'url' in source ? { type: 'image', source: { type: 'url', url: source.url } } : undefined;
}

/**
 * A citation in the Messages format; one of another format becomes a search result without the mark that Anthropic
 * requires back. A citation without an address is dropped.
 */
export function encodeCitation(annotation: Annotation): Members<MessagesCitation> | undefined {
  if (annotation.format === 'messages') return annotation.value;
  const citation = readCitation(annotation);
  if (!citation) return undefined;
  const { url, title } = citation;
  return { type: 'web_search_result_location', cited_text: '', encrypted_index: '', title, url };
}

function encodeText(block: TextBlock): RawBlock | undefined {
  const citations = (block.annotations ?? [])
    .map(encodeCitation)
    .filter((citation) => citation !== undefined);
  if (block.text === '' && citations.length === 0) return undefined;
  return {
    ...block.extra?.messages,
    type: 'text',
    text: block.text,
    ...(citations.length > 0 && { citations }),
  };
}

function encodeReasoning(block: ReasoningBlock): RawBlock {
  const { issuer, redacted, signature = '' } = block;
  if (redacted !== undefined) return encodeRedacted(block, redacted);
  return {
    ...block.extra?.messages,
    type: 'thinking',
    thinking: block.text,
    signature:
      signature === '' ? '' : seal({ secret: signature, issuer: issuer ?? NATIVE_ISSUER }, NATIVE_ISSUER),
  };
}

export function encodeRedacted(block: ReasoningBlock, redacted: string): RawBlock {
  const data = seal({ secret: redacted, issuer: block.issuer ?? NATIVE_ISSUER }, NATIVE_ISSUER);
  return { ...block.extra?.messages, type: 'redacted_thinking', data };
}
