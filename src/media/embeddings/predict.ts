import type { Mapping } from '#catalogue';
import type { JsonObject, JsonValue } from '#base';
import type { MediaExchange } from '../contract.ts';
import type { EmbeddingsRequest } from './request.ts';
import { isJsonObject } from '#base';
import { isBelievable, toCount } from '#canonical';
import { refuseUnsupported } from '#wire';
import { decodeGeminiFailure } from '../google-exchange.ts';
import { createGarbled, decodingJson } from '../openai-exchange.ts';
import { createQuantity } from '../quantity.ts';
import { encodeEmbeddings } from './answer.ts';
import { listInputs } from './request.ts';

/** Vertex's `predict`, which counts the tokens of each text. Google's newer models accept one text at a time there. */
export function openPredictExchange(request: EmbeddingsRequest, { externalId }: Mapping): MediaExchange {
  const { dimensions, input_type: taskType, model, encoding_format: encoding = 'float' } = request;
  const [input, ...others] = listInputs(request);
  if (others.length > 0) return refuseUnsupported('input', 'this model accepts one text at a time');
  if (typeof input !== 'string') return refuseUnsupported('input', 'this model accepts texts, not tokens');
  const parameters = { ...(dimensions !== undefined && { outputDimensionality: dimensions }) };
  const instance = { content: input, ...(taskType !== undefined && { task_type: taskType.toUpperCase() }) };
  return {
    path: `/models/${encodeURIComponent(externalId)}:predict`,
    headers: {},
    body: { instances: [instance], parameters },
    decodeFailure: decodeGeminiFailure,
    answer: decodingJson((body) => {
      const { predictions } = body;
      const [found] = Array.isArray(predictions) ? predictions.map(readPrediction) : [];
      if (!found) return createGarbled({ bytes: Buffer.from(JSON.stringify(body)) });
      const { values, tokens } = found;
      const reported = tokens > 0 ? { reported: createQuantity({ inputUncached: tokens }) } : {};
      return encodeEmbeddings({ model, encoding, vectors: [values], ...reported });
    }),
  };
}

function readPrediction(prediction: JsonValue): { values: number[]; tokens: number } | undefined {
  const embedding = isJsonObject(prediction) ? prediction['embeddings'] : undefined;
  if (!isJsonObject(embedding) || !Array.isArray(embedding['values'])) return undefined;
  const values = embedding['values'].filter((item) => typeof item === 'number');
  const statistics: JsonObject = isJsonObject(embedding['statistics']) ? embedding['statistics'] : {};
  return values.length > 0 && values.length === embedding['values'].length
    ? { values, tokens: isBelievable(statistics) ? toCount(statistics['token_count']) : 0 }
    : undefined;
}
