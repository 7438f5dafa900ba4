import { append } from '#base';
import type { Dialect } from '#canonical';
import { isAttribution } from '../../request/attribution.ts';
import { forwardList } from '../../request/forwarding.ts';
import { isMisnamed } from '../../media/media-type.ts';
import { isArray, isObject, isPresent } from '../../body/read-field.ts';
import { unseal } from '../../seal.ts';
import { IMAGE_NOTE, IMAGE_PLACE } from '../../emulation/shown-images.ts';
import type { Members, Unchecked } from '../../body/unchecked.ts';
import { without } from '../../body/without.ts';
import { isToolSearch } from './beta-filter.ts';
import type { MessagesBlock, MessagesCitation } from '../block-schema.ts';
import { type CacheControlMark, markContent, markLast } from '../cache-marks.ts';
import type { MessagesMessage } from '../schema.ts';
import { NATIVE_ISSUER } from '../signature.ts';
import { summaryOf } from './summaries.ts';
import { type ToolChange, readToolChanges } from './tool-changes.ts';
import { isFittingToolId, toFittingToolId } from '../tool-id.ts';

type RawMessage = Members<MessagesMessage>;
type RawBlock = Members<MessagesBlock>;
type Content = RawMessage['content'];
type Blocks = Unchecked<MessagesBlock>[];

const CACHE_MARK = new Set<keyof RawBlock>(['cache_control']);
const CITATIONS = new Set<keyof RawBlock>(['citations']);
const SYSTEM_BETAS = new Set<keyof RawMessage>(['clear_at', 'output_config']);

/**
 * Forwards a caller's messages to a Messages upstream: values are the caller's own; only what the upstream would refuse
 * is dropped or replaced in a copy.
 */
