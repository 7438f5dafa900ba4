import { isArray, isObject, itemsOf } from '../../body/read-field.ts';
import type { AnswerAnnotation, AnswerItem, AnswerPart, ReadAnswer } from './answer-schema.ts';
import type {
  Annotation,
  Block,
  Finish,
  MediaBlock,
  ReasoningBlock,
  TextBlock,
  ToolCallBlock,
} from '#canonical';
import { inputJsonOf } from '#canonical';
import { readCitation } from '../../answer/citation.ts';
import type { NamespacedName } from '../../contract.ts';
import { DistinctNames } from '../../tools/distinct-names.ts';
import { completeCitation } from './complete-citation.ts';
import { encodeEncrypted } from '../issued-reasoning.ts';

/** An item of an answer and its index in `output`. */
export interface PlacedItem {
  item: AnswerItem;
  index: number;
  /** False if the block joins the open message. */
  isNew: boolean;
}

/** The final members of a response. */
interface ResponseEnd {
  status: 'completed' | 'incomplete';
  incomplete_details: Exclude<ReadAnswer['incomplete_details'], undefined>;
}

const NO_NAMES: ReadonlyMap<string, NamespacedName> = new Map();
const COMPLETED: ResponseEnd = { status: 'completed', incomplete_details: null };

/**
 * The items of one answer, built block by block. Consecutive text is one message. Ids are derived from the answer's id,
 * so streamed and JSON answers have the same ids.
 */
export class OutputList {
  readonly items: AnswerItem[] = [];
  readonly #suffix: string;
  readonly #placed: ReadonlyMap<string, NamespacedName>;
  readonly #ids = new DistinctNames({ separator: '_' });
  /** Indexes of items relayed from the upstream, including their status. */
  readonly #relayed = new Set<number>();

  constructor(answerId: string, placed: ReadonlyMap<string, NamespacedName> = NO_NAMES) {
    this.#suffix = answerId.slice(answerId.indexOf('_') + 1);
    this.#placed = placed;
  }

  /** Opens the item of a block; undefined for a block that Responses cannot represent. */
  open(block: Block): PlacedItem | undefined {
    const last = this.items.at(-1);
    if (block.type === 'text' && last?.type === 'message' && belongsTo(block, last)) {
      return { item: last, index: this.items.length - 1, isNew: false };
    }
    const item = this.#createItem(block);
    if (!item) return undefined;
    return { item, index: this.items.push(item) - 1, isNew: true };
  }

  /** Adds an upstream's item unchanged, under an unused id. */
  add(item: AnswerItem): PlacedItem {
    const { call_id: callId } = item;
    const own: AnswerItem = {
      ...item,
      ...this.#findPlace(item),
      id: this.#claimId(item.id, 'item'),
      ...(typeof callId === 'string' && isCall(item) && { call_id: this.#claimCallId(callId) }),
    };
    const index = this.items.push(own) - 1;
    this.#relayed.add(index);
    return { item: own, index, isNew: true };
  }

  /** Replaces an item with its final state. */
  replace(placed: PlacedItem, item: AnswerItem): void {
    const { id, call_id: callId } = placed.item;
    placed.item = { ...item, ...this.#findPlace(item), ...(id !== undefined && { id }) };
    if (callId !== undefined && isCall(item)) placed.item.call_id = callId;
    this.items[placed.index] = placed.item;
  }

  /** The namespace and name of a call in the request, if the upstream received a flat name. */
  #findPlace(item: AnswerItem): NamespacedName | undefined {
    const { name, namespace } = item;
    if (!isCall(item) || typeof name !== 'string' || namespace !== undefined) return undefined;
    return this.#placed.get(name);
  }

  /** Ends the answer: all items are complete, except the last of a truncated answer. */
  close(finish: Finish): ResponseEnd {
    const end = toEnd(finish, this.items);
    this.items.forEach((item, at) => {
      if (!this.#relayed.has(at)) closeItem(item, at === this.items.length - 1 ? end.status : 'completed');
    });
    return end;
  }

  #createItem(block: Block): AnswerItem | undefined {
    switch (block.type) {
      case 'text':
        return {
          ...block.extra?.responses,
          id: this.#claimItemId(block, 'msg'),
          type: 'message',
          status: 'in_progress',
          content: [],
          role: 'assistant',
        };
      case 'reasoning':
        return {
          ...block.extra?.responses,
          id: this.#claimItemId(block, 'rs'),
          type: 'reasoning',
          summary: [],
        };
      case 'tool-call':
        return this.#createCall(block);
      case 'native':
        if (block.format !== 'responses') return undefined;
        return this.#createNative(block.value);
      case 'media':
        return encodeImage(block, () => this.#claimItemId(block, 'ig'));
      case 'tool-result':
        return undefined;
    }
  }

  #createNative(value: AnswerItem): AnswerItem {
    return { ...value, id: this.#claimId(value.id, 'item') };
  }

  #createCall(block: ToolCallBlock): AnswerItem {
    const placed = this.#placed.get(block.name) ?? { name: block.name };
    const common = { status: 'in_progress', call_id: this.#claimCallId(block.id), ...placed };
    return block.custom
      ? {
          ...block.extra?.responses,
          id: this.#claimItemId(block, 'ctc'),
          type: 'custom_tool_call',
          input: '',
          ...common,
        }
      : {
          ...block.extra?.responses,
          id: this.#claimItemId(block, 'fc'),
          type: 'function_call',
          arguments: '',
          ...common,
        };
  }

  #claimItemId(block: Block, prefix: string): string {
    const own: AnswerItem | undefined = block.extra?.responses;
    return this.#claimId(own?.id, prefix);
  }

  /**
   * Keeps an upstream's id if it has one, because OpenAI binds encrypted reasoning to it. Clients reject duplicate ids.
   */
  #claimId(own: AnswerItem['id'], prefix: string): string {
    const isFree = typeof own === 'string' && own !== '' && !this.#ids.has(own);
    return this.#ids.create(isFree ? own : `${prefix}_${this.#suffix}${this.items.length}`);
  }

  #claimCallId(id: string): string {
    return this.#ids.create(id === '' ? `call_${this.#suffix}${this.items.length}` : id);
  }
}

