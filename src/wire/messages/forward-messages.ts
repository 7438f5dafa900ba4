import { type JsonObject, type JsonValue, append, isJsonObject } from '#base';
import type { Dialect } from '#canonical';
import { TOOL_SEARCH_PREFIX } from './fields.ts';
import { unseal } from '../seal.ts';
import { PICTURE_NOTE, PICTURE_PLACE } from '../shown-images.ts';
import { NATIVE_ISSUER } from './signature.ts';
import { isFittingToolId, toFittingToolId } from './tool-id.ts';
import { without } from './without.ts';
import { isMisnamed } from '../media-type.ts';

const ATTRIBUTION = 'x-anthropic-billing-header:';
const CACHE_MARK: ReadonlySet<string> = new Set(['cache_control']);
const CITATIONS: ReadonlySet<string> = new Set(['citations']);
const SYSTEM_BETAS: ReadonlySet<string> = new Set(['clear_at', 'output_config']);
const UNMARKABLE: ReadonlySet<unknown> = new Set(['thinking', 'redacted_thinking']);

/**
 * Forwards a caller's messages to a Messages upstream: values are the caller's own; only what the upstream would refuse
 * is dropped or replaced in a copy.
 */
export class MessageForwarder {
  readonly #dialect: Dialect;
  readonly #done: JsonValue[] = [];
  /** Generated images of other models, held until the user's next turn. */
  #images: JsonValue[] = [];
  /** Whether any thinking was dropped. */
  hasLostThinking = false;

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  forwardMessages(messages: readonly JsonValue[]): JsonValue[] {
    for (const message of messages) this.#forwardMessage(message);
    if (this.#images.length > 0) this.#done.push({ role: 'user', content: this.#showImages([]) });
    return this.#done;
  }

  /**
   * The opening instructions. Claude Code's attribution block is for Anthropic alone; elsewhere it defeats the cache.
   */
  forwardSystem(system: JsonValue[]): JsonValue[] {
    const isForOthers = this.#dialect.betas !== 'verbatim' && isAttribution(system[0]);
    return this.#forwardBlocks(isForOthers ? system.slice(1) : system);
  }

  #forwardContent(content: JsonValue): JsonValue {
    return Array.isArray(content) ? this.#forwardBlocks(content) : content;
  }

  #forwardBlocks(content: JsonValue[]): JsonValue[] {
    let kept: JsonValue[] | undefined;
    for (let at = 0; at < content.length; at += 1) {
      const block = content[at] as JsonValue;
      const forwarded = this.#forwardBlock(block);
      if (forwarded === block && !kept) continue;
      kept ??= content.slice(0, at);
      if (forwarded !== undefined) kept.push(forwarded);
      else if (isJsonObject(block)) this.#moveMark(block['cache_control'], kept);
    }
    return kept ?? content;
  }

  #forwardMessage(message: JsonValue): void {
    if (!isJsonObject(message)) return;
    const content = this.#placeImages(message['role'], this.#forwardContent(message['content'] ?? null));
    if (Array.isArray(content) && content.length === 0 && content !== message['content']) return;
    const forwarded = content === message['content'] ? message : { ...message, content };
    this.#done.push(message['role'] === 'system' ? this.#forwardSystemTurn(forwarded) : forwarded);
  }

  /** Anthropic accepts images from the user alone. */
  #placeImages(role: JsonValue | undefined, content: JsonValue): JsonValue {
    if (role === 'user' && this.#images.length > 0) return this.#showImages(content);
    if (role !== 'assistant' || !Array.isArray(content) || !content.some(isImage)) return content;
    append(this.#images, content.filter(isImage));
    return content.map((block) => (isImage(block) ? { type: 'text', text: PICTURE_PLACE } : block));
  }

  /** After the tool results, which must be first. */
  #showImages(content: JsonValue): JsonValue[] {
    const said = Array.isArray(content) ? content : [{ type: 'text', text: content }];
    const from = said.findIndex((block) => isJsonObject(block) && block['type'] !== 'tool_result');
    const images = [{ type: 'text', text: PICTURE_NOTE }, ...this.#images];
    this.#images = [];
    return said.toSpliced(from === -1 ? said.length : from, 0, ...images);
  }

  #forwardSystemTurn(message: JsonObject): JsonObject {
    const forwarded = this.#dialect.betas !== 'verbatim' ? without(message, SYSTEM_BETAS) : message;
    return this.#dialect.midSystem === 'as-user' ? { ...forwarded, role: 'user' } : forwarded;
  }

  /** The block itself, a changed copy, or `undefined` if it is dropped. */
  #forwardBlock(block: JsonValue): JsonValue | undefined {
    if (!isJsonObject(block)) return block;
    switch (block['type']) {
      case 'text':
        return block['text'] === '' ? undefined : this.#withoutMark(withoutOwnCitations(block));
      case 'thinking':
        return this.#keepThinking(block, 'signature');
      case 'redacted_thinking':
        return this.#keepThinking(block, 'data');
      case 'tool_use':
        return this.#withoutMark(withFittingId(block, 'id'));
      case 'tool_result':
        return this.#forwardToolResult(block);
      case 'image':
        return this.#withoutMark(withMediaType(block));
      case 'server_tool_use':
        return this.#isToolSearch(block['name']) ? undefined : block;
      case 'tool_search_tool_result':
        return this.#dialect.toolSearch ? block : undefined;
      case 'tool_reference':
        return this.#dialect.toolSearch ? block : toToolNotice(block);
      default:
        return this.#withoutMark(block);
    }
  }

  #forwardToolResult(block: JsonObject): JsonObject {
    const forwarded = this.#withoutMark(withFittingId(block, 'tool_use_id'));
    const content = this.#forwardContent(block['content'] ?? null);
    return content === (block['content'] ?? null) ? forwarded : { ...forwarded, content };
  }

  /** Thinking is returned unchanged to its issuer, and to no other upstream. */
  #keepThinking(block: JsonObject, member: 'signature' | 'data'): JsonObject | undefined {
    const sealed = block[member];
    if (typeof sealed === 'string' && sealed !== '') {
      const { secret, issuer } = unseal(sealed, NATIVE_ISSUER);
      if (issuer === this.#dialect.issuer) return secret === sealed ? block : { ...block, [member]: secret };
    }
    if (this.#dialect.reasoningReplay !== 'none' && isPlainThinking(block)) return block;
    this.hasLostThinking = true;
    return undefined;
  }

  #isToolSearch(name: unknown): boolean {
    return !this.#dialect.toolSearch && typeof name === 'string' && name.startsWith(TOOL_SEARCH_PREFIX);
  }

  #withoutMark(block: JsonObject): JsonObject {
    return this.#dialect.cacheMarks === 'cache_control' ? block : without(block, CACHE_MARK);
  }

  /** The mark of a dropped block moves to the block before it, in this message or an earlier one. */
  #moveMark(mark: JsonValue | undefined, before: JsonValue[]): void {
    if (mark === undefined || mark === null || this.#dialect.cacheMarks !== 'cache_control') return;
    if (markLast(before, mark)) return;
    for (let at = this.#done.length - 1; at >= 0; at -= 1) {
      const message = this.#done[at] as JsonObject;
      const marked = markContent(message['content'], mark);
      if (marked) {
        this.#done[at] = { ...message, content: marked };
        return;
      }
    }
  }
}

