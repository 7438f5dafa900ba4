import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { JsonObject } from '#base';
import { acceptsEncoding } from '../accepts-encoding.ts';
import type { Call } from '../endpoint.ts';

export const PRIVATE = { 'content-type': 'application/json', 'cache-control': 'private, no-store' };

/** A shorter text is not worth the work. */
const LEAST_LENGTH = 4_096;
/** Half the time of the usual level, for a tenth more bytes. */
const LEVEL = 3;
const compress = promisify(gzip);

/** Sends an answer; a long list is compressed in another thread, if the client accepts that. */
export async function sendRead({ reply, headers }: Call, answer: JsonObject): Promise<void> {
  const text = JSON.stringify(answer);
  const encoded = { ...PRIVATE, vary: 'accept-encoding' };
  if (text.length < LEAST_LENGTH || !acceptsEncoding(headers['accept-encoding'], 'gzip')) {
    reply.send(200, encoded, text);
    return;
  }
  reply.send(200, { ...encoded, 'content-encoding': 'gzip' }, await compress(text, { level: LEVEL }));
}
