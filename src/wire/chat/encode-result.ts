import { type JsonObject, type JsonValue, isJsonObject } from '#base';
import {
  type Block,
  type GenerationResult,
  type ReasoningBlock,
  type ToolCallBlock,
  type Usage,
  inputJsonOf,
} from '#canonical';
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
  const { top } = splitExtra(first?.extra?.chat);
  const id = results.length > 1 ? '' : (first?.id ?? '');
  const facts = context.describe?.();
  return {
    id: id === '' ? context.answerId : id,
    object: 'chat.completion',
    created: context.createdSeconds,
    model: context.model,
    choices: results.map(encodeChoice),
    ...(usage && { usage: priced(encodeUsage(usage), facts) }),
    ...top,
    ...(facts?.metadata && { metadata: facts.metadata }),
  };
}

function encodeChoice(result: GenerationResult, index: number): JsonObject {
  const { choice, message } = splitExtra(result.extra?.chat);
  const blocks = attachSignatures(result.blocks);
  const calls = blocks.filter((block) => block.type === 'tool-call');
  return {
    index,
    message: joinMessage(encodeMessage(blocks, calls), message),
    logprobs: null,
    ...choice,
    finish_reason: encodeFinish(result.finish, calls.length > 0),
  };
}

export function priced(usage: JsonObject, facts: AnswerFacts | undefined): JsonObject {
  return facts ? { ...usage, cost: facts.costUsd } : usage;
}

/** Kept members of an upstream's Chat answer by the place they go back to. */
interface SplitExtra {
  top: JsonObject;
  choice: JsonObject;
  message: JsonObject;
}

export function splitExtra(extra: JsonObject | undefined): SplitExtra {
  const { choice, message, ...top } = extra ?? {};
  return { top, choice: objectOr(choice), message: objectOr(message) };
}

function objectOr(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function encodeMessage(blocks: Block[], calls: ToolCallBlock[]): JsonObject {
  const { text, annotations, refusal } = encodeTexts(blocks);
  const images = encodeOwnImages(blocks);
  const isSilent = text === '' && (calls.length > 0 || refusal !== '');
  return {
    role: 'assistant',
    content: isSilent ? null : text,
    refusal: refusal === '' ? null : refusal,
    ...encodeReasoning(blocks.filter((block) => block.type === 'reasoning')),
    ...(calls.length > 0 && { tool_calls: calls.map(encodeToolCall) }),
    ...(annotations.length > 0 && { annotations }),
    ...(images.length > 0 && { images }),
  };
}

/** Citations that stood on no text are told behind those that did, and images that could not be read behind those that could; all else that was kept is told as it came. */
function joinMessage(encoded: JsonObject, kept: JsonObject): JsonObject {
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

function encodeReasoning(blocks: ReasoningBlock[]): JsonObject {
  if (blocks.length === 0) return {};
  const text = blocks.map((block) => block.text).join('');
  return {
    ...(text !== '' && { reasoning_content: text }),
    ...(blocks.some(isIssued) && { reasoning_details: blocks.map(encodeReasoningDetail) }),
  };
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
