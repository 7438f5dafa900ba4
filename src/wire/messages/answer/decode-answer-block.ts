import { isJsonObject } from '#base';
import type { Block, Extra, ReasoningBlock, TextBlock, ToolCallBlock } from '#canonical';
import { textOf } from '../../body/read-answer.ts';
import { isObject } from '../../body/read-field.ts';
import type { MessagesBlock, MessagesKnownBlock } from '../block-schema.ts';
import type { Members, Unchecked } from '../../body/unchecked.ts';
import { decodeCitations } from '../decode-blocks.ts';
import { without } from '../../body/without.ts';
import { normalizeMediaType } from '../../media/media-type.ts';
import type { AnswerNames } from '../../tools/tool-names.ts';

type RawBlock = Members<MessagesBlock>;

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

export function isTypedBlock(value: Unchecked<MessagesBlock> | undefined): value is RawBlock {
  return isObject(value) && typeof value.type === 'string';
}

/** A block as it appears in a Message or in `content_block_start`. */
export function decodeAnswerBlock(raw: RawBlock, context: AnswerContext): Block {
  switch (raw.type as MessagesKnownBlock['type']) {
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
