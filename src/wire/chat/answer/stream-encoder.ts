import type { JsonObject, SseMessage } from '#base';
import {
  type Annotation,
  type Block,
  type GenerationEnd,
  type GenerationEvent,
  type GenerationStart,
  type ReasoningBlock,
  type TextBlock,
  type ToolCallBlock,
  inputJsonOf,
} from '#canonical';
import { toCallerError } from '#errors';
import type { Choice, ReplyContext, StreamEncoder } from '../../contract.ts';
import { encodeAnnotation, isComplete } from './encode-annotation.ts';
import { encodePricedUsage, splitExtra } from './encode-result.ts';
import { encodeError } from '../../errors/openai-error.ts';
import { encodeFinish } from './finish.ts';
import { encodeOwnImage } from './own-images.ts';
import { encodeReasoningDetail, isIssued } from '../reasoning-details.ts';
import { isCallSignature, mayBeCallSignature, signCall } from '../thought-signature.ts';

/** Encodes events as `chat.completion.chunk` frames. Everything but the delta is serialized once per stream. */
export class ChatStreamEncoder implements StreamEncoder {
  readonly #context: ReplyContext;
  readonly #choice: Choice | undefined;
  /** JSON up to the first choice. */
  #head = '';
  /** JSON around the delta. */
  #before = '';
  #after = '';
  #top: JsonObject = {};
  #open: Block | undefined;
  /** Text streamed for the open block, kept only if its end needs it. */
  #streamed: string[] = [];
  #hasDelta = false;
  /** A signature held until the call it signs. */
  #signature: (ReasoningBlock & { signature: string }) | undefined;
  #textLength = 0;
  /** Start of the open text, and its citations of other formats, which are sent once its end is known. */
  #textStart = 0;
  #annotations: Annotation[] = [];
  #calls = 0;
  #details = 0;
  #images = 0;
  #hasRefusal = false;
  #hasEnded = false;

  constructor(context: ReplyContext, choice?: Choice) {
    this.#context = context;
    this.#choice = choice;
  }

  push(event: GenerationEvent): SseMessage[] {
    if (this.#hasEnded) return [];
    switch (event.type) {
      case 'generation-start':
        return [this.#start(event)];
      case 'block-start':
        return this.#openBlock(event.block);
      case 'block-delta':
        return this.#addDelta(event.text);
      case 'block-annotation':
        if (isComplete(event.annotation)) return [this.#chunk({ annotations: [event.annotation.value] })];
        this.#annotations.push(event.annotation);
        return [];
      case 'block-end':
        return this.#closeBlock(event.signature);
      case 'relay':
      case 'tools-used':
        return [];
      case 'generation-end':
        this.#hasEnded = true;
        return this.#end(event);
      case 'generation-error': {
        this.#hasEnded = true;
        return [{ data: JSON.stringify(encodeError(toCallerError(event.failure))) }];
      }
    }
  }

  ping(): string {
    return ': ping\n\n';
  }

  #start(event: GenerationStart): SseMessage {
    this.#top = splitExtra(event.extra?.chat).top;
    const { answerId, createdSeconds, model, request } = this.#context;
    const head = {
      id: event.id === '' || this.#choice ? answerId : event.id,
      object: 'chat.completion.chunk',
      created: createdSeconds,
      model,
      ...this.#sharedTop(),
    };
    const index = this.#choice?.index ?? 0;
    const usage = request.streamUsage ? ',"usage":null' : '';
    this.#head = `${JSON.stringify(head).slice(0, -1)},"choices":[`;
    // `join` yields a flat string, which is faster to copy into each chunk than a concatenated one.
    this.#before = [this.#head, '{"index":', index, ',"delta":'].join('');
    this.#after = `,"logprobs":null,"finish_reason":null}]${usage}}`;
    return this.#chunk({ role: 'assistant', content: '', refusal: null });
  }

  /** OpenAI repeats these on every chunk; all other members are sent once, at the end. */
  #sharedTop(): JsonObject {
    const { system_fingerprint: fingerprint, service_tier: tier } = this.#top;
    return {
      ...(fingerprint !== undefined && { system_fingerprint: fingerprint }),
      ...(tier !== undefined && { service_tier: tier }),
    };
  }

  #chunk(delta: JsonObject): SseMessage {
    return this.#frame(JSON.stringify(delta));
  }

