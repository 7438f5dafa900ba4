import type { Block, CacheMark, MediaBlock, MediaSource, TextBlock } from '#canonical';
import type { ResponsesContent, ResponsesMarked, ResponsesPart } from './schema.ts';
import type { Members, Unchecked } from '../unchecked.ts';
import {
  isArray,
  isObject,
  isPresent,
  refuse,
  requireArray,
  requireObject,
  requireString,
  requireText,
  requireWord,
} from '../read-field.ts';
import { normalizeMediaType } from '../media-type.ts';

const DATA_URL = /^data:([^;,]*)(?:;[^;,]+)*?;base64,/i;

/** Decodes content of a message or a tool output: a string or an array of parts. */
export function decodeContent(value: Unchecked<ResponsesContent> | undefined, path: string): Block[] {
  if (typeof value === 'string') return [{ type: 'text', text: value }];
  if (!isArray(value)) return refuse(path, 'expected a string or an array of parts');
  return value.map((part, at) => decodePart(part, `${path}[${at}]`));
}

/** Decodes content of a system or developer message: text only. */
export function decodeTextContent(value: Unchecked<ResponsesContent> | undefined, path: string): TextBlock[] {
  if (typeof value === 'string') return [{ type: 'text', text: value }];
  return requireArray(value, path).map((part, at) => {
    const block = decodePart(part, `${path}[${at}]`);
    return block.type === 'text' ? block : refuse(`${path}[${at}].type`, 'must be input_text here');
  });
}

function decodePart(value: Unchecked<ResponsesPart>, path: string): Block {
  const part = requireObject(value, path);
  const block = decodeBarePart(part, path);
  const cache = decodeCacheMark(part, path);
  if (cache) block.cache = cache;
  return block;
}

function decodeBarePart(part: Members<ResponsesPart>, path: string): Block {
  switch (part.type) {
    case 'input_text':
    case 'output_text':
      return { type: 'text', text: requireString(part.text, `${path}.text`) };
    case 'refusal':
      return { type: 'text', text: requireString(part.refusal, `${path}.refusal`), refusal: true };
    case 'input_image':
      return decodeImage(part, path);
    case 'input_file':
      return decodeFile(part, path);
    case 'input_audio':
      return decodeAudio(part, `${path}.input_audio`);
    default:
      return refuse(
        `${path}.type`,
        'must be one of input_text, input_image, input_file, input_audio, output_text, refusal',
      );
  }
}

function decodeImage(part: Members<ResponsesPart>, path: string): MediaBlock {
  const { detail } = part;
  const isRequested = typeof detail === 'string' && detail !== 'auto';
  const extra = isRequested ? { extra: { responses: { detail }, chat: { detail } } } : {};
  if (isPresent(part.file_id)) {
    const fileId = requireText(part.file_id, path, '.file_id');
    return { type: 'media', kind: 'image', source: { fileId, format: 'responses' }, ...extra };
  }
  const url = requireText(part.image_url, `${path}.image_url`);
  return { type: 'media', kind: 'image', ...readAddress(url, `${path}.image_url`), ...extra };
}

function decodeFile(part: Members<ResponsesPart>, path: string): MediaBlock {
  const { filename } = part;
  const title = typeof filename === 'string' && filename !== '' ? { title: filename } : {};
  if (isPresent(part.file_id)) {
    const fileId = requireText(part.file_id, path, '.file_id');
    return { type: 'media', kind: 'document', source: { fileId, format: 'responses' }, ...title };
  }
  if (isPresent(part.file_url)) {
    const url = requireText(part.file_url, path, '.file_url');
    return { type: 'media', kind: 'document', source: { url }, ...title };
  }
  const data = requireText(part.file_data, `${path}.file_data`);
  const read = data.startsWith('data:')
    ? readAddress(data, `${path}.file_data`)
    : { source: { base64: data } };
  return { type: 'media', kind: 'document', ...read, ...title };
}

function decodeAudio(part: Members<ResponsesPart>, path: string): MediaBlock {
  const audio = requireObject(part.input_audio, path);
  const base64 = requireText(audio.data, `${path}.data`);
  const mediaType = `audio/${requireText(audio.format, `${path}.format`)}`;
  return { type: 'media', kind: 'audio', mediaType, source: { base64 } };
}

/** Splits a data URL into media type and data; other URLs are kept. */
function readAddress(url: string, path: string): { mediaType?: string; source: MediaSource } {
  if (!/^data:/i.test(url)) return { source: { url } };
  const match = DATA_URL.exec(url);
  if (!match) return refuse(path, 'expected a data URL such as data:image/png;base64,…');
  const source = { base64: url.slice(match[0].length) };
  return match[1] ? { mediaType: normalizeMediaType(match[1]), source } : { source };
}

/** A prompt-cache mark in OpenAI's spelling, or in the one agents use for Anthropic's models. */
function decodeCacheMark(owner: Members<ResponsesMarked>, path: string): CacheMark | undefined {
  const { prompt_cache_breakpoint: breakpoint, cache_control: control } = owner;
  if (isObject(breakpoint)) return readTtl(breakpoint, `${path}.prompt_cache_breakpoint`, ['30m', '12h']);
  if (isObject(control)) return readTtl(control, `${path}.cache_control`, ['5m', '1h']);
  return undefined;
}

type Ttl = NonNullable<CacheMark['ttl']>;

function readTtl(mark: Members<{ ttl: string }>, path: string, words: readonly Ttl[]): CacheMark {
  const { ttl } = mark;
  return isPresent(ttl) ? { ttl: requireWord(ttl, `${path}.ttl`, words) } : {};
}
