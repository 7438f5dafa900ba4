import { type JsonObject, type JsonValue, isJsonObject } from '#base';
import type {
  Annotation,
  Block,
  CacheMark,
  MediaBlock,
  MediaSource,
  NativeBlock,
  ReasoningBlock,
  TextBlock,
} from '#canonical';
import { normalizeMediaType } from '../media/media-type.ts';
import { unseal } from '../seal.ts';
import type {
  MessagesBlock,
  MessagesCacheControl,
  MessagesContent,
  MessagesKnownBlock,
  MessagesKnownSource,
} from './block-schema.ts';
import type { Members } from '../body/unchecked.ts';
import { NATIVE_ISSUER } from './signature.ts';

type Kind<Type> = MessagesKnownBlock & { type: Type };

const KNOWN_BLOCKS: ReadonlySet<string> = new Set<MessagesKnownBlock['type']>([
  'text',
  'image',
  'document',
  'search_result',
  'thinking',
  'redacted_thinking',
  'tool_use',
  'tool_result',
]);
const KNOWN_SOURCES: ReadonlySet<string> = new Set<MessagesKnownSource['type']>([
  'base64',
  'url',
  'file',
  'text',
  'content',
]);

/** Content of a message, a tool result or the instructions: a text or blocks. */
export function decodeContent(content: MessagesContent): Block[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content.map(decodeBlock);
}

/** An unknown block type is kept verbatim. */
function decodeBlock(given: MessagesBlock): Block {
  const known = isKnown(given) ? decodeKnown(given) : undefined;
  const block: Block = known ?? decodeNative(given);
  const cache = decodeCacheMark(given.cache_control);
  if (cache) block.cache = cache;
  return block;
}

/** The result of a provider's tool may contain documents. */
function decodeNative(value: MessagesBlock & JsonObject): NativeBlock {
  const block: NativeBlock = { type: 'native', format: 'messages', value };
  const documents = listDocuments(value);
  if (documents.length > 0) block.documents = documents;
  return block;
}

function listDocuments(value: JsonValue | undefined): string[] {
  if (Array.isArray(value)) return value.flatMap(listDocuments);
  if (!isJsonObject(value)) return [];
  const { type, media_type: mediaType, data }: Members<MessagesKnownSource> = value;
  if (type !== 'base64' || typeof data !== 'string') return Object.values(value).flatMap(listDocuments);
  return typeof mediaType === 'string' && mediaType.startsWith('image/') ? [] : [data];
}

function isKnown(block: MessagesBlock): block is MessagesKnownBlock {
  return KNOWN_BLOCKS.has(block.type);
}

function decodeKnown(block: MessagesKnownBlock): Block | undefined {
  switch (block.type) {
    case 'text':
      return decodeText(block);
    case 'image':
    case 'document':
      return decodeMedia(block);
    case 'search_result':
      return decodeSearchResult(block);
    case 'thinking':
      return decodeThinking(block);
    case 'redacted_thinking': {
      const { secret, issuer } = unseal(block.data, NATIVE_ISSUER);
      return { type: 'reasoning', text: '', redacted: secret, issuer };
    }
    case 'tool_use':
      return { type: 'tool-call', id: block.id, name: block.name, input: { value: block.input } };
    case 'tool_result': {
      const { tool_use_id: callId, content, is_error: isError } = block;
      return { type: 'tool-result', callId, blocks: decodeContent(content ?? []), isError: isError ?? false };
    }
  }
}

function decodeText({ text, citations }: Kind<'text'>): TextBlock {
  const block: TextBlock = { type: 'text', text };
  if (Array.isArray(citations) && citations.length > 0) block.annotations = decodeCitations(citations);
  return block;
}

export function decodeCitations(citations: readonly JsonValue[]): Annotation[] {
  return citations.filter(isJsonObject).map((value) => ({ format: 'messages', value }));
}

function decodeThinking({ thinking: text, signature }: Kind<'thinking'>): ReasoningBlock {
  if (!signature) return { type: 'reasoning', text };
  const { secret, issuer } = unseal(signature, NATIVE_ISSUER);
  return { type: 'reasoning', text, signature: secret, issuer };
}

function decodeSearchResult({ title, source, content }: Kind<'search_result'>): MediaBlock {
  const blocks = decodeContent(content);
  return { type: 'media', kind: 'document', title, context: source, source: { blocks } };
}

/** `undefined` for an unknown kind of source: the block is then kept verbatim. */
function decodeMedia({
  type,
  source: given,
  title,
  context,
}: Kind<'image' | 'document'>): MediaBlock | undefined {
  if (!isKnownSource(given)) return undefined;
  const block: MediaBlock = { type: 'media', kind: type, source: decodeSource(given) };
  if (given.type === 'base64') block.mediaType = normalizeMediaType(given.media_type);
  else if (given.type === 'text') block.mediaType = given.media_type ?? 'text/plain';
  if (typeof title === 'string') block.title = title;
  if (typeof context === 'string') block.context = context;
  return block;
}

function isKnownSource(source: { type: string }): source is MessagesKnownSource {
  return KNOWN_SOURCES.has(source.type);
}

function decodeSource(source: MessagesKnownSource): MediaSource {
  switch (source.type) {
    case 'base64':
      return { base64: source.data };
    case 'url':
      return { url: source.url };
    case 'file':
      return { fileId: source.file_id, format: 'messages' };
    case 'text':
      return { text: source.data };
    case 'content':
      return { blocks: decodeContent(source.content) };
  }
}

/** A `cache_control` mark; an unknown lifetime counts as the default. */
export function decodeCacheMark(mark: MessagesCacheControl | null | undefined): CacheMark | undefined {
  if (!mark) return undefined;
  return mark.ttl === '5m' || mark.ttl === '1h' ? { ttl: mark.ttl } : {};
}
