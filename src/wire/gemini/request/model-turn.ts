import type { Block, ReasoningBlock } from '#canonical';
import { findMember } from '../members.ts';
import { decodeMedia } from './decode-media.ts';
import type { PendingCalls } from './pending-calls.ts';
import { decodeSignature } from '../thought-signature.ts';
import type { GeminiFunctionCall, GeminiPart } from '../schema.ts';

/** Builds a model turn from its parts, which a stream may have split. */
export class ModelTurn {
  readonly blocks: Block[] = [];
  readonly #pending: PendingCalls;

  constructor(pending: PendingCalls) {
    this.#pending = pending;
  }

  add(part: GeminiPart): void {
    const signature = findMember(part, 'thoughtSignature') ?? '';
    const call = findMember(part, 'functionCall');
    if (call) this.#addCall(call, signature);
    else if (part.text !== undefined) this.#addText(part.text, part.thought === true, signature);
    else this.#addOther(part, signature);
  }

  #addText(text: string, isThought: boolean, signature: string): void {
    if (isThought) {
      this.#addThought(text, signature);
      return;
    }
    const last = this.blocks.at(-1);
    if (last?.type === 'text' && text !== '') last.text += text;
    else if (text !== '') this.blocks.push({ type: 'text', text });
    this.#sign(signature);
  }

  /** A signature ends the pieces of one thought. */
  #addThought(text: string, signature: string): void {
    const open = this.#findOpenThought();
    const whole = (open?.text ?? '') + text;
    const signed = signature === '' ? undefined : decodeSignature(signature, whole);
    if (open) this.blocks.pop();
    if (signed) {
      if (open && signed.text !== whole && signed.redacted !== undefined) this.blocks.push(open);
      this.blocks.push(signed);
    } else if (whole !== '') {
      this.blocks.push({ type: 'reasoning', text: whole });
    }
  }

  #findOpenThought(): ReasoningBlock | undefined {
    const last = this.blocks.at(-1);
    const isOpen = last?.type === 'reasoning' && last.signature === undefined && last.redacted === undefined;
    return isOpen ? last : undefined;
  }

  #addCall({ name, id, args }: GeminiFunctionCall, signature: string): void {
    this.#sign(signature);
    const block = {
      type: 'tool-call',
      id: id ? id : this.#pending.createId(name),
      name,
      input: { value: args ?? {} },
    } as const;
    this.#pending.add(block);
    this.blocks.push(block);
  }

  #addOther(part: GeminiPart, signature: string): void {
    const media = decodeMedia(part);
    if (!media) this.blocks.push({ type: 'native', format: 'gemini', value: part });
    else
      this.blocks.push(
        signature === '' ? media : { ...media, extra: { gemini: { thoughtSignature: signature } } },
      );
  }

  /** A signature before a call or after the text. */
  #sign(signature: string): void {
    const signed = decodeSignature(signature);
    if (signed) this.blocks.push(signed);
  }
}
