import type { Block, MediaBlock, TextBlock } from '#canonical';
import { type Address, decodeAddress } from '../../media/data-url.ts';
import { decodeAudio } from '../../media/openai-audio.ts';
import { decodeCacheMark } from './cache-marks.ts';
import type { ChatContent } from '../schema.ts';
import type { ChatFile, ChatImagePart, ChatPart } from '../part-schema.ts';

/** Decodes message content: a string or an array of parts. */
export function decodeContent(content: ChatContent): Block[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content.map(decodePart);
}

/** Decodes content of a system or developer message: text only. */
export function decodeTextContent(content: ChatContent): TextBlock[] {
  return decodeContent(content).filter((block) => block.type === 'text');
}

function decodePart(part: ChatPart): Block {
  const block = decodeBarePart(part);
  const cache = decodeCacheMark(part);
  if (cache) block.cache = cache;
  return block;
}

function decodeBarePart(part: ChatPart): Block {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'refusal':
      return { type: 'text', text: part.refusal, refusal: true };
    case 'image_url':
      return decodeImage(part);
    case 'input_audio':
      return decodeAudio(part);
    case 'file':
      return decodeFile(part.file);
  }
}

function decodeImage({ image_url: { url, detail } }: ChatImagePart): MediaBlock {
  const image: MediaBlock = { type: 'media', kind: 'image', ...decodeAddress(url) };
  if (typeof detail === 'string') image.extra = { chat: { detail } };
  return image;
}

function decodeFile(file: ChatFile): MediaBlock {
  const { filename } = file;
  const given: Address =
    'file_id' in file ? { source: { fileId: file.file_id, format: 'chat' } } : decodeAddress(file.file_data);
  return {
    type: 'media',
    kind: 'document',
    ...given,
    ...(typeof filename === 'string' && { title: filename }),
  };
}
