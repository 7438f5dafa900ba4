import { type Dialect, type MediaBlock, type MediaSource, isOpenaiFormat } from '#canonical';
import { encodeDataUrl } from '../../media/data-url.ts';
import { describeDocument } from '../../media/document-text.ts';
import { encodeAudio } from '../../media/openai-audio.ts';
import { refuseFeature } from '../../errors/refuse-feature.ts';
import type { Members } from '../../body/unchecked.ts';
import type { ResponsesImagePart, ResponsesPart } from '../item-schema.ts';

type Part = Members<ResponsesPart>;

const DETAILS = ['low', 'high', 'auto', 'original'] as const;

/** Encodes an image, audio or document as an input part; throws if the target does not support it. */
export function encodeMedia(block: MediaBlock, media: Dialect['media']): Part {
  switch (block.kind) {
    case 'image':
      return encodeImage(block, media);
    case 'audio':
      return encodeAudio(block, media, 'input');
    case 'document':
      return encodeDocument(block, media);
  }
}

function encodeImage(block: MediaBlock, media: Dialect['media']): Part {
  if (!media.image) return refuseFeature('images', 'input');
  const { source, mediaType = 'image/png' } = block;
  const image: Part = { type: 'input_image', detail: findDetail(block) };
  const fileId = findFileId(source);
  if ('base64' in source) image.image_url = encodeDataUrl(source.base64, mediaType);
  else if (fileId !== undefined) image.file_id = fileId;
  else if (!('url' in source)) return refuseFeature('images by a file id of another provider', 'input');
  else if (!media.imageUrl) return refuseFeature('images by URL', 'input');
  else image.image_url = source.url;
  return image;
}

function findDetail({ extra }: MediaBlock): NonNullable<ResponsesImagePart['detail']> {
  const own: Part | undefined = extra?.responses;
  const chat: Part | undefined = extra?.chat;
  return DETAILS.find((word) => word === (own?.detail ?? chat?.detail)) ?? 'auto';
}

/** Files belong to the account, so both OpenAI formats share file ids. */
function findFileId(source: MediaSource): string | undefined {
  if (!('fileId' in source)) return undefined;
  return isOpenaiFormat(source.format) ? source.fileId : undefined;
}

function encodeDocument(block: MediaBlock, media: Dialect['media']): Part {
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
    file_data: encodeDataUrl(source.base64, block.mediaType ?? 'application/pdf'),
  };
}
