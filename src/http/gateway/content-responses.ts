import type { ResponseSpec } from '../endpoint.ts';
import { Type } from 'typebox';

const bytes = { schema: Type.String({ format: 'binary' }), contentType: 'video/mp4' };

/** Responses of endpoints that read the content of a video. */
export const CONTENT_RESPONSES: Readonly<Record<number, ResponseSpec>> = {
  200: { description: 'The bytes of the video.', ...bytes },
  206: { description: 'The requested range.', ...bytes },
  304: { description: 'The video has not changed since the given ETag or time.' },
};

export const CONTENT_REFUSALS = [401, 403, 404, 409, 410, 416, 429, 500, 502, 503, 504];
