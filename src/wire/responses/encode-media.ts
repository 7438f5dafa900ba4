import type { JsonObject } from '#base';
import type { Dialect, MediaBlock, MediaSource } from '#canonical';
import { describeDocument } from '../document-text.ts';
import { refuseFeature } from './unsupported.ts';

const DETAILS: ReadonlySet<unknown> = new Set(['low', 'high', 'auto', 'original']);

/** Encodes an image, audio or document as an input part; throws if the target does not support it. */
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

function encodeImage(block: MediaBlock, media: Dialect['media']): JsonObject {
  if (!media.image) return refuseFeature('images', 'input');
  const { source } = block;
  const given = block.extra?.responses?.['detail'] ?? block.extra?.chat?.['detail'];
  const image = { type: 'input_image', detail: DETAILS.has(given) ? given : 'auto' };
  if ('base64' in source)
    return { ...image, image_url: `data:${block.mediaType ?? 'image/png'};base64,${source.base64}` };
  const fileId = findFileId(source);
  if (fileId !== undefined) return { ...image, file_id: fileId };
  if (!('url' in source)) return refuseFeature('images by a file id of another provider', 'input');
  if (!media.imageUrl) return refuseFeature('images by URL', 'input');
  return { ...image, image_url: source.url };
}

/** Files belong to the account, so both OpenAI formats share file ids. */
function findFileId(source: MediaSource): string | undefined {
  if (!('fileId' in source)) return undefined;
  return source.format === 'responses' || source.format === 'chat' ? source.fileId : undefined;
}

function encodeAudio(block: MediaBlock, media: Dialect['media']): JsonObject {
  if (!media.audio || !('base64' in block.source)) return refuseFeature('audio', 'input');
  const format = block.mediaType?.split('/')[1] ?? 'wav';
  return { type: 'input_audio', input_audio: { data: block.source.base64, format } };
}

function encodeDocument(block: MediaBlock, media: Dialect['media']): JsonObject {
  const { source, title } = block;
  if ('text' in source || 'blocks' in source) return { type: 'input_text', text: describeDocument(block) };
  if (!media.document) return refuseFeature(`documents (${block.mediaType ?? 'by reference'})`, 'input');
  const fileId = findFileId(source);
  if (fileId !== undefined) return { type: 'input_file', file_id: fileId };
  if ('url' in source) return { type: 'input_file', file_url: source.url };
  if (!('base64' in source)) return refuseFeature('documents by a file id of another provider', 'input');
  return {
    type: 'input_file',
    filename: title ?? 'document.pdf',
    file_data: `data:${block.mediaType ?? 'application/pdf'};base64,${source.base64}`,
  };
}
