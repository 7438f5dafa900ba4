import type { Block, ReasoningBlock } from '#canonical';
import { readMember, requireObject, requireString, requireText } from './checks.ts';
import { decodeMedia } from './decode-media.ts';
import type { PendingCalls } from './pending-calls.ts';
import { decodeSignature } from './thought-signature.ts';
import type { GeminiFunctionCall, GeminiPart } from './schema.ts';
import type { Members } from '../unchecked.ts';

/** Builds a model turn from its parts, which a stream may have split. */
export class ModelTurn {
  readonly blocks: Block[] = [];
  readonly #pending: PendingCalls;

  constructor(pending: PendingCalls) {
    this.#pending = pending;
  }

  add(part: Members<GeminiPart>, path: string): void {
    const signature =
      readMember(part, 'thoughtSignature', (value) => requireString(value, `${path}.thoughtSignature`)) ?? '';
    const call = readMember(part, 'functionCall', (value) => requireObject(value, `${path}.functionCall`));
    if (call) this.#addCall(call, signature, `${path}.functionCall`);
    else if (part.text !== undefined) this.#addText(part, signature, path);
    else this.#addOther(part, signature, path);
  }

  #addText(part: Members<GeminiPart>, signature: string, path: string): void {
    const text = requireString(part.text, `${path}.text`);
    if (part.thought === true) {
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

  #addCall(call: Members<GeminiFunctionCall>, signature: string, path: string): void {
    const name = requireText(call.name, `${path}.name`);
    const id = readMember(call, 'id', (value) => requireString(value, `${path}.id`)) ?? '';
    const args = readMember(call, 'args', (value) => requireObject(value, `${path}.args`)) ?? {};
    this.#sign(signature);
    const block = {
      type: 'tool-call',
      id: id === '' ? this.#pending.createId(name) : id,
      name,
      input: { value: args },
    } as const;
    this.#pending.add(block);
    this.blocks.push(block);
  }

  #addOther(part: Members<GeminiPart>, signature: string, path: string): void {
    const media = decodeMedia(part, path);
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
