import type { JsonObject, JsonValue } from '#base';
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
import { readCitation } from '../citation.ts';
import { completeCitation } from './complete-citation.ts';
import { encodeEncrypted } from './issued-reasoning.ts';
import type { PlacedName } from './namespaces.ts';

/** An item of an answer, and its place in `output`. */
export interface PlacedItem {
  item: JsonObject;
  index: number;
  /** False where the block joins the message that is open already. */
  isNew: boolean;
}

/** How an answer ended, as a response tells it. */
interface ResponseEnd {
  status: 'completed' | 'incomplete';
  incomplete_details: JsonObject | null;
}

const COMPLETED: ResponseEnd = { status: 'completed', incomplete_details: null };

/**
 * The items of one answer, grown block by block. Text in a row is one message. Ids follow from the answer's own, so that
 * an answer tells the same ids streamed and whole.
 */
export class OutputList {
  readonly items: JsonObject[] = [];
  readonly #suffix: string;
  readonly #placed: ReadonlyMap<string, PlacedName>;
  readonly #usedIds = new Set<string>();
  /** Places of items that are the upstream's own, status included. */
  readonly #relayed = new Set<number>();

  constructor(answerId: string, placed: ReadonlyMap<string, PlacedName>) {
    this.#suffix = answerId.slice(answerId.indexOf('_') + 1);
    this.#placed = placed;
  }

  /** The item of a block as it opens; nothing for a block that a response cannot hold. */
  open(block: Block): PlacedItem | undefined {
    const last = this.items.at(-1);
    if (block.type === 'text' && last?.['type'] === 'message' && belongsTo(block, last)) {
      return { item: last, index: this.items.length - 1, isNew: false };
    }
    const item = this.#createItem(block);
    if (!item) return undefined;
    return { item, index: this.items.push(item) - 1, isNew: true };
  }

