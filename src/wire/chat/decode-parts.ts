import type { Block, MediaBlock, TextBlock } from '#canonical';
import { decodeCacheMark } from './cache-marks.ts';
import { isArray, refuse, requireArray, requireObject, requireString, requireText } from './read-field.ts';
import type { ChatMessage, ChatPart } from './schema.ts';
import type { Members, Unchecked } from '../unchecked.ts';
import { normalizeMediaType } from '../media-type.ts';

const DATA_URL = /^data:([^;,]*)(?:;[^;,]+)*?;base64,/i;

/** Decodes message content: a string or an array of parts. */
export function decodeContent(value: Members<ChatMessage>['content'], path: string): Block[] {
  if (typeof value === 'string') return [{ type: 'text', text: value }];
  if (!isArray(value)) return refuse(path, 'expected a string or an array of parts');
  if (value.length === 0) return refuse(path, 'must not be empty');
  return value.map((part, at) => decodePart(part, `${path}[${at}]`));
}

function decodePart(value: Unchecked<ChatPart>, path: string): Block {
  const part = requireObject(value, path);
  const block = decodeBarePart(part, path);
  const cache = decodeCacheMark(part, path);
  if (cache) block.cache = cache;
  return block;
}

function decodeBarePart(part: Members<ChatPart>, path: string): Block {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: requireString(part.text, path, '.text') };
    case 'refusal':
      return { type: 'text', text: requireString(part.refusal, path, '.refusal'), refusal: true };
    case 'image_url':
      return decodeImage(part, `${path}.image_url`);
    case 'input_audio':
      return decodeAudio(part, `${path}.input_audio`);
    case 'file':
      return decodeFile(part, `${path}.file`);
    default:
      return refuse(`${path}.type`, 'must be one of text, image_url, input_audio, file, refusal');
  }
}

function decodeImage(part: Members<ChatPart>, path: string): MediaBlock {
  const image = requireObject(part.image_url, path);
  const url = requireText(image.url, `${path}.url`);
  const detail = image.detail;
  const extra = typeof detail === 'string' ? { extra: { chat: { detail } } } : {};
  if (!/^data:/i.test(url)) return { type: 'media', kind: 'image', source: { url }, ...extra };
  return { type: 'media', kind: 'image', ...readDataUrl(url, `${path}.url`), ...extra };
}

function decodeAudio(part: Members<ChatPart>, path: string): MediaBlock {
  const audio = requireObject(part.input_audio, path);
  const base64 = requireText(audio.data, `${path}.data`);
  const mediaType = `audio/${requireText(audio.format, `${path}.format`)}`;
  return { type: 'media', kind: 'audio', mediaType, source: { base64 } };
}

function decodeFile(part: Members<ChatPart>, path: string): MediaBlock {
  const file = requireObject(part.file, path);
  const { file_id: fileId, filename } = file;
  const title = typeof filename === 'string' ? { title: filename } : {};
  if (typeof fileId === 'string') {
    return { type: 'media', kind: 'document', source: { fileId, format: 'chat' }, ...title };
  }
  const data = requireText(file.file_data, `${path}.file_data`);
  return { type: 'media', kind: 'document', ...readDataUrl(data, `${path}.file_data`), ...title };
}

function readDataUrl(url: string, path: string): { mediaType?: string; source: { base64: string } } {
  const match = DATA_URL.exec(url);
  if (!match) {
    return refuse(path, 'expected a data URL such as data:image/png;base64,…');
  }
  const source = { base64: url.slice(match[0].length) };
  return match[1] ? { mediaType: normalizeMediaType(match[1]), source } : { source };
}

/** Decodes content of a system or developer message: text only. */
export function decodeTextContent(value: Members<ChatMessage>['content'], path: string): TextBlock[] {
  if (typeof value === 'string') return [{ type: 'text', text: value }];
  return requireArray(value, path).map((part, at) => {
    const block = decodePart(part, `${path}[${at}]`);
    return block.type === 'text' ? block : refuse(`${path}[${at}].type`, 'must be text here');
  });
}
