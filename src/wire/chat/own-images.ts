import type { JsonObject } from '#base';
import type { Block, MediaBlock } from '#canonical';
import type { ChatImage } from './schema.ts';
import type { Unchecked } from '../unchecked.ts';
import { isObject } from '../read-field.ts';
import { normalizeMediaType } from '../media-type.ts';

const DATA_URL = /^data:([^;,]*)(?:;[^;,]+)*?;base64,/i;

/** Decodes an entry of `message.images` or `delta.images`, where compatible providers put generated images. */
export function decodeOwnImage(value: Unchecked<ChatImage> | undefined): MediaBlock | undefined {
  const image = isObject(value) ? value.image_url : undefined;
  const url = isObject(image) ? image.url : image;
  if (typeof url !== 'string' || url === '') return undefined;
  const data = DATA_URL.exec(url);
  if (!data) return { type: 'media', kind: 'image', source: { url } };
  const source = { base64: url.slice(data[0].length) };
  return { type: 'media', kind: 'image', ...(data[1] && { mediaType: normalizeMediaType(data[1]) }), source };
}

/** Encodes an image as such an entry; undefined for other blocks. */
export function encodeOwnImage(block: Block, index: number): JsonObject | undefined {
  if (block.type !== 'media' || block.kind !== 'image') return undefined;
  const { source, mediaType = 'image/png' } = block;
  const url =
    'base64' in source
      ? `data:${mediaType};base64,${source.base64}`
      : 'url' in source
        ? source.url
        : undefined;
  return url === undefined ? undefined : { index, type: 'image_url', image_url: { url } };
}

export function encodeOwnImages(blocks: readonly Block[]): JsonObject[] {
  const images: JsonObject[] = [];
  for (const block of blocks) {
    const image = encodeOwnImage(block, images.length);
    if (image) images.push(image);
  }
  return images;
}
