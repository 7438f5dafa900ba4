import type { Block, MediaBlock, ToolResultBlock } from '#canonical';
import { describeNative } from '../../request/describe-result.ts';
import { describeDocument, isTextual, listInnerMedia } from '../../media/document-text.ts';
import type { EncodeContext } from '../../request/encode-context.ts';
import type { ChatMessage } from '../schema.ts';
import type { ChatPart } from '../part-schema.ts';
import type { Members } from '../../body/unchecked.ts';
import { encodeMedia } from './encode-media.ts';
import { PartList } from './part-list.ts';

/** A tool message, and the parts that only a user message can contain. */
interface EncodedToolResult {
  message: Members<ChatMessage>;
  attachments: Members<ChatPart>[];
}

/** Encodes all results of one call as one text-only message; media moves to the next user message. */
export function encodeToolResult(
  callId: string,
  results: ToolResultBlock[],
  context: EncodeContext,
): EncodedToolResult {
  const { dialect, ids } = context;
  const parts = new PartList(dialect.cacheMarks);
  const attachments: Members<ChatPart>[] = [];
  if (results.some((result) => result.isError)) parts.addText('Error: ');
  for (const result of results) {
    for (const block of result.blocks) addBlock(block, { parts, attachments, callId }, context);
    if (result.cache) parts.passMark(result.cache);
  }
  return {
    message: { role: 'tool', tool_call_id: ids.encode(callId), content: joinContent(parts) },
    attachments,
  };
}

function joinContent(parts: PartList): string | Members<ChatPart>[] {
  const content = parts.toText('\n');
  return typeof content === 'string' ? content.replace(/^Error: \n/, 'Error: ') : content;
}

interface Writing {
  parts: PartList;
  attachments: Members<ChatPart>[];
  callId: string;
}

function addBlock(block: Block, writing: Writing, context: EncodeContext): void {
  switch (block.type) {
    case 'text':
      writing.parts.addText(block.text, block.cache);
      break;
    case 'media':
      addMedia(block, writing, context);
      break;
    case 'native':
      writing.parts.addText(describeNative(block), block.cache);
      break;
    case 'reasoning':
    case 'tool-call':
    case 'tool-result':
      if (block.cache) writing.parts.passMark(block.cache);
  }
}

function addMedia(block: MediaBlock, writing: Writing, context: EncodeContext): void {
  const { parts, attachments, callId } = writing;
  const attached = isTextual(block) ? listInnerMedia(block) : [block];
  if (isTextual(block)) parts.addText(describeDocument(block), block.cache);
  for (const media of attached) {
    const part = encodeMedia(media, context.dialect.media);
    attachments.push(
      { type: 'text', text: `The ${media.kind} of tool result ${context.ids.encode(callId)}:` },
      part,
    );
    parts.addText(`[${media.kind}: attached to the next user message]`, media.cache);
  }
}