export class MessageForwarder {
  readonly #dialect: Dialect;
  readonly #done: RawMessage[] = [];
  /** Generated images of other models, held until the user's next turn. */
  #images: Blocks = [];
  readonly #forward = (block: Unchecked<MessagesBlock>): Unchecked<MessagesBlock> | undefined =>
    isObject(block) ? this.#forwardBlock(block) : block;
  readonly #drop = (block: Unchecked<MessagesBlock>, kept: Blocks): void => {
    if (isObject(block)) this.#moveMark(block.cache_control, kept);
  };
  /** How many blocks and messages have been searched for a place for a mark. */
  readonly #searched = new WeakMap<Blocks, number>();
  #searchedMessages = 0;
  /** Whether any thinking was dropped. */
  hasLostThinking = false;
  /** The changes of the tools in blocks that were dropped. */
  readonly toolChanges: ToolChange[] = [];
  readonly #keepsToolChanges: boolean;

  constructor(dialect: Dialect, keepsToolChanges = true) {
    this.#dialect = dialect;
    this.#keepsToolChanges = keepsToolChanges;
  }

  forwardMessages(messages: readonly Unchecked<MessagesMessage>[]): RawMessage[] {
    for (const message of messages) this.#forwardMessage(message);
    if (this.#images.length > 0) this.#done.push({ role: 'user', content: this.#showImages([]) });
    return this.#done;
  }

  /**
   * The opening instructions. Claude Code's attribution block is for Anthropic alone; elsewhere it defeats the cache.
   */
  forwardSystem(system: Blocks): Blocks {
    const [first] = system;
    const isForOthers = this.#dialect.betas !== 'verbatim' && isObject(first) && isAttribution(first.text);
    return this.#forwardBlocks(isForOthers ? system.slice(1) : system);
  }

  #forwardContent(content: Content): Content {
    return isArray(content) ? this.#forwardBlocks(content) : content;
  }

  #forwardBlocks(content: Blocks): Blocks {
    return forwardList(content, this.#forward, this.#drop);
  }

  #forwardMessage(message: Unchecked<MessagesMessage>): void {
    if (!isObject(message)) return;
    const content = this.#placeImages(message.role, this.#forwardContent(message.content));
    if (isArray(content) && content.length === 0 && content !== message.content) return;
    const forwarded = content === message.content ? message : { ...message, content };
    this.#done.push(message.role === 'system' ? this.#forwardSystemTurn(forwarded) : forwarded);
  }

  /** Anthropic accepts images from the user alone. */
  #placeImages(role: RawMessage['role'], content: Content): Content {
    if (role === 'user' && this.#images.length > 0) return this.#showImages(content);
    if (role !== 'assistant' || !isArray(content) || !content.some(isImage)) return content;
    append(this.#images, content.filter(isImage));
    return content.map((block) => (isImage(block) ? { type: 'text', text: IMAGE_PLACE } : block));
  }

  /** After the tool results, which must be first. */
  #showImages(content: Content): Blocks {
    const blocks = isArray(content) ? content : [{ type: 'text', text: content }];
    const from = blocks.findIndex((block) => isObject(block) && block.type !== 'tool_result');
    const images = [{ type: 'text', text: IMAGE_NOTE }, ...this.#images];
    this.#images = [];
    const at = from === -1 ? blocks.length : from;
    return [...blocks.slice(0, at), ...images, ...blocks.slice(at)];
  }

  #forwardSystemTurn(message: RawMessage): RawMessage {
    const forwarded = this.#dialect.betas !== 'verbatim' ? without(message, SYSTEM_BETAS) : message;
    return this.#dialect.midSystem === 'as-user' ? { ...forwarded, role: 'user' } : forwarded;
  }

  /** The block itself, a changed copy, or `undefined` if it is dropped. */
  #forwardBlock(block: RawBlock): RawBlock | undefined {
    switch (block.type) {
      case 'text':
        return block.text === '' ? undefined : this.#withoutMark(withoutOwnCitations(block));
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
        return !this.#dialect.toolSearch && isToolSearch(block.name) ? undefined : block;
      case 'tool_search_tool_result':
        return this.#dialect.toolSearch ? block : undefined;
      case 'tool_addition':
      case 'tool_removal':
        return this.#forwardToolChange(block);
      case 'compaction':
        return this.#dialect.betas === 'none' ? this.#stateSummary(block) : this.#withoutMark(block);
      case 'tool_reference':
        return this.#dialect.toolSearch ? block : toToolNotice(block);
      default:
        return this.#withoutMark(block);
    }
  }

  #forwardToolResult(block: RawBlock): RawBlock {
    const forwarded = this.#withoutMark(withFittingId(block, 'tool_use_id'));
    const content = this.#forwardContent(block.content);
    return content === block.content ? forwarded : { ...forwarded, content };
  }

  #forwardToolChange(block: RawBlock): RawBlock | undefined {
    if (this.#keepsToolChanges) return this.#withoutMark(block);
    append(this.toolChanges, readToolChanges(block));
    return undefined;
  }

  /** Only Anthropic's own service and the clouds have these blocks. */
  #stateSummary({ cache_control: mark, ...block }: RawBlock): RawBlock | undefined {
    append(this.toolChanges, readToolChanges(block));
    const text = summaryOf(block);
    if (text === undefined) return undefined;
    return this.#withoutMark({ type: 'text', text, ...(isPresent(mark) && { cache_control: mark }) });
  }

  /** Thinking is returned unchanged to its issuer, and to no other upstream. */
  #keepThinking(block: RawBlock, member: 'signature' | 'data'): RawBlock | undefined {
    const sealed = block[member];
    if (typeof sealed === 'string' && sealed !== '') {
      const { secret, issuer } = unseal(sealed, NATIVE_ISSUER);
      if (issuer === this.#dialect.issuer) return secret === sealed ? block : { ...block, [member]: secret };
    }
    if (this.#dialect.reasoningReplay !== 'none' && isPlainThinking(block)) return block;
    this.hasLostThinking = true;
    return undefined;
  }

  #withoutMark(block: RawBlock): RawBlock {
    return this.#dialect.cacheMarks === 'cache_control' ? block : without(block, CACHE_MARK);
  }

  /** The mark of a dropped block moves to the block before it, in this message or an earlier one. */
  #moveMark(mark: CacheControlMark, before: Blocks): void {
    if (!isPresent(mark) || this.#dialect.cacheMarks !== 'cache_control') return;
    // The blocks searched for an earlier mark have it now, or cannot carry one.
    const from = this.#searched.get(before) ?? 0;
    this.#searched.set(before, before.length);
    if (markLast(before, mark, from) || from > 0) return;
    const until = this.#searchedMessages;
    this.#searchedMessages = this.#done.length;
    for (let at = this.#done.length - 1; at >= until; at -= 1) {
      const message = this.#done[at];
      const marked = markContent(message?.content, mark);
      if (marked) {
        this.#done[at] = { ...message, content: marked };
        return;
      }
    }
  }
}

function isImage(block: Unchecked<MessagesBlock>): boolean {
  return isObject(block) && block.type === 'image';
}

/** Unsigned thinking; some compatible upstreams require it back, Anthropic refuses it. */
function isPlainThinking({ type, signature }: RawBlock): boolean {
  return type === 'thinking' && (signature === undefined || signature === null || signature === '');
}

function withFittingId(block: RawBlock, name: 'id' | 'tool_use_id'): RawBlock {
  const id = block[name];
  return typeof id !== 'string' || isFittingToolId(id) ? block : { ...block, [name]: toFittingToolId(id) };
}

/** Citations the gateway wrote for answers of other providers lack the mark that Anthropic requires. */
function withoutOwnCitations(block: RawBlock): RawBlock {
  const { citations } = block;
  if (!isArray(citations) || !citations.some(isUnmarked)) return block;
  const kept = citations.filter((citation) => !isUnmarked(citation));
  return kept.length > 0 ? { ...block, citations: kept } : without(block, CITATIONS);
}

function isUnmarked(citation: Unchecked<MessagesCitation>): boolean {
  if (!isObject(citation)) return false;
  return citation.type === 'web_search_result_location' && citation.encrypted_index === '';
}

function withMediaType(block: RawBlock): RawBlock {
  const { source } = block;
  if (!isObject(source) || !isMisnamed(source.media_type)) return block;
  return { ...block, source: { ...source, media_type: 'image/jpeg' } };
}

function toToolNotice({ tool_name: tool }: RawBlock): RawBlock {
  const name = typeof tool === 'string' ? tool : '';
  return { type: 'text', text: `Tool available: ${name}` };
}
