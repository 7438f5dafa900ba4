import { append } from '#base';
import type { Block, ReasoningBlock, ToolCallBlock } from '#canonical';
import type { EncodeContext } from '../../request/encode-context.ts';
import { encodeInput } from '../../tools/call-arguments.ts';
import { encodeMedia } from './encode-media.ts';
import { STAND_IN } from '../thought-signature.ts';
import type { Members } from '../../body/unchecked.ts';
import type { GeminiPart } from '../schema.ts';

type RawPart = Members<GeminiPart>;

/**
 * Encodes a model turn. Standalone signatures before calls are attached to those calls, where Gemini requires them; if
 * there are more signatures than calls, the last ones are. The others are attached to empty texts, as they arrived.
 */
export function encodeModelParts(blocks: readonly Block[], context: EncodeContext): RawPart[] {
  const parts: RawPart[] = [];
  const waiting: string[] = [];
  for (const [at, block] of blocks.entries()) {
    if (block.type === 'tool-call') {
      const isFirst = blocks[at - 1]?.type !== 'tool-call';
      const spare = isFirst ? waiting.splice(0, Math.max(0, waiting.length - countCalls(blocks, at))) : [];
      const signature = waiting.shift();
      append(parts, spare.map(signNothing));
      parts.push({
        ...encodeCall(block, context),
        ...(signature !== undefined && { thoughtSignature: signature }),
      });
      continue;
    }
    const alone = findSignature(block, context);
    if (alone === undefined) parts.push(...encodePart(block, context));
    else waiting.push(alone);
  }
  append(parts, waiting.map(signNothing));
  return context.dialect.thoughtSignatures === 'required' ? signParts(parts) : parts;
}

/** The number of consecutive calls from here. */
function countCalls(blocks: readonly Block[], from: number): number {
  let end = from;
  while (blocks[end]?.type === 'tool-call') end += 1;
  return end - from;
}

function signNothing(thoughtSignature: string): RawPart {
  return { text: '', thoughtSignature };
}

/**
 * Gemini 3 refuses an unsigned first call of a step, and an unsigned image of its own. Those of other models, and those
 * whose signature the caller's format could not keep, get the placeholder that Google documents.
 */
function signParts(parts: readonly RawPart[]): RawPart[] {
  const firstCall = parts.findIndex((part) => part.functionCall !== undefined);
  return parts.map((part, at) => {
    const isSigned = typeof part.thoughtSignature === 'string';
    const needsOne = at === firstCall || part.inlineData !== undefined;
    return needsOne && !isSigned ? { ...part, thoughtSignature: STAND_IN } : part;
  });
}

function findSignature(block: Block, context: EncodeContext): string | undefined {
  if (block.type !== 'reasoning' || block.text !== '' || !isOwn(block, context)) return undefined;
  return block.signature;
}

function isOwn(block: ReasoningBlock, { dialect }: EncodeContext): boolean {
  return block.issuer === dialect.issuer && (block.signature ?? '') !== '' && block.redacted === undefined;
}

function encodeCall(call: ToolCallBlock, { names, ids }: EncodeContext): RawPart {
  return {
    functionCall: { id: ids.encode(call.id), name: names.encode(call.name), args: encodeInput(call) },
  };
}

function encodePart(block: Block, context: EncodeContext): RawPart[] {
  switch (block.type) {
    case 'text':
      return block.text === '' ? [] : [{ text: block.text }];
    case 'reasoning':
      return isOwn(block, context)
        ? [{ text: block.text, thought: true, thoughtSignature: block.signature }]
        : [];
    case 'media':
      return encodeMedia(block, context.dialect);
    case 'native':
      return block.format === 'gemini' ? [block.value] : [];
    default:
      return [];
  }
}