  /** Takes an item as the upstream sent it, under an id that is free. */
  add(item: JsonObject): PlacedItem {
    const { call_id: callId } = item;
    const own: JsonObject = {
      ...item,
      ...this.#findPlace(item),
      id: this.#claimId(item['id'], 'item'),
      ...(typeof callId === 'string' && isCall(item) && { call_id: this.#claimCallId(callId) }),
    };
    const index = this.items.push(own) - 1;
    this.#relayed.add(index);
    return { item: own, index, isNew: true };
  }

  /** The item as it ended. */
  replace(placed: PlacedItem, item: JsonObject): void {
    const { id, call_id: callId } = placed.item;
    placed.item = { ...item, ...this.#findPlace(item), ...(id !== undefined && { id }) };
    if (callId !== undefined && isCall(item)) placed.item['call_id'] = callId;
    this.items[placed.index] = placed.item;
  }

  /** A call's namespace and name as the request has them, where an upstream without namespaces was told one name. */
  #findPlace({ type, name, namespace }: JsonObject): PlacedName | undefined {
    if (type !== 'function_call' || typeof name !== 'string' || namespace !== undefined) return undefined;
    return this.#placed.get(name);
  }

  /** Ends the answer: all items are complete, but for the last of an answer that was cut short. */
  close(finish: Finish): ResponseEnd {
    const end = toEnd(finish, this.items);
    this.items.forEach((item, at) => {
      if (!this.#relayed.has(at)) closeItem(item, at === this.items.length - 1 ? end.status : 'completed');
    });
    return end;
  }

  #createItem(block: Block): JsonObject | undefined {
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
        return { ...block.value, id: this.#claimId(block.value['id'], 'item') };
      case 'media':
        return encodeImage(block, () => this.#claimItemId(block, 'ig'));
      case 'tool-result':
        return undefined;
    }
  }

  #createCall(block: ToolCallBlock): JsonObject {
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
    return this.#claimId(block.extra?.responses?.['id'], prefix);
  }

  /** An upstream's own id where it has one: OpenAI binds encrypted reasoning to it. Clients refuse the same id twice. */
  #claimId(own: JsonValue | undefined, prefix: string): string {
    const isFree = typeof own === 'string' && own !== '' && !this.#usedIds.has(own);
    const id = isFree ? own : `${prefix}_${this.#suffix}${this.items.length}`;
    this.#usedIds.add(id);
    return id;
  }

  #claimCallId(id: string): string {
    const wanted = id === '' ? `call_${this.#suffix}${this.items.length}` : id;
    let claimed = wanted;
    for (let copy = 2; this.#usedIds.has(claimed); copy += 1) claimed = `${wanted}_${copy}`;
    this.#usedIds.add(claimed);
    return claimed;
  }
}

function isCall({ type }: JsonObject): boolean {
  return type === 'function_call' || type === 'custom_tool_call';
}

/** Whether a complete block shows anything at all. */
export function showsAnything(block: Block): boolean {
  if (block.type === 'text') return block.text !== '' || encodeAnnotations(block).length > 0;
  if (block.type === 'reasoning') return block.text !== '' || encodeEncrypted(block) !== undefined;
  return true;
}

/** Writes a complete block into its item. */
export function fillItem(item: JsonObject, block: Block): void {
  if (block.type === 'text') (item['content'] as JsonValue[]).push(encodePart(block));
  else if (block.type === 'reasoning') fillReasoning(item, block);
  else if (block.type === 'tool-call') item[block.custom ? 'input' : 'arguments'] = inputJsonOf(block);
}

export function closeItem(item: JsonObject, status: ResponseEnd['status']): void {
  if (item['status'] === 'in_progress') item['status'] = status;
}

export function encodePart(block: TextBlock): JsonObject {
  if (block.refusal) return { type: 'refusal', refusal: block.text };
  return { type: 'output_text', annotations: encodeAnnotations(block), logprobs: [], text: block.text };
}

export function encodeAnnotations({ annotations, text, refusal }: TextBlock): JsonObject[] {
  if (!annotations || refusal) return [];
  return annotations
    .map((annotation) => encodeAnnotation(annotation, text.length))
    .filter((encoded) => encoded !== undefined);
}

function fillReasoning(item: JsonObject, block: ReasoningBlock): void {
  if (block.text !== '') item['summary'] = [{ type: 'summary_text', text: block.text }];
  const encrypted = encodeEncrypted(block);
  if (encrypted !== undefined) item['encrypted_content'] = encrypted;
}

function belongsTo({ extra }: TextBlock, message: JsonObject): boolean {
  const own = extra?.responses?.['id'];
  return own === undefined || own === message['id'];
}

/**
 * A citation of another format keeps its address and title and stands for the whole part; without an address it is left
 * out. One of this format gets what it lacks of them.
 */
function encodeAnnotation(annotation: Annotation, end: number): JsonObject | undefined {
  if (annotation.format === 'responses') return completeCitation(annotation.value, end);
  const citation = readCitation(annotation);
  if (!citation) return undefined;
  const { url, title, place = { start: 0, end } } = citation;
  return { type: 'url_citation', url, title, start_index: place.start, end_index: place.end };
}

/** A picture a model made is told as OpenAI tells its own; any other media a response cannot hold. */
function encodeImage(
  { kind, source, mediaType, extra }: MediaBlock,
  claimId: () => string,
): JsonObject | undefined {
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

function toEnd({ reason }: Finish, items: readonly JsonObject[]): ResponseEnd {
  switch (reason) {
    case 'length':
    case 'context-window':
      return { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } };
    case 'content-filter':
      if (items.some(hasRefusal)) return COMPLETED;
      return { status: 'incomplete', incomplete_details: { reason: 'content_filter' } };
    default:
      return COMPLETED;
  }
}

function hasRefusal({ type, content }: JsonObject): boolean {
  if (type !== 'message' || !Array.isArray(content)) return false;
  return content.some((part) => (part as JsonObject)['type'] === 'refusal');
}
