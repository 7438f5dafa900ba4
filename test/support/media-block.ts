import type { MediaBlock } from '#canonical';

/** An image, a sound or a document of a request. */
export const createMedia = (
  kind: MediaBlock['kind'],
  source: MediaBlock['source'],
  more: Partial<MediaBlock> = {},
): MediaBlock => ({ type: 'media', kind, source, ...more });
