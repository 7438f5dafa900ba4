import type { JsonObject } from '#base';
import type { Dialect, MediaBlock } from '#canonical';
import { GatewayError } from '#errors';
import { describeDocument } from '../document-text.ts';

/** Encodes an image, audio or document as a part; throws if the target does not support it. */
export function encodeMedia(block: MediaBlock, media: Dialect['media']): JsonObject {
  switch (block.kind) {
    case 'image':
      return encodeImage(block, media);
    case 'audio':
      return encodeAudio(block, media);
    case 'document':
      return encodeDocument(block, media);
  }
}

function refuseFeature(what: string): never {
  throw new GatewayError('unsupported_feature', `this model's provider cannot take ${what}`, {
    param: 'messages',
  });
}

function encodeImage(block: MediaBlock, media: Dialect['media']): JsonObject {
  if (!media.image) return refuseFeature('images');
  const { source } = block;
  const given = block.extra?.chat?.['detail'];
  const detail = typeof given === 'string' ? { detail: given } : {};
  if ('base64' in source) {
    const url = `data:${block.mediaType ?? 'image/png'};base64,${source.base64}`;
    return { type: 'image_url', image_url: { url, ...detail } };
  }
  if (!('url' in source)) return refuseFeature('images by file id');
  if (!media.imageUrl) return refuseFeature('images by URL');
  return { type: 'image_url', image_url: { url: source.url, ...detail } };
}

function encodeAudio(block: MediaBlock, media: Dialect['media']): JsonObject {
  if (!media.audio || !('base64' in block.source)) return refuseFeature('audio');
  const format = block.mediaType?.split('/')[1] ?? 'wav';
  return { type: 'input_audio', input_audio: { data: block.source.base64, format } };
}

function encodeDocument(block: MediaBlock, media: Dialect['media']): JsonObject {
  const { source } = block;
  if ('text' in source || 'blocks' in source) return { type: 'text', text: describeDocument(block) };
  if (!media.document) return refuseFeature(`documents (${block.mediaType ?? 'by reference'})`);
  if ('base64' in source) {
    const mediaType = block.mediaType ?? 'application/pdf';
    const file = {
      file_data: `data:${mediaType};base64,${source.base64}`,
      filename: block.title ?? 'document.pdf',
    };
    return { type: 'file', file };
  }
  if ('fileId' in source && source.format === 'chat')
    return { type: 'file', file: { file_id: source.fileId } };
  return refuseFeature('documents by URL or by a file id of another provider');
}
