import { type JsonObject, isJsonObject } from '#base';
import type { Block, Extra, GenerationResult, ReasoningBlock, TextBlock, ToolCallBlock } from '#canonical';
import type { UpstreamFailure } from '#errors';
import type { MessagesAnswer, MessagesEvent, MessagesUsage } from './answer-schema.ts';
import { CallIds } from '../tools/call-ids.ts';
import { textOf } from '../body/read-answer.ts';
import { isArray, isObject } from '../body/read-field.ts';
import type { MessagesBlock } from './block-schema.ts';
import type { Members, Unchecked } from '../body/unchecked.ts';
import { decodeCitations } from './decode-blocks.ts';
import { decodeErrorEvent } from './failure.ts';
import { decodeFinish, findUnnamedStopReason } from './finish.ts';
import { readServed } from './served.ts';
import { decodeModelUsage, findUsageLeftovers } from './usage.ts';
import { findToolUses } from './tool-uses.ts';
import { without } from '../body/without.ts';
import { normalizeMediaType } from '../media/media-type.ts';
import type { AnswerNames } from '../tools/tool-names.ts';

type RawBlock = Members<MessagesBlock>;

const MESSAGE_MEMBERS = new Set<keyof MessagesAnswer>([
  'id',
  'type',
  'role',
  'model',
  'content',
  'stop_reason',
  'stop_sequence',
  'usage',
]);
const TEXT_MEMBERS = new Set<keyof RawBlock>(['type', 'text', 'citations']);
const THINKING_MEMBERS = new Set<keyof RawBlock>(['type', 'thinking', 'signature']);
const REDACTED_MEMBERS = new Set<keyof RawBlock>(['type', 'data']);
const TOOL_USE_MEMBERS = new Set<keyof RawBlock>(['type', 'id', 'name', 'input']);

/** What reading an answer needs from its request. */
export interface AnswerContext {
  names: AnswerNames;
  /** The issuer of the answer's signatures (`Dialect.issuer`). */
  issuer: string;
}

export function decodeResult(
  body: Members<MessagesAnswer | MessagesEvent>,
  context: AnswerContext,
): GenerationResult | UpstreamFailure {
  const { content } = body;
  if (body.type === 'error' || (isObject(body.error) && !isArray(content))) return decodeErrorEvent(body);
  if (!isArray(content)) return garbled(body);
  const finish = decodeFinish(body.stop_reason, body.stop_sequence);
  const ids = new CallIds();
  const result: GenerationResult = {
    id: textOf(body.id),
    model: textOf(body.model),
    blocks: content.filter(isTypedBlock).map((raw) => ids.claimOf(decodeAnswerBlock(raw, context))),
    finish,
  };
  const usage = isObject(body.usage) ? body.usage : undefined;
  if (usage) Object.assign(result, describeUsage(usage));
  const leftovers = findMessageLeftovers(body);
  const tools = findToolUses(usage, leftovers);
  if (tools) result.tools = tools;
  const extra = toExtra({ ...leftovers, ...findUnnamedStopReason(finish) }, usage);
  if (extra) result.extra = extra;
  return result;
}

export function isTypedBlock(value: Unchecked<MessagesBlock> | undefined): value is RawBlock {
  return isObject(value) && typeof value.type === 'string';
}

export function describeUsage(
  usage: Members<MessagesUsage>,
): Pick<GenerationResult, 'usage' | 'served' | 'parts'> {
  const served = readServed(usage);
  return { ...decodeModelUsage(usage), ...(served && { served }) };
}

function garbled(body: JsonObject): UpstreamFailure {
  return {
    kind: 'garbled',
    message: 'the provider returned a response that is not a Message',
    detail: JSON.stringify(body).slice(0, 2048),
  };
}

/** The members of a Message without a neutral equivalent. */
export function findMessageLeftovers(message: Members<MessagesAnswer>): Members<MessagesAnswer> {
  return without(message, MESSAGE_MEMBERS);
}

/** Other members of a message and its usage, restored for Messages clients only. */
export function toExtra(
  leftovers: Members<MessagesAnswer>,
  usage: Members<MessagesUsage> | undefined,
): Extra | undefined {
  const ofUsage = usage && findUsageLeftovers(usage);
  const messages = ofUsage ? { ...leftovers, usage: ofUsage } : leftovers;
  return Object.keys(messages).length > 0 ? { messages } : undefined;
}

/** A block as it appears in a Message or in `content_block_start`. */
export function decodeAnswerBlock(raw: RawBlock, context: AnswerContext): Block {
  switch (raw.type) {
    case 'text':
      return decodeText(raw);
    case 'thinking':
      return decodeThinking(raw, context);
    case 'redacted_thinking':
      return decodeRedacted(raw, context);
    case 'tool_use':
      return decodeToolUse(raw, context);
    case 'image':
      return decodeImage(raw) ?? toNative(raw);
    default:
      return toNative(raw);
  }
}

function toNative(raw: RawBlock): Block {
  return { type: 'native', format: 'messages', value: raw };
}

/** An image from another provider's model, as gateways send it; Anthropic's models return none. */
function decodeImage({ source }: RawBlock): Block | undefined {
  if (!isObject(source)) return undefined;
  const { type, media_type: mediaType, data, url } = source;
  const common = { type: 'media', kind: 'image' } as const;
  if (type === 'url' && typeof url === 'string') return { ...common, source: { url } };
  if (type !== 'base64' || typeof data !== 'string' || typeof mediaType !== 'string') return undefined;
  return { ...common, mediaType: normalizeMediaType(mediaType), source: { base64: data } };
}

function decodeText(raw: RawBlock): TextBlock {
  const { text, citations } = raw;
  const rest = without(raw, TEXT_MEMBERS);
  if (citations === null || (Array.isArray(citations) && citations.length === 0)) rest.citations = citations;
  const block: TextBlock = { type: 'text', text: textOf(text), ...toBlockExtra(rest) };
  if (Array.isArray(citations) && citations.length > 0) block.annotations = decodeCitations(citations);
  return block;
}

function decodeThinking(raw: RawBlock, { issuer }: AnswerContext): ReasoningBlock {
  const { thinking, signature } = raw;
  const block: ReasoningBlock = {
    type: 'reasoning',
    text: textOf(thinking),
    issuer,
    ...toBlockExtra(without(raw, THINKING_MEMBERS)),
  };
  if (typeof signature === 'string' && signature !== '') block.signature = signature;
  return block;
}

function decodeRedacted(raw: RawBlock, { issuer }: AnswerContext): ReasoningBlock {
  const extra = toBlockExtra(without(raw, REDACTED_MEMBERS));
  return { type: 'reasoning', text: '', redacted: textOf(raw.data), issuer, ...extra };
}

function decodeToolUse(raw: RawBlock, { names }: AnswerContext): ToolCallBlock {
  const { id, name, input } = raw;
  return {
    type: 'tool-call',
    id: textOf(id),
    name: names.restore(textOf(name)),
    input: { json: toInputJson(input) },
    ...toBlockExtra(without(raw, TOOL_USE_MEMBERS)),
  };
}

/** Arguments as JSON text; some servers send text already, or nothing. */
function toInputJson(input: RawBlock['input']): string {
  if (typeof input === 'string') return input.trim() === '' ? '{}' : input;
  return isJsonObject(input) ? JSON.stringify(input) : '{}';
}

function toBlockExtra(rest: RawBlock): { extra?: Extra } {
  return Object.keys(rest).length > 0 ? { extra: { messages: rest } } : {};
}
