import { type JsonObject, append, parseExactObject } from '#base';
import { type Block, type ReasoningBlock, type ToolCallBlock, inputJsonOf } from '#canonical';
import type { EncodeContext } from '../encode-context.ts';
import { encodeMedia } from './encode-media.ts';
import { STAND_IN } from './thought-signature.ts';

/**
 * The parts of a model turn. Signatures alone before calls go on the parts of those calls, where Gemini requires
 * them; of more signatures than calls the last ones do. The others go on empty texts, as they came.
 */
export function encodeModelParts(blocks: readonly Block[], context: EncodeContext): JsonObject[] {
  const parts: JsonObject[] = [];
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

/** How many calls follow one another from here. */
function countCalls(blocks: readonly Block[], from: number): number {
  let end = from;
  while (blocks[end]?.type === 'tool-call') end += 1;
  return end - from;
}

function signNothing(thoughtSignature: string): JsonObject {
  return { text: '', thoughtSignature };
}

/**
 * Gemini 3 refuses a step whose first call has no signature, and a picture of its own without one; those of other models,
 * and those whose signature the caller's format could not keep, get the stand-in Google documents.
 */
function signParts(parts: readonly JsonObject[]): JsonObject[] {
  const firstCall = parts.findIndex((part) => part['functionCall'] !== undefined);
  return parts.map((part, at) => {
    const isSigned = typeof part['thoughtSignature'] === 'string';
    const needsOne = at === firstCall || part['inlineData'] !== undefined;
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

function encodeCall(call: ToolCallBlock, { names, ids }: EncodeContext): JsonObject {
  const args = 'value' in call.input ? call.input.value : (parseExactObject(inputJsonOf(call)) ?? {});
  return { functionCall: { id: ids.encode(call.id), name: names.encode(call.name), args } };
}

function encodePart(block: Block, context: EncodeContext): JsonObject[] {
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
