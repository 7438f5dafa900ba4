import type { JsonObject, JsonValue } from '#base';
import { type Block, type GenerationResult, type ToolCallBlock, type Usage, inputJsonOf } from '#canonical';
import type { AnswerFacts, ReplyContext } from '../../contract.ts';
import { isArray, isObject, itemsOf } from '../../body/read-field.ts';
import type { Members } from '../../body/unchecked.ts';
import type {
  ChatAnswer,
  ChatAnswerCall,
  ChatAnswerMessage,
  ChatChoice,
  ChatUsage,
  KeptAnswer,
  ReadAnswer,
  ReadChoice,
  ReadMessage,
} from './answer-schema.ts';
import { encodeAnnotation } from './encode-annotation.ts';
import { encodeFinish } from './finish.ts';
import { encodeReasoningDetail, isIssued } from '../reasoning-details.ts';
import { encodeOwnImages } from './own-images.ts';
import { attachSignatures } from '../thought-signature.ts';
import { encodeUsage } from './usage.ts';

/** Writes a complete generation as a `chat.completion`. */
export function encodeResult(result: GenerationResult, context: ReplyContext): Members<ChatAnswer> {
  return encodeChoices([result], result.usage, context);
}

/** Writes several generations as the choices of one `chat.completion`. */
export function encodeChoices(
  results: readonly GenerationResult[],
  usage: Usage | undefined,
  context: ReplyContext,
): Members<ChatAnswer> {
  const [first] = results;
  const id = results.length > 1 ? '' : (first?.id ?? '');
  const facts = context.describe?.();
  const { top, usage: leftovers } = splitExtra(first?.extra?.chat);
  const answer: Members<ChatAnswer> = {
    id: id === '' ? context.answerId : id,
    object: 'chat.completion',
    created: context.createdSeconds,
    model: context.model,
    choices: results.map((result, index) => encodeChoice(result, index, context.request)),
  };
  if (usage) answer.usage = encodePricedUsage(usage, facts, results.length === 1 ? leftovers : undefined);
  Object.assign(answer, top);
  if (facts?.metadata) answer.metadata = facts.metadata;
  return answer;
}

function encodeChoice(
  result: GenerationResult,
  index: number,
  { legacyCalls }: ReplyContext['request'],
): Members<ChatChoice> {
  const { choice, message } = splitExtra(result.extra?.chat);
  const blocks = attachSignatures(result.blocks);
  const calls = blocks.filter((block) => block.type === 'tool-call');
  const encoded = encodeMessage(blocks, calls);
  const given = { hasCalls: calls.length > 0, hasRefusal: encoded.refusal !== null, legacyCalls };
  if (legacyCalls) lowerCalls(encoded);
  return {
    index,
    message: joinMessage(encoded, message),
    logprobs: null,
    ...choice,
    finish_reason: encodeFinish(result.finish, given),
  };
}

/** Sends the first call as the deprecated `function_call`, which can hold only one. */
function lowerCalls(message: Members<ChatAnswerMessage>): void {
  const [first] = itemsOf(message.tool_calls);
  delete message.tool_calls;
  if (isObject(first) && first.function !== undefined) message.function_call = first.function;
}

/** `leftovers`: usage members of the upstream other than token counts. */
export function encodePricedUsage(
  usage: Usage,
  facts: AnswerFacts | undefined,
  leftovers?: JsonValue,
): Members<ChatUsage> {
  const encoded = encodeUsage(usage, leftovers);
  if (facts) encoded.cost = facts.costUsd;
  return encoded;
}

/** Kept members of an upstream's Chat answer by where they belong. */
interface SplitExtra {
  top: ReadAnswer;
  choice: ReadChoice | undefined;
  message: ReadMessage | undefined;
  usage: JsonValue | undefined;
}

const NOTHING_KEPT: SplitExtra = { top: {}, choice: undefined, message: undefined, usage: undefined };

const PLACED: ReadonlySet<string> = new Set<keyof KeptAnswer>(['choice', 'message', 'usage']);

export function splitExtra(extra: KeptAnswer | undefined): SplitExtra {
  if (!extra) return NOTHING_KEPT;
  const { choice, message, usage } = extra;
  const given: JsonObject = extra;
  const top: JsonObject = {};
  for (const key in given) if (!PLACED.has(key)) top[key] = given[key];
  return {
    top,
    choice: isObject(choice) ? choice : undefined,
    message: isObject(message) ? message : undefined,
    usage,
  };
}

function encodeMessage(blocks: Block[], calls: ToolCallBlock[]): Members<ChatAnswerMessage> {
  const { text, annotations, refusal } = encodeTexts(blocks);
  const images = encodeOwnImages(blocks);
  const isSilent = text === '' && (calls.length > 0 || refusal !== '');
  const message: Members<ChatAnswerMessage> = {
    role: 'assistant',
    content: isSilent ? null : text,
    refusal: refusal === '' ? null : refusal,
  };
  addReasoning(message, blocks);
  if (calls.length > 0) message.tool_calls = calls.map(encodeToolCall);
  if (annotations.length > 0) message.annotations = annotations;
  if (images.length > 0) message.images = images;
  return message;
}

/** Appends unplaced citations and undecoded images after the encoded ones; copies the other kept members unchanged. */
function joinMessage(
  encoded: Members<ChatAnswerMessage>,
  kept: ReadMessage | undefined,
): Members<ChatAnswerMessage> {
  if (!kept) return encoded;
  const joined = { ...encoded, ...kept };
  for (const name of ['annotations', 'images'] as const) {
    const [placed, stray] = [encoded[name], kept[name]];
    if (isArray(placed) && isArray(stray)) joined[name] = [...placed, ...stray];
  }
  return joined;
}

function encodeTexts(blocks: Block[]): { text: string; refusal: string; annotations: JsonObject[] } {
  let text = '';
  let refusal = '';
  const annotations: JsonObject[] = [];
  for (const block of blocks) {
    if (block.type !== 'text') continue;
    if (block.refusal) {
      refusal += block.text;
      continue;
    }
    const place = { start: text.length, end: text.length + block.text.length };
    text += block.text;
    for (const annotation of block.annotations ?? []) {
      const encoded = encodeAnnotation(annotation, place);
      if (encoded) annotations.push(encoded);
    }
  }
  return { text, refusal, annotations };
}

function addReasoning(message: Members<ChatAnswerMessage>, blocks: Block[]): void {
  const thoughts = blocks.filter((block) => block.type === 'reasoning');
  if (thoughts.length === 0) return;
  const text = thoughts.map((block) => block.text).join('');
  if (text !== '') message.reasoning_content = text;
  if (thoughts.some(isIssued)) message.reasoning_details = thoughts.map(encodeReasoningDetail);
}

export function encodeToolCall(call: ToolCallBlock): Members<ChatAnswerCall> {
  if (call.custom) {
    const input = 'json' in call.input ? call.input.json : inputJsonOf(call);
    return { id: call.id, type: 'custom', custom: { name: call.name, input } };
  }
  return {
    id: call.id,
    type: 'function',
    function: { name: call.name, arguments: inputJsonOf(call) },
    ...call.extra?.chat,
  };
}
