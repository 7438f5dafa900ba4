import type { Mapping } from '#catalogue';
import type { JsonObject, JsonValue } from '#base';
import type { MediaExchange } from '../contract.ts';
import type { EmbeddingsRequest } from './request.ts';
import { isJsonObject } from '#base';
import { refuseUnsupported } from '#wire';
import { decodeGeminiFailure } from '../google-exchange.ts';
import { createGarbled, decodingJson } from '../openai-exchange.ts';
import { encodeEmbeddings } from './answer.ts';
import { listInputs } from './request.ts';

/** `batchEmbedContents`, which reports no usage. */
export function openGoogleExchange(request: EmbeddingsRequest, { externalId }: Mapping): MediaExchange {
  const { dimensions, input_type: taskType } = request;
  const requests = listInputs(request).map((input, index): JsonObject => {
    if (typeof input !== 'string')
      return refuseUnsupported(`input[${index}]`, 'this model accepts texts, not tokens');
    return {
      model: `models/${externalId}`,
      content: { parts: [{ text: input }] },
      ...(dimensions !== undefined && { outputDimensionality: dimensions }),
      ...(taskType !== undefined && { taskType: taskType.toUpperCase() }),
    };
  });
  const { model, encoding_format: encoding = 'float' } = request;
  return {
    path: `/models/${encodeURIComponent(externalId)}:batchEmbedContents`,
    headers: {},
    body: { requests },
    decodeFailure: decodeGeminiFailure,
    answer: decodingJson((body) => {
      const { embeddings } = body;
      const vectors = Array.isArray(embeddings) ? embeddings.map(readVector) : [];
      return vectors.length === requests.length && vectors.every((vector) => vector !== undefined)
        ? encodeEmbeddings({ model, encoding, vectors })
        : createGarbled({ bytes: Buffer.from(JSON.stringify(body)) });
    }),
  };
}

function readVector(value: JsonValue): number[] | undefined {
  const values = isJsonObject(value) ? value['values'] : undefined;
  return Array.isArray(values) && values.every((item) => typeof item === 'number') ? values : undefined;
}
