import { type JsonObject, type SseMessage, isJsonObject } from '#base';
import {
  type Annotation,
  type Block,
  type BlockEnd,
  type GenerationEnd,
  type GenerationEvent,
  type GenerationStart,
  type ReasoningBlock,
  type ToolCallBlock,
  type Usage,
  inputJsonOf,
} from '#canonical';
import { type UpstreamFailure, toCallerError } from '#errors';
import type { ReplyContext, StreamEncoder } from '../../contract.ts';
import type { MessagesAnswer, MessagesEvent } from './answer-schema.ts';
import { describeContinued } from '../../answer/continued.ts';
import type { Members } from '../../body/unchecked.ts';
import { encodeCitation, encodeImage, encodeRedacted, estimateUsage, toMessageId } from './encode-result.ts';
import { encodeErrorMember } from './error.ts';
import { awaitsClient, encodeFinish } from './finish.ts';
import { seal } from '../../seal.ts';
import { NATIVE_ISSUER } from '../signature.ts';
import type { CallIds } from '../../tools/call-ids.ts';
import { createAnswerIds } from '../tool-id.ts';
import { encodeUsage } from './usage.ts';

/** Native blocks whose `input` the official stream sends as a delta. */
const CALLS: ReadonlySet<unknown> = new Set(['server_tool_use', 'mcp_tool_use']);
/** Other members that belong alongside `delta` in `message_delta`; the rest belong in it. */
const BESIDE_DELTA: ReadonlySet<string> = new Set<keyof MessagesEvent>([
  'context_management',
  'input_transformations',
]);
/** Other members that `message_delta` includes even if `message_start` did. */
const IN_DELTA: ReadonlySet<string> = new Set<keyof MessagesAnswer>(['stop_details', 'container']);
const PING: SseMessage = { event: 'ping', data: '{"type":"ping"}' };

type Open =
  | { type: 'text'; begun: boolean; extra: JsonObject }
  | { type: 'reasoning'; block: ReasoningBlock }
  | { type: 'tool-call'; block: ToolCallBlock; custom: string[] | undefined; grown: boolean }
  | { type: 'complete' }
  | { type: 'relayed' }
  | { type: 'dropped' };

/** Writes a generation as Messages events: one open block, dense indices, one terminal group. */
export class MessagesStreamEncoder implements StreamEncoder {
  readonly #context: ReplyContext;
  readonly #ids: CallIds;
  #next = 0;
  #open: Open = { type: 'dropped' };
  #hasToolCall = false;
  #startExtra: JsonObject = {};
  #startUsage: Usage | undefined;
  #isOver = false;

  constructor(context: ReplyContext) {
    this.#context = context;
    this.#ids = createAnswerIds(context.answerId);
  }

  push(event: GenerationEvent): SseMessage[] {
    if (this.#isOver) return [];
    switch (event.type) {
      case 'generation-start':
        return this.#start(event);
      case 'block-start':
        return event.relayed ? this.#skipRelayed() : this.#openBlock(event.block);
      case 'block-delta':
        return event.text === '' ? [] : this.#grow(event.text);
      case 'block-annotation':
        return this.#annotate(event.annotation);
      case 'block-end':
        return this.#closeBlock(event);
      case 'relay':
        return event.format === 'messages' ? [this.#relay(event.value)] : [];
      case 'tools-used':
        return [];
      case 'generation-end':
        return this.#end(event);
      case 'generation-error':
        return this.#fail(event.failure);
    }
  }

  ping(): string {
    return 'event: ping\ndata: {"type":"ping"}\n\n';
  }

  #start(event: GenerationStart): SseMessage[] {
    const { usage: given, ...extra } = event.extra?.messages ?? {};
    const leftovers = isJsonObject(given) ? given : {};
    this.#startExtra = extra;
    this.#startUsage = event.usage;
    const message: Members<MessagesAnswer> = {
      ...extra,
      id: toMessageId(event.id, this.#context),
      type: 'message',
      role: 'assistant',
      model: this.#context.model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: encodeUsage(event.usage ?? estimateUsage(this.#context), leftovers),
    };
    return [frame('message_start', { type: 'message_start', message }), PING];
  }

  #openBlock(block: Block): SseMessage[] {
    this.#open = { type: 'dropped' };
    switch (block.type) {
      case 'text':
        this.#open = { type: 'text', begun: false, extra: block.extra?.messages ?? {} };
        return block.text === '' ? [] : this.#grow(block.text);
      case 'reasoning':
        return this.#openReasoning(block);
      case 'tool-call':
        return this.#openToolCall(block);
      case 'native':
        return block.format === 'messages' ? this.#openNative(block.value) : [];
      case 'media':
        return this.#openWhole(encodeImage(block));
      case 'tool-result':
        return [];
    }
  }

  /** The start, deltas and stop of this block were relayed unchanged. */
  #skipRelayed(): SseMessage[] {
    this.#open = { type: 'relayed' };
    return [];
  }

  #relay(value: JsonObject): SseMessage {
    const { type } = value;
    return frame(
      typeof type === 'string' ? type : '',
      'index' in value ? { ...value, index: this.#next } : value,
    );
  }

  #openWhole(block: JsonObject | undefined): SseMessage[] {
    if (!block) return [];
    this.#open = { type: 'complete' };
    return [this.#startFrame(block)];
  }