  #frame(delta: string): SseMessage {
    return { data: `${this.#before}${delta}${this.#after}` };
  }

  #openBlock(block: Block): SseMessage[] {
    this.#open = block;
    this.#streamed = [];
    this.#hasDelta = false;
    this.#textStart = this.#textLength;
    if (block.type === 'tool-call') return this.#openCall(this.#sign(block));
    const released = this.#releaseSignature();
    return released.length === 0 ? this.#openOther(block) : [...released, ...this.#openOther(block)];
  }

  #openOther(block: Block): SseMessage[] {
    if (block.type === 'text') return block.text === '' ? [] : this.#addDelta(block.text);
    if (block.type === 'media') return this.#addImage(block);
    if (block.type !== 'reasoning' || mayBeCallSignature(block)) return [];
    const opening = isIssued(block) ? [this.#detail({ ...block, text: '' })] : [];
    if (block.redacted !== undefined) return opening;
    return block.text === '' ? opening : [...opening, ...this.#addDelta(block.text)];
  }

  #addImage(block: Block): SseMessage[] {
    const image = encodeOwnImage(block, this.#images);
    if (!image) return [];
    this.#images += 1;
    return [this.#chunk({ images: [image] })];
  }

  #sign(call: ToolCallBlock): ToolCallBlock {
    const signature = this.#signature;
    this.#signature = undefined;
    return signature ? signCall(call, signature.signature) : call;
  }

  /** A signature that no call follows is sent as reasoning. */
  #releaseSignature(): SseMessage[] {
    const signature = this.#signature;
    this.#signature = undefined;
    return signature ? [this.#detail(signature)] : [];
  }

  #openCall(call: ToolCallBlock): SseMessage[] {
    const { id, name } = call;
    const index = this.#calls;
    if (this.#context.request.legacyCalls) {
      return index === 0 ? [this.#chunk({ function_call: { name, arguments: '' } })] : [];
    }
    const kind = call.custom
      ? { type: 'custom', custom: { name, input: '' } }
      : { type: 'function', function: { name, arguments: '' } };
    return [this.#chunk({ tool_calls: [{ index, id, ...kind, ...call.extra?.chat }] })];
  }

  #addDelta(text: string): SseMessage[] {
    const block = this.#open;
    if (!block || text === '') return [];
    this.#hasDelta = true;
    switch (block.type) {
      case 'text':
        return [this.#frame(this.#textDelta(block, text))];
      case 'reasoning':
        this.#streamed.push(text);
        return [this.#frame(`{"reasoning_content":${JSON.stringify(text)}}`)];
      case 'tool-call':
        return this.#callFrames(block, text);
      default:
        return [];
    }
  }

  #textDelta(block: TextBlock, text: string): string {
    if (block.refusal) {
      this.#hasRefusal = true;
      return `{"refusal":${JSON.stringify(text)}}`;
    }
    this.#textLength += text.length;
    return `{"content":${JSON.stringify(text)}}`;
  }

  /** Clients limited to `function_call` get only the first call. */
  #callFrames(call: ToolCallBlock, text: string): SseMessage[] {
    if (!this.#context.request.legacyCalls) return [this.#frame(this.#callDelta(call, text))];
    return this.#calls === 0 ? [this.#chunk({ function_call: { arguments: text } })] : [];
  }

  #callDelta(call: ToolCallBlock, text: string): string {
    const piece = JSON.stringify(text);
    return call.custom
      ? `{"tool_calls":[{"index":${this.#calls},"custom":{"input":${piece}}}]}`
      : `{"tool_calls":[{"index":${this.#calls},"function":{"arguments":${piece}}}]}`;
  }

  #closeBlock(signature: string | undefined): SseMessage[] {
    const block = this.#open;
    this.#open = undefined;
    if (block?.type === 'tool-call') return this.#closeCall(block);
    if (block?.type === 'text') return this.#cite();
    if (block?.type !== 'reasoning' || block.redacted !== undefined) return [];
    const seal = signature ?? block.signature;
    if (seal === undefined || seal === '') return [];
    const whole: Block = { ...block, text: this.#streamed.join(''), signature: seal };
    if (!isCallSignature(whole)) return [this.#detail(whole)];
    this.#signature = whole;
    return [];
  }

  #cite(): SseMessage[] {
    const place = { start: this.#textStart, end: this.#textLength };
    const encoded = this.#annotations.map((annotation) => encodeAnnotation(annotation, place));
    this.#annotations = [];
    const given = encoded.filter((annotation) => annotation !== undefined);
    return given.map((annotation) => this.#chunk({ annotations: [annotation] }));
  }

  /** Sends arguments that were never streamed: those of the opening block, or `{}`. */
  #closeCall(call: ToolCallBlock): SseMessage[] {
    const opening = call.custom && 'json' in call.input ? call.input.json : inputJsonOf(call);
    const frames = this.#hasDelta || opening === '' ? [] : this.#callFrames(call, opening);
    this.#calls += 1;
    return frames;
  }

  #detail(block: ReasoningBlock): SseMessage {
    const detail = encodeReasoningDetail(block, this.#details);
    if (block.redacted !== undefined || block.signature !== undefined) this.#details += 1;
    return this.#chunk({ reasoning_details: [detail] });
  }

  #end(event: GenerationEnd): SseMessage[] {
    const { top, choice, message, usage: leftovers } = splitExtra(event.extra?.chat);
    const isLast = this.#choice?.isLast() ?? true;
    const facts = isLast ? this.#context.describe?.() : undefined;
    const metadata = facts?.metadata ? { metadata: facts.metadata } : {};
    const sendsUsage = isLast && this.#context.request.streamUsage && event.usage !== undefined;
    const frames = this.#releaseSignature();
    if (message) frames.push(this.#chunk(message));
    const finish = {
      index: this.#choice?.index ?? 0,
      delta: {},
      logprobs: null,
      ...choice,
      finish_reason: encodeFinish(event.finish, this.#given()),
    };
    const last = { ...this.#without(top), ...(this.#context.request.streamUsage && { usage: null }) };
    frames.push(this.#closing([finish], sendsUsage ? last : { ...last, ...metadata }));
    if (sendsUsage && event.usage) {
      const usage = encodePricedUsage(event.usage, facts, this.#choice ? undefined : leftovers);
      frames.push(this.#closing([], { usage, ...metadata }));
    }
    if (isLast) frames.push({ data: '[DONE]' });
    return frames;
  }

  #given(): Parameters<typeof encodeFinish>[1] {
    const { legacyCalls } = this.#context.request;
    return { hasCalls: this.#calls > 0, hasRefusal: this.#hasRefusal, legacyCalls };
  }

  /** Response fields not yet sent in earlier chunks. */
  #without(top: JsonObject): JsonObject {
    const shared = this.#sharedTop();
    return Object.fromEntries(Object.entries(top).filter(([key]) => !(key in shared)));
  }

  #closing(choices: JsonObject[], rest: JsonObject): SseMessage {
    const tail = JSON.stringify(rest).slice(1);
    return { data: `${this.#head}${JSON.stringify(choices).slice(1)}${tail === '}' ? '}' : `,${tail}`}` };
  }
}
