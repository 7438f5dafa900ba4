import type { Block, ReasoningBlock, ToolCallBlock } from '#canonical';
import type { ChatToolCall } from './schema.ts';
import type { Members } from '../body/unchecked.ts';
import { isObject } from '../body/read-field.ts';

export const GOOGLE = 'google';

/**
 * Google signs calls. In its OpenAI-compatible API the signature is in the call
 * (`extra_content.google.thought_signature`), and clients that keep calls whole return it.
 */
export function isCallSignature(block: Block): block is ReasoningBlock & { signature: string } {
  return block.type === 'reasoning' && mayBeCallSignature(block) && Boolean(block.signature);
}

/** The same check before the signature of a streamed block has arrived. */
export function mayBeCallSignature({ text, redacted, issuer }: ReasoningBlock): boolean {
  return issuer === GOOGLE && text === '' && redacted === undefined;
}

/** Adds the signature to a call; one set by the upstream is kept. */
export function signCall(call: ToolCallBlock, signature: string): ToolCallBlock {
  const own = call.extra?.chat ?? {};
  const chat: Members<ChatToolCall> = {
    extra_content: { [GOOGLE]: { thought_signature: signature } },
    ...own,
  };
  return { ...call, extra: { ...call.extra, chat } };
}

/** Removes the signature for an upstream that did not issue it. */
export function withoutSignature(call: ToolCallBlock): ToolCallBlock {
  const chat: Members<ChatToolCall> = { ...call.extra?.chat };
  if (chat.extra_content === undefined) return call;
  delete chat.extra_content;
  return { ...call, extra: { ...call.extra, chat } };
}

/** The signature of a replayed call. */
export function decodeCallSignature(call: Members<ChatToolCall>): ReasoningBlock | undefined {
  const { extra_content: content } = call;
  const google = isObject(content) ? content[GOOGLE] : undefined;
  const signature = isObject(google) ? google.thought_signature : undefined;
  if (typeof signature !== 'string' || signature === '') return undefined;
  return { type: 'reasoning', text: '', signature, issuer: GOOGLE };
}

/** Moves each signature into the call it signs. */
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