function isImage(block: JsonValue): boolean {
  return isJsonObject(block) && block['type'] === 'image';
}

function isAttribution(block: JsonValue | undefined): boolean {
  return isJsonObject(block) && typeof block['text'] === 'string' && block['text'].startsWith(ATTRIBUTION);
}

/** Unsigned thinking; some compatible upstreams require it back, Anthropic refuses it. */
function isPlainThinking({ type, signature }: JsonObject): boolean {
  return type === 'thinking' && (signature === undefined || signature === null || signature === '');
}

function withFittingId(block: JsonObject, name: 'id' | 'tool_use_id'): JsonObject {
  const id = block[name];
  return typeof id !== 'string' || isFittingToolId(id) ? block : { ...block, [name]: toFittingToolId(id) };
}

/** Citations the gateway wrote for answers of other providers lack the mark that Anthropic requires. */
function withoutOwnCitations(block: JsonObject): JsonObject {
  const { citations } = block;
  if (!Array.isArray(citations) || !citations.some(isUnmarked)) return block;
  const kept = citations.filter((citation) => !isUnmarked(citation));
  return kept.length > 0 ? { ...block, citations: kept } : without(block, CITATIONS);
}

function isUnmarked(citation: JsonValue): boolean {
  return (
    isJsonObject(citation) &&
    citation['type'] === 'web_search_result_location' &&
    citation['encrypted_index'] === ''
  );
}

function withMediaType(block: JsonObject): JsonObject {
  const { source } = block;
  if (!isJsonObject(source) || !isMisnamed(source['media_type'])) return block;
  return { ...block, source: { ...source, media_type: 'image/jpeg' } };
}

function toToolNotice(block: JsonObject): JsonObject {
  const name = typeof block['tool_name'] === 'string' ? block['tool_name'] : '';
  return { type: 'text', text: `Tool available: ${name}` };
}

function markContent(content: JsonValue | undefined, mark: JsonValue): JsonValue[] | undefined {
  if (typeof content === 'string' && content !== '')
    return [{ type: 'text', text: content, cache_control: mark }];
  if (!Array.isArray(content)) return undefined;
  const copy = content.slice();
  return markLast(copy, mark) ? copy : undefined;
}

function markLast(blocks: JsonValue[], mark: JsonValue): boolean {
  for (let at = blocks.length - 1; at >= 0; at -= 1) {
    const block = blocks[at];
    if (!isJsonObject(block) || UNMARKABLE.has(block['type'])) continue;
    if (block['cache_control'] === undefined || block['cache_control'] === null) {
      blocks[at] = { ...block, cache_control: mark };
    }
    return true;
  }
  return false;
}
