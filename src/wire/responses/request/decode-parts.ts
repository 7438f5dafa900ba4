import type { Block, CacheMark, MediaBlock } from '#canonical';
import { type Address, decodeAddress } from '../../media/data-url.ts';
import { decodeAudio } from '../../media/openai-audio.ts';
import { isObject } from '../../body/read-field.ts';
import type {
  ResponsesContent,
  ResponsesFilePart,
  ResponsesImage,
  ResponsesMarked,
  ResponsesPart,
} from '../item-schema.ts';

/** Decodes content of a message or a tool output: a string or an array of parts. */
export function decodeContent(content: ResponsesContent): Block[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content.map(decodePart);
}

function decodePart(part: ResponsesPart): Block {
  const block = decodeBarePart(part);
  const cache = decodeCacheMark(part);
  if (cache) block.cache = cache;
  return block;
}

function decodeBarePart(part: ResponsesPart): Block {
  switch (part.type) {
    case 'input_text':
    case 'output_text':
      return { type: 'text', text: part.text };
    case 'refusal':
      return { type: 'text', text: part.refusal, refusal: true };
    case 'input_image':
      return decodeImage(part);
    case 'input_file':
      return decodeFile(part);
    case 'input_audio':
      return decodeAudio(part);
  }
}

function decodeImage(part: ResponsesImage): MediaBlock {
  const { detail } = part;
  const address =
    part.file_id === undefined || part.file_id === null
      ? decodeAddress(part.image_url)
      : toFile(part.file_id);
  const image: MediaBlock = { type: 'media', kind: 'image', ...address };
  if (typeof detail === 'string' && detail !== 'auto')
    image.extra = { responses: { detail }, chat: { detail } };
  return image;
}

function decodeFile(part: ResponsesFilePart): MediaBlock {
  const { filename } = part;
  const document: MediaBlock = { type: 'media', kind: 'document', ...findDocument(part) };
  if (typeof filename === 'string' && filename !== '') document.title = filename;
  return document;
}

function findDocument(part: ResponsesFilePart): Address {
  if (part.file_id !== undefined && part.file_id !== null) return toFile(part.file_id);
  if (part.file_url !== undefined && part.file_url !== null) return { source: { url: part.file_url } };
  const { file_data: data } = part;
  return data.startsWith('data:') ? decodeAddress(data) : { source: { base64: data } };
}

function toFile(fileId: string): Address {
  return { source: { fileId, format: 'responses' } };
}

/** A prompt-cache mark in OpenAI's spelling, or in the one agents use for Anthropic's models. */
function decodeCacheMark(owner: ResponsesMarked): CacheMark | undefined {
  const { prompt_cache_breakpoint: breakpoint, cache_control: control } = owner;
  const mark = isObject(breakpoint) ? breakpoint : control;
  if (!isObject(mark)) return undefined;
  return mark.ttl ? { ttl: mark.ttl } : {};
}
