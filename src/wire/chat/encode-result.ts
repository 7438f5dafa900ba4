import { type JsonObject, type JsonValue, isJsonObject } from '#base';
import { type Block, type GenerationResult, type ToolCallBlock, type Usage, inputJsonOf } from '#canonical';
import type { AnswerFacts, ReplyContext } from '../contract.ts';
import { encodeAnnotation } from './encode-annotation.ts';
import { encodeFinish } from './finish.ts';
import { encodeReasoningDetail, isIssued } from './reasoning-details.ts';
import { encodeOwnImages } from './own-images.ts';
import { attachSignatures } from './thought-signature.ts';
import { encodeUsage } from './usage.ts';

/** Writes a complete generation as a `chat.completion`. */
export function encodeResult(result: GenerationResult, context: ReplyContext): JsonObject {
  return encodeChoices([result], result.usage, context);
}

/** Writes several generations as the choices of one `chat.completion`. */
export function encodeChoices(
  results: readonly GenerationResult[],
  usage: Usage | undefined,
  context: ReplyContext,
): JsonObject {
  const [first] = results;
  const id = results.length > 1 ? '' : (first?.id ?? '');
  const facts = context.describe?.();
  const { top, usage: leftovers } = splitExtra(first?.extra?.chat);
  const answer: JsonObject = {
    id: id === '' ? context.answerId : id,
    object: 'chat.completion',
    created: context.createdSeconds,
    model: context.model,
    choices: results.map((result, index) => encodeChoice(result, index, context.request)),
  };
  if (usage) answer['usage'] = encodePricedUsage(usage, facts, results.length === 1 ? leftovers : undefined);
  Object.assign(answer, top);
  if (facts?.metadata) answer['metadata'] = facts.metadata;
  return answer;
}

function encodeChoice(
  result: GenerationResult,
  index: number,
  { legacyCalls }: ReplyContext['request'],
): JsonObject {
  const { choice, message } = splitExtra(result.extra?.chat);
  const blocks = attachSignatures(result.blocks);
  const calls = blocks.filter((block) => block.type === 'tool-call');
  const encoded = encodeMessage(blocks, calls);
  const given = { hasCalls: calls.length > 0, hasRefusal: encoded['refusal'] !== null, legacyCalls };
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
function lowerCalls(message: JsonObject): void {
  const [first] = Array.isArray(message['tool_calls']) ? message['tool_calls'] : [];
  delete message['tool_calls'];
  if (isJsonObject(first) && first['function'] !== undefined) message['function_call'] = first['function'];
}

/** `leftovers`: usage members of the upstream other than token counts. */
export function encodePricedUsage(
  usage: Usage,
  facts: AnswerFacts | undefined,
  leftovers?: JsonValue,
): JsonObject {
  const encoded = encodeUsage(usage, leftovers);
  if (facts) encoded['cost'] = facts.costUsd;
  return encoded;
}

/** Kept members of an upstream's Chat answer by where they belong. */
interface SplitExtra {
  top: JsonObject;
  choice: JsonObject | undefined;
  message: JsonObject | undefined;
  usage: JsonValue | undefined;
}

const NOTHING_KEPT: SplitExtra = { top: {}, choice: undefined, message: undefined, usage: undefined };

const PLACED: ReadonlySet<string> = new Set(['choice', 'message', 'usage']);

export function splitExtra(extra: JsonObject | undefined): SplitExtra {
  if (!extra) return NOTHING_KEPT;
  const { choice, message, usage } = extra;
  const top: JsonObject = {};
  for (const key in extra) if (!PLACED.has(key)) top[key] = extra[key];
  return {
    top,
    choice: isJsonObject(choice) ? choice : undefined,
    message: isJsonObject(message) ? message : undefined,
    usage,
  };
}

function encodeMessage(blocks: Block[], calls: ToolCallBlock[]): JsonObject {
  const { text, annotations, refusal } = encodeTexts(blocks);
  const images = encodeOwnImages(blocks);
  const isSilent = text === '' && (calls.length > 0 || refusal !== '');
  const message: JsonObject = {
    role: 'assistant',
    content: isSilent ? null : text,
    refusal: refusal === '' ? null : refusal,
  };
  addReasoning(message, blocks);
  if (calls.length > 0) message['tool_calls'] = calls.map(encodeToolCall);
  if (annotations.length > 0) message['annotations'] = annotations;
  if (images.length > 0) message['images'] = images;
  return message;
}

/** Appends unplaced citations and undecoded images after the encoded ones; copies the other kept members unchanged. */
function joinMessage(encoded: JsonObject, kept: JsonObject | undefined): JsonObject {
  if (!kept) return encoded;
  const annotations = join(encoded['annotations'], kept['annotations']);
  const images = join(encoded['images'], kept['images']);
  return { ...encoded, ...kept, ...(annotations && { annotations }), ...(images && { images }) };
}

function join(standing: JsonValue | undefined, stray: JsonValue | undefined): JsonValue[] | undefined {
  return Array.isArray(standing) && Array.isArray(stray) ? [...standing, ...stray] : undefined;
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

function addReasoning(message: JsonObject, blocks: Block[]): void {
  const thoughts = blocks.filter((block) => block.type === 'reasoning');
  if (thoughts.length === 0) return;
  const text = thoughts.map((block) => block.text).join('');
  if (text !== '') message['reasoning_content'] = text;
  if (thoughts.some(isIssued)) message['reasoning_details'] = thoughts.map(encodeReasoningDetail);
}

export function encodeToolCall(call: ToolCallBlock): JsonObject {
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