function isCall({ type }: AnswerItem): boolean {
  return type === 'function_call' || type === 'custom_tool_call';
}

/** Whether a complete block has any content. */
export function showsAnything(block: Block): boolean {
  if (block.type === 'text') return block.text !== '' || encodeAnnotations(block).length > 0;
  if (block.type === 'reasoning') return block.text !== '' || encodeEncrypted(block) !== undefined;
  return true;
}

/** Fills an item from a complete block. */
export function fillItem(item: AnswerItem, block: Block): void {
  if (block.type === 'text') addPart(item, encodePart(block));
  else if (block.type === 'reasoning') fillReasoning(item, block);
  else if (block.type === 'tool-call') item[block.custom ? 'input' : 'arguments'] = inputJsonOf(block);
}

function addPart({ content }: AnswerItem, part: AnswerPart): void {
  if (isArray(content)) content.push(part);
}

export function closeItem(item: AnswerItem, status: ResponseEnd['status']): void {
  if (item.status === 'in_progress') item.status = status;
}

export function encodePart(block: TextBlock): AnswerPart {
  if (block.refusal) return { type: 'refusal', refusal: block.text };
  return { type: 'output_text', annotations: encodeAnnotations(block), logprobs: [], text: block.text };
}

export function encodeAnnotations({ annotations, text, refusal }: TextBlock): AnswerAnnotation[] {
  if (!annotations || refusal) return [];
  return annotations
    .map((annotation) => encodeAnnotation(annotation, text.length))
    .filter((encoded) => encoded !== undefined);
}

function fillReasoning(item: AnswerItem, block: ReasoningBlock): void {
  if (block.text !== '') item.summary = [{ type: 'summary_text', text: block.text }];
  const encrypted = encodeEncrypted(block);
  if (encrypted !== undefined) item.encrypted_content = encrypted;
}

function belongsTo({ extra }: TextBlock, message: AnswerItem): boolean {
  const own: AnswerItem | undefined = extra?.responses;
  return own?.id === undefined || own.id === message.id;
}

/**
 * A citation of another format keeps its address and title and covers the whole part; without an address it is dropped.
 * One of this format is completed.
 */
function encodeAnnotation(annotation: Annotation, end: number): AnswerAnnotation | undefined {
  if (annotation.format === 'responses') return completeCitation(annotation.value, end);
  const citation = readCitation(annotation);
  if (!citation) return undefined;
  const { url, title, place = { start: 0, end } } = citation;
  return { type: 'url_citation', url, title, start_index: place.start, end_index: place.end };
}

/** Encodes generated images as OpenAI does; Responses cannot represent other media. */
function encodeImage(
  { kind, source, mediaType, extra }: MediaBlock,
  claimId: () => string,
): AnswerItem | undefined {
  if (kind !== 'image' || !('base64' in source)) return undefined;
  const format = mediaType?.startsWith('image/') ? { output_format: mediaType.slice(6) } : {};
  return {
    ...extra?.responses,
    id: claimId(),
    type: 'image_generation_call',
    status: 'completed',
    result: source.base64,
    ...format,
  };
}

function toEnd({ reason, limitedBy }: Finish, items: readonly AnswerItem[]): ResponseEnd {
  switch (reason) {
    case 'length':
    case 'context-window':
      return {
        status: 'incomplete',
        incomplete_details: {
          reason: 'max_output_tokens',
          ...(limitedBy && { limited_by: limitedBy.code, message: limitedBy.message }),
        },
      };
    case 'content-filter':
      if (items.some(hasRefusal)) return COMPLETED;
      return { status: 'incomplete', incomplete_details: { reason: 'content_filter' } };
    default:
      return COMPLETED;
  }
}

function hasRefusal({ type, content }: AnswerItem): boolean {
  return type === 'message' && itemsOf(content).some((part) => isObject(part) && part.type === 'refusal');
}
