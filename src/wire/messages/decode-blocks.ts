import { type JsonValue, isJsonObject } from '#base';
import type {
  Annotation,
  Block,
  CacheMark,
  MediaBlock,
  MediaSource,
  ReasoningBlock,
  TextBlock,
} from '#canonical';
import { findBoolean, findObject, findString, invalid, readArray, readObject, readString } from './checks.ts';
import type { MessagesBlock, MessagesCacheControl, MessagesContent, MessagesSource } from './schema.ts';
import { isArray } from '../read-field.ts';
import type { Members, Unchecked } from '../unchecked.ts';
import { unseal } from '../seal.ts';
import { NATIVE_ISSUER } from './signature.ts';
import { normalizeMediaType } from '../media-type.ts';

/** Content of a message, a tool result or the instructions: a text or blocks. */
export function decodeContent(content: Unchecked<MessagesContent> | undefined, path: string): Block[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (!isArray(content)) {
    throw invalid(path, content === undefined ? 'field required' : 'must be a string or an array of blocks');
  }
  return content.map((value, at) => decodeBlock(value, `${path}.${at}`));
}

/** An unknown block type is kept verbatim; a malformed block of a known type is refused. */
function decodeBlock(value: Unchecked<MessagesBlock>, path: string): Block {
  const raw = readObject(value, path);
  const type = readString(raw.type, `${path}.type`);
  const block: Block = decodeNamed(type, raw, path) ?? { type: 'native', format: 'messages', value: raw };
  const cache = decodeCacheMark(raw.cache_control, `${path}.cache_control`);
  if (cache) block.cache = cache;
  return block;
}

function decodeNamed(type: string, raw: Members<MessagesBlock>, path: string): Block | undefined {
  switch (type) {
    case 'text':
      return decodeText(raw, path);
    case 'image':
      return decodeMedia('image', raw, path);
    case 'document':
      return decodeMedia('document', raw, path);
    case 'search_result':
      return decodeSearchResult(raw, path);
    case 'thinking':
      return decodeThinking(raw, path);
    case 'redacted_thinking':
      return decodeRedacted(raw, path);
    case 'tool_use':
      return {
        type: 'tool-call',
        id: readString(raw.id, `${path}.id`),
        name: readString(raw.name, `${path}.name`),
        input: { value: readObject(raw.input, `${path}.input`) },
      };
    case 'tool_result':
      return {
        type: 'tool-result',
        callId: readString(raw.tool_use_id, `${path}.tool_use_id`),
        blocks: decodeResultContent(raw.content, `${path}.content`),
        isError: findBoolean(raw.is_error, `${path}.is_error`) ?? false,
      };
    default:
      return undefined;
  }
}

function decodeText(raw: Members<MessagesBlock>, path: string): TextBlock {
  const block: TextBlock = { type: 'text', text: readString(raw.text, `${path}.text`) };
  const citations = raw.citations;
  if (Array.isArray(citations) && citations.length > 0) block.annotations = decodeCitations(citations);
  return block;
}

export function decodeCitations(citations: readonly JsonValue[]): Annotation[] {
  return citations.filter(isJsonObject).map((value) => ({ format: 'messages', value }));
}

function decodeThinking(raw: Members<MessagesBlock>, path: string): ReasoningBlock {
  const text = readString(raw.thinking, `${path}.thinking`);
  const signature = findString(raw.signature, `${path}.signature`) ?? '';
  if (signature === '') return { type: 'reasoning', text };
  const { secret, issuer } = unseal(signature, NATIVE_ISSUER);
  return { type: 'reasoning', text, signature: secret, issuer };
}

function decodeRedacted(raw: Members<MessagesBlock>, path: string): ReasoningBlock {
  const { secret, issuer } = unseal(readString(raw.data, `${path}.data`), NATIVE_ISSUER);
  return { type: 'reasoning', text: '', redacted: secret, issuer };
}

function decodeResultContent(content: Unchecked<MessagesContent> | undefined, path: string): Block[] {
  return content === undefined || content === null ? [] : decodeContent(content, path);
}

function decodeSearchResult(raw: Members<MessagesBlock>, path: string): MediaBlock {
  readArray(raw.content, `${path}.content`);
  return {
    type: 'media',
    kind: 'document',
    title: readString(raw.title, `${path}.title`),
    context: readString(raw.source, `${path}.source`),
    source: { blocks: decodeContent(raw.content, `${path}.content`) },
  };
}

/** `undefined` for an unknown kind of source: the block is then kept verbatim. */
function decodeMedia(
  kind: 'image' | 'document',
  raw: Members<MessagesBlock>,
  path: string,
): MediaBlock | undefined {
  const from = readObject(raw.source, `${path}.source`);
  const source = decodeSource(from, `${path}.source`);
  if (!source) return undefined;
  const block: MediaBlock = { type: 'media', kind, source };
  if ('base64' in source)
    block.mediaType = normalizeMediaType(readString(from.media_type, `${path}.source.media_type`));
  else if ('text' in source)
    block.mediaType = findString(from.media_type, `${path}.source.media_type`) ?? 'text/plain';
  const title = findString(raw.title, `${path}.title`);
  if (title !== undefined) block.title = title;
  const context = findString(raw.context, `${path}.context`);
  if (context !== undefined) block.context = context;
  return block;
}

function decodeSource(from: Members<MessagesSource>, path: string): MediaSource | undefined {
  switch (readString(from.type, `${path}.type`)) {
    case 'base64':
      return { base64: readString(from.data, `${path}.data`) };
    case 'url':
      return { url: readString(from.url, `${path}.url`) };
    case 'file':
      return { fileId: readString(from.file_id, `${path}.file_id`), format: 'messages' };
    case 'text':
      return { text: readString(from.data, `${path}.data`) };
    case 'content':
      return { blocks: decodeContent(from.content, `${path}.content`) };
    default:
      return undefined;
  }
}

/** A `cache_control` mark; an unknown lifetime counts as the default. */
export function decodeCacheMark(
  value: Unchecked<MessagesCacheControl> | undefined,
  path: string,
): CacheMark | undefined {
  if (value === undefined) return undefined;
  const raw = findObject(value, path);
  if (!raw) return undefined;
  readString(raw.type, `${path}.type`);
  const ttl = findString(raw.ttl, `${path}.ttl`);
  return ttl === '5m' || ttl === '1h' ? { ttl } : {};
}
