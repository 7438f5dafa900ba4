import type { Block, ToolResultBlock } from '#canonical';
import type { Answer } from '../../request/arrange-turns.ts';
import { describeDocument, isTextual, listInnerMedia } from '../../media/document-text.ts';
import type { EncodeContext } from '../../request/encode-context.ts';
import { isObject } from '../../body/read-field.ts';
import { encodeMedia } from './encode-media.ts';
import type { Members } from '../../body/unchecked.ts';
import type { GeminiPart } from '../schema.ts';

type RawPart = Members<GeminiPart>;

/** The part that answers a call, and the parts after all results of the turn. */
interface EncodedToolResult {
  part: RawPart;
  siblings: RawPart[];
}

/** Media types that Gemini 3 accepts inside a function response. */
const INSIDE = /^(?:image\/(?:png|jpeg|webp)|application\/pdf|text\/plain)$/;

/**
 * Encodes all results of one call as one part: text under `output` or `error`, media inside it if the model accepts
 * them.
 */
export function encodeToolResult({ call, results }: Answer, context: EncodeContext): EncodedToolResult {
  const { names, ids, dialect } = context;
  const inside: RawPart[] = [];
  const siblings: RawPart[] = [];
  for (const media of results.flatMap((result) => listMedia(result.blocks, context))) {
    if (dialect.resultMedia && isTakenInside(media)) inside.push(media);
    else
      siblings.push(
        { text: `From the result of ${names.encode(call.name)} (${ids.encode(call.id)}):` },
        media,
      );
  }
  const text = results
    .flatMap(({ blocks }) => blocks.map(toText))
    .filter(isNotBlank)
    .join('\n');
  const isError = results.some((result) => result.isError);
  const output = text === '' && siblings.length > 0 ? 'see the media behind the results' : text;
  const part = {
    functionResponse: {
      id: ids.encode(call.id),
      name: names.encode(call.name),
      response: isError ? { error: output } : { output },
      ...(inside.length > 0 && { parts: inside }),
    },
  };
  return { part, siblings };
}

function listMedia(blocks: readonly Block[], { dialect }: EncodeContext): RawPart[] {
  return blocks
    .filter((block) => block.type === 'media')
    .flatMap((block) => (isTextual(block) ? listInnerMedia(block) : [block]))
    .flatMap((block) => encodeMedia(block, dialect));
}

function isTakenInside({ inlineData }: RawPart): boolean {
  const type = isObject(inlineData) ? inlineData.mimeType : undefined;
  return typeof type === 'string' && INSIDE.test(type);
}

function isNotBlank(text: string): boolean {
  return text !== '';
}

function toText(block: Block): string {
  if (block.type === 'text') return block.text;
  if (block.type === 'media') return isTextual(block) ? describeDocument(block) : '';
  // Anthropic's `tool_reference`; the named tool is sent in full anyway.
  const { tool_name: name }: Members<{ tool_name: string }> = block.type === 'native' ? block.value : {};
  return typeof name === 'string' ? `Tool available: ${name}` : '';
}

/** A result without its call, as user text. */
export function encodeOrphan(result: ToolResultBlock, context: EncodeContext): RawPart[] {
  const text = result.blocks.map(toText).filter(isNotBlank).join('\n');
  const note = `Result of an earlier tool call (${result.callId}): ${result.isError ? 'Error: ' : ''}${text}`;
  return [{ text: note }, ...listMedia(result.blocks, context)];
}
