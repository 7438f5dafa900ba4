import type { Block, ReasoningBlock, ToolCallBlock } from '#canonical';
import type { ChatToolCall } from './schema.ts';
import type { Members } from '../unchecked.ts';
import { isObject } from '../read-field.ts';

export const GOOGLE = 'google';

/**
 * Google signs calls. In its OpenAI-compatible form the signature stands beside the call
 * (`extra_content.google.thought_signature`), and clients that keep a call whole bring it back.
 */
export function isCallSignature(block: Block): block is ReasoningBlock & { signature: string } {
  return block.type === 'reasoning' && mayBeCallSignature(block) && Boolean(block.signature);
}

/** The same before the signature of a stream's block has come. */
export function mayBeCallSignature({ text, redacted, issuer }: ReasoningBlock): boolean {
  return issuer === GOOGLE && text === '' && redacted === undefined;
}

/** A call with its signature beside it; one that an upstream put there itself stays. */
export function signCall(call: ToolCallBlock, signature: string): ToolCallBlock {
  const own = call.extra?.chat ?? {};
  const chat = { extra_content: { [GOOGLE]: { thought_signature: signature } }, ...own };
  return { ...call, extra: { ...call.extra, chat } };
}

/** A call for an upstream that did not sign it. */
export function withoutSignature(call: ToolCallBlock): ToolCallBlock {
  if (call.extra?.chat?.['extra_content'] === undefined) return call;
  const chat = { ...call.extra.chat };
  delete chat['extra_content'];
  return { ...call, extra: { ...call.extra, chat } };
}

/** What signs a call that a client brought back. */
export function decodeCallSignature(call: Members<ChatToolCall>): ReasoningBlock | undefined {
  const { extra_content: content } = call;
  const google = isObject(content) ? content[GOOGLE] : undefined;
  const signature = isObject(google) ? google.thought_signature : undefined;
  if (typeof signature !== 'string' || signature === '') return undefined;
  return { type: 'reasoning', text: '', signature, issuer: GOOGLE };
}

/** Blocks in which every signature of a call stands beside it. */
export function attachSignatures(blocks: Block[]): Block[] {
  if (!blocks.some(isCallSignature)) return blocks;
  const attached: Block[] = [];
  blocks.forEach((block, at) => {
    const [before, next] = [blocks[at - 1], blocks[at + 1]];
    if (isCallSignature(block) && next?.type === 'tool-call') return;
    const isSigned = block.type === 'tool-call' && before !== undefined && isCallSignature(before);
    attached.push(isSigned ? signCall(block, before.signature) : block);
  });
  return attached;
}
