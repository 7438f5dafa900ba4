import type { Dialect, MediaBlock } from '#canonical';
import type { ChatImagePart, ChatPart } from '../part-schema.ts';
import type { Members } from '../../body/unchecked.ts';
import { encodeDataUrl } from '../../media/data-url.ts';
import { describeDocument } from '../../media/document-text.ts';
import { encodeAudio } from '../../media/openai-audio.ts';
import { refuseFeature } from '../../errors/refuse-feature.ts';

/** Encodes an image, audio or document as a part; throws if the target does not support it. */
export function encodeMedia(block: MediaBlock, media: Dialect['media']): Members<ChatPart> {
  switch (block.kind) {
    case 'image':
      return encodeImage(block, media);
    case 'audio':
      return encodeAudio(block, media, 'messages');
    case 'document':
      return encodeDocument(block, media);
  }
}

function encodeImage(block: MediaBlock, media: Dialect['media']): Members<ChatPart> {
  if (!media.image) return refuseFeature('images', 'messages');
  const { source } = block;
  if ('base64' in source) {
    return encodeImageUrl(encodeDataUrl(source.base64, block.mediaType ?? 'image/png'), block);
  }
  if (!('url' in source)) return refuseFeature('images by file id', 'messages');
  if (!media.imageUrl) return refuseFeature('images by URL', 'messages');
  return encodeImageUrl(source.url, block);
}

function encodeImageUrl(url: string, { extra }: MediaBlock): Members<ChatPart> {
  const image: Members<ChatImagePart['image_url']> = { url };
  const own: typeof image | undefined = extra?.chat;
  if (typeof own?.detail === 'string') image.detail = own.detail;
  return { type: 'image_url', image_url: image };
}

function encodeDocument(block: MediaBlock, media: Dialect['media']): Members<ChatPart> {
  const { source } = block;
  if ('text' in source || 'blocks' in source) return { type: 'text', text: describeDocument(block) };
  if (!media.document) return refuseFeature(`documents (${block.mediaType ?? 'by reference'})`, 'messages');
  if ('base64' in source) {
    const mediaType = block.mediaType ?? 'application/pdf';
    const file = {
      file_data: encodeDataUrl(source.base64, mediaType),
      filename: block.title ?? 'document.pdf',
    };
    return { type: 'file', file };
  }
  if ('fileId' in source && source.format === 'chat')
    return { type: 'file', file: { file_id: source.fileId } };
  return refuseFeature('documents by URL or by a file id of another provider', 'messages');
}
