import type { JsonObject } from '#base';
import type { MediaResult, Quantity } from '../contract.ts';
import { toJsonResult } from '../openai-exchange.ts';

/** What an answer is written from. */
interface Embeddings {
  model: string;
  /** As many numbers as the model has dimensions, in the order of the inputs. */
  vectors: readonly (readonly number[])[];
  encoding: 'float' | 'base64';
  told?: Quantity;
}

/** Embeddings as OpenAI's form tells them. */
export function encodeEmbeddings({ model, vectors, encoding, told }: Embeddings): MediaResult {
  const tokens = told?.usage.inputUncached ?? 0;
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
  return toJsonResult(body, told);
}

/** Little-endian 32-bit floats, as OpenAI packs them. */
function toBase64(vector: readonly number[]): string {
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, index * 4);
  return bytes.toString('base64');
}