  #openReasoning(block: ReasoningBlock): SseMessage[] {
    if (block.redacted !== undefined) {
      this.#open = { type: 'complete' };
      return [this.#startFrame(encodeRedacted(block, block.redacted))];
    }
    this.#open = { type: 'reasoning', block };
    const opening = this.#startFrame({
      ...block.extra?.messages,
      type: 'thinking',
      thinking: '',
      signature: '',
    });
    return block.text === '' ? [opening] : [opening, ...this.#grow(block.text)];
  }

  #openToolCall(block: ToolCallBlock): SseMessage[] {
    this.#hasToolCall ||= awaitsClient(block);
    this.#open = { type: 'tool-call', block, custom: block.custom ? [] : undefined, grown: false };
    const id = this.#ids.claim(block.id);
    return [
      this.#startFrame({ ...block.extra?.messages, type: 'tool_use', id, name: block.name, input: {} }),
    ];
  }

  #openNative(value: JsonObject): SseMessage[] {
    this.#open = { type: 'complete' };
    const { type, input } = value;
    if (!CALLS.has(type) || !isJsonObject(input)) return [this.#startFrame(value)];
    return [this.#startFrame({ ...value, input: {} }), this.#inputFrame(JSON.stringify(input))];
  }

  #grow(text: string): SseMessage[] {
    const open = this.#open;
    switch (open.type) {
      case 'text': {
        const delta = this.#deltaFrame('{"type":"text_delta","text":', text);
        return open.begun ? [delta] : [this.#beginText(open), delta];
      }
      case 'reasoning':
        return [this.#deltaFrame('{"type":"thinking_delta","thinking":', text)];
      case 'tool-call':
        open.grown = true;
        if (!open.custom) return [this.#inputFrame(text)];
        open.custom.push(text);
        return [];
      default:
        return [];
    }
  }

  /** Empty text opens no block: clients replay their history, and Anthropic refuses empty text in it. */
  #beginText(open: Open & { type: 'text' }): SseMessage {
    open.begun = true;
    return this.#startFrame({ ...open.extra, type: 'text', text: '' });
  }

  #annotate(annotation: Annotation): SseMessage[] {
    const open = this.#open;
    const citation = open.type === 'text' ? encodeCitation(annotation) : undefined;
    if (open.type !== 'text' || !citation) return [];
    const delta = { type: 'citations_delta', citation };
    const opening = open.begun ? [] : [this.#beginText(open)];
    return [
      ...opening,
      frame('content_block_delta', { type: 'content_block_delta', index: this.#next, delta }),
    ];
  }

  #closeBlock(event: BlockEnd): SseMessage[] {
    const open = this.#open;
    if (open.type === 'dropped' || (open.type === 'text' && !open.begun)) return [];
    if (open.type === 'relayed') {
      this.#next += 1;
      return [];
    }
    const frames: SseMessage[] = [];
    if (open.type === 'reasoning') frames.push(...this.#sign(open.block, event.signature));
    if (open.type === 'tool-call') frames.push(...this.#completeInput(open));
    const stop = `{"type":"content_block_stop","index":${this.#next}}`;
    frames.push({ event: 'content_block_stop', data: stop });
    this.#next += 1;
    return frames;
  }

  #sign(block: ReasoningBlock, late: string | undefined): SseMessage[] {
    const signature = late ?? block.signature ?? '';
    if (signature === '') return [];
    return [
      this.#deltaFrame(
        '{"type":"signature_delta","signature":',
        seal({ secret: signature, issuer: block.issuer ?? NATIVE_ISSUER }, NATIVE_ISSUER),
      ),
    ];
  }

  #completeInput({ block, custom, grown }: Open & { type: 'tool-call' }): SseMessage[] {
    if (custom) {
      const own = 'json' in block.input ? block.input.json : '';
      return [this.#inputFrame(JSON.stringify({ input: grown ? custom.join('') : own }))];
    }
    return grown ? [] : [this.#inputFrame(inputJsonOf(block))];
  }

  #end(event: GenerationEnd): SseMessage[] {
    this.#isOver = true;
    const { usage: given, stop_reason: unnamed, ...extra } = event.extra?.messages ?? {};
    const delta: JsonObject = {};
    const siblings: JsonObject = {};
    for (const [name, value] of Object.entries(extra)) {
      if (BESIDE_DELTA.has(name)) siblings[name] = value;
      else if (name !== '__proto__' && (IN_DELTA.has(name) || this.#startExtra[name] !== value))
        delta[name] = value;
    }
    const usage = event.usage ?? this.#startUsage ?? estimateUsage(this.#context);
    const last = {
      ...siblings,
      ...describeContinued(event.finish, this.#context),
      type: 'message_delta',
      delta: { ...delta, ...encodeFinish(event.finish, this.#hasToolCall, unnamed) },
      usage: encodeUsage(usage, isJsonObject(given) ? given : {}),
    };
    return [frame('message_delta', last), { event: 'message_stop', data: '{"type":"message_stop"}' }];
  }

  #fail(failure: UpstreamFailure): SseMessage[] {
    this.#isOver = true;
    return [frame('error', { type: 'error', error: encodeErrorMember(toCallerError(failure)) })];
  }

  #startFrame(block: JsonObject): SseMessage {
    return frame('content_block_start', {
      type: 'content_block_start',
      index: this.#next,
      content_block: block,
    });
  }

  #inputFrame(json: string): SseMessage {
    return this.#deltaFrame('{"type":"input_json_delta","partial_json":', json);
  }

  #deltaFrame(opening: string, text: string): SseMessage {
    return {
      event: 'content_block_delta',
      data: `{"type":"content_block_delta","index":${this.#next},"delta":${opening}${JSON.stringify(text)}}}`,
    };
  }
}

function frame(event: string, data: Members<MessagesEvent>): SseMessage {
  return { event, data: JSON.stringify(data) };
}
