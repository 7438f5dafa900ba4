import type { JsonObject, JsonValue } from '#base';
import { createHash } from 'node:crypto';
import { isJsonObject } from '#base';
import { GatewayError } from '#errors';

/** An image as sent. */
interface SentImage {
  mediaType: string;
  bytes: Buffer;
}

/** The first image of a video: its bytes, or a URL that the provider fetches. */
export type OrderImage = SentImage | { url: string };

/** A requested video. Absent options are the model's choice. */
export interface VideoOrder {
  model: string;
  prompt: string;
  seconds?: number;
  size?: string;
  audio?: boolean;
  image?: OrderImage;
}

const MOST_PROMPT = 32_000;
const MOST_URL = 20 * 1024 * 1024;
const FLAGS: Readonly<Record<string, boolean>> = { true: true, false: false };
const IMAGE_TYPE = /^image\/(jpeg|png|webp|bmp)$/;

/** Decodes a JSON body. Throws GatewayError naming the invalid field. */
export function decodeOrder(body: JsonObject): VideoOrder {
  const seconds = readSeconds(body['seconds']);
  const size = readSize(body['size']);
  const audio = readAudio(body['generate_audio']);
  const image = readReference(body['input_reference']);
  return {
    model: readText(body, 'model', 500),
    prompt: readText(body, 'prompt', MOST_PROMPT),
    ...(seconds !== undefined && { seconds }),
    ...(size !== undefined && { size }),
    ...(audio !== undefined && { audio }),
    ...(image && { image }),
  };
}

/** A received form: values by name, and files. */
interface SentForm {
  body: JsonObject;
  files: ReadonlyMap<string, readonly { contentType: string; bytes: Buffer }[]>;
}

/** Decodes a form, in which the image is a file. */
export function decodeForm({ body, files }: SentForm): VideoOrder {
  const audio = body['generate_audio'];
  const url = body['input_reference[image_url]'] ?? body['input_reference'];
  const order = decodeOrder({
    ...body,
    ...(typeof audio === 'string' && { generate_audio: FLAGS[audio] ?? audio }),
    input_reference: url === undefined ? null : { image_url: url },
  });
  const [file, ...others] = files.get('input_reference') ?? [];
  return file ? { ...order, image: readFile(file, others.length) } : order;
}

function readFile({ contentType, bytes }: { contentType: string; bytes: Buffer }, others: number): SentImage {
  const mediaType = contentType.toLowerCase().split(';', 1)[0]?.trim() ?? '';
  if (others > 0) throw invalid('input_reference', 'input_reference must be one file');
  if (bytes.length === 0) throw invalid('input_reference', 'input_reference is an empty file');
  if (!IMAGE_TYPE.test(mediaType))
    throw invalid('input_reference', 'input_reference must be a JPEG, PNG, WebP or BMP image');
  return { mediaType, bytes };
}

/** Equal for equal orders, however their bodies are written. */
export function digestOrder({ image, ...rest }: VideoOrder): string {
  const hash = createHash('sha256').update(
    JSON.stringify([rest.model, rest.prompt, rest.seconds, rest.size, rest.audio]),
  );
  if (image && 'bytes' in image) hash.update(image.mediaType).update(image.bytes);
  else if (image) hash.update(image.url);
  return hash.digest('hex');
}

function readText(body: JsonObject, name: string, most: number): string {
  const value = body[name];
  if (typeof value !== 'string' || value.trim() === '')
    throw invalid(name, `${name} is required and must be a text`);
  if (value.length > most) throw invalid(name, `${name} is longer than ${most} characters`);
  return value;
}

function readSeconds(value: JsonValue | undefined): number | undefined {
  if (value === undefined || value === null) return undefined;
  const seconds = typeof value === 'string' && /^\d{1,4}$/.test(value) ? Number(value) : value;
  if (typeof seconds === 'number' && Number.isInteger(seconds) && seconds > 0) return seconds;
  throw invalid('seconds', 'seconds must be a whole number, such as "8"');
}

function readSize(value: JsonValue | undefined): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string' && /^\d{2,5}x\d{2,5}$/.test(value)) return value;
  throw invalid('size', 'size must be a width and a height in pixels, such as "1280x720"');
}

function readAudio(value: JsonValue | undefined): boolean | undefined {
  if (value === undefined || value === null || typeof value === 'boolean') return value ?? undefined;
  throw invalid('generate_audio', 'generate_audio must be true or false');
}

function readReference(value: JsonValue | undefined): OrderImage | undefined {
  if (value === undefined || value === null) return undefined;
  const url = isJsonObject(value) ? value['image_url'] : undefined;
  if (typeof url !== 'string' || url.length > MOST_URL)
    throw invalid(
      'input_reference',
      'input_reference must be a file, or { "image_url": "https://… or data:…" }',
    );
  return readImageUrl(url);
}

function readImageUrl(url: string): OrderImage {
  const [, mediaType, base64] = /^data:([\w/+.-]+);base64,([A-Za-z0-9+/]+={0,2})$/.exec(url) ?? [];
  if (mediaType !== undefined && base64 !== undefined) {
    if (IMAGE_TYPE.test(mediaType)) return { mediaType, bytes: Buffer.from(base64, 'base64') };
    throw invalid('input_reference', 'input_reference must be a JPEG, PNG, WebP or BMP image');
  }
  if (URL.parse(url)?.protocol === 'https:') return { url };
  throw invalid(
    'input_reference',
    'input_reference.image_url must begin with https:// or be a data URL in base64',
  );
}

function invalid(param: string, message: string): GatewayError {
  return new GatewayError('invalid_request', message, { param });
}
