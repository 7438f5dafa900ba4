import type { JsonObject, JsonValue } from '#base';
import type { MediaResult, Quantity } from '../contract.ts';
import { isJsonObject } from '#base';
import { toJsonResult } from '../openai-exchange.ts';

/** The parts of an embeddings answer. */
interface Embeddings {
  model: string;
  /** One vector per input, in order. */
  vectors: readonly (readonly number[])[];
  encoding: 'float' | 'base64';
  reported?: Quantity;
}

/** Encodes embeddings in OpenAI's form. */
export function encodeEmbeddings({ model, vectors, encoding, reported }: Embeddings): MediaResult {
  const tokens = reported?.usage.inputUncached ?? 0;
  const body: JsonObject = {
    object: 'list',
    data: vectors.map((vector, index) => ({
      object: 'embedding',
      index,
      embedding: encoding === 'base64' ? toBase64(vector) : [...vector],
    })),
    model,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  };
  return toJsonResult(body, reported);
}

/** Little-endian 32-bit floats, as in OpenAI's encoding. */
function toBase64(vector: readonly number[]): string {
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, index * 4);
  return bytes.toString('base64');
}

/** Converts the vectors of an OpenAI answer to the requested encoding: some providers support only one. */
export function withEncoding(data: readonly JsonValue[], encoding: Embeddings['encoding']): JsonValue[] {
  return data.map((item) => {
    if (!isJsonObject(item)) return item;
    const { embedding } = item;
    if (encoding === 'base64' && isVector(embedding)) return { ...item, embedding: toBase64(embedding) };
    const vector = encoding === 'float' ? readBase64(embedding) : undefined;
    return vector ? { ...item, embedding: vector } : item;
  });
}

function isVector(value: JsonValue | undefined): value is number[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'number');
}

function readBase64(value: JsonValue | undefined): number[] | undefined {
  if (typeof value !== 'string') return undefined;
  const bytes = Buffer.from(value, 'base64');
  if (bytes.length === 0 || bytes.length % 4 !== 0) return undefined;
  const numbers: number[] = [];
  for (let at = 0; at < bytes.length; at += 4) numbers.push(bytes.readFloatLE(at));
  return numbers;
}
