import type { Mapping } from '#catalogue';
import type { JsonObject } from '#base';
import type { MediaExchange } from '../contract.ts';
import type { EmbeddingsRequest } from './request.ts';
import { isJsonObject } from '#base';
import { refuseUnsupported } from '#wire';
import { readBilledTokens } from '../cohere-units.ts';
import { createGarbled, decodeFailure, decodingJson } from '../openai-exchange.ts';
import { encodeEmbeddings } from './answer.ts';
import { listInputs } from './request.ts';

/** Texts are documents unless the caller sets another type. */
const USUAL_TYPE = 'search_document';

/** Cohere's `v2/embed`. */
export function openCohereExchange(request: EmbeddingsRequest, { externalId }: Mapping): MediaExchange {
  const texts = listInputs(request);
  const tokens = texts.findIndex((input) => typeof input !== 'string');
  if (tokens !== -1) refuseUnsupported(`input[${tokens}]`, 'this model accepts texts, not tokens');
  const { model, dimensions, input_type: inputType, encoding_format: encoding = 'float' } = request;
  return {
    path: '/embed',
    headers: {},
    body: {
      model: externalId,
      texts,
      input_type: inputType ?? USUAL_TYPE,
      embedding_types: ['float'],
      ...(dimensions !== undefined && { output_dimension: dimensions }),
    },
    decodeFailure,
    answer: decodingJson((body) => {
      const vectors = readVectors(body);
      if (vectors?.length !== texts.length)
        return createGarbled({ bytes: Buffer.from(JSON.stringify(body)) });
      const reported = readBilledTokens(body);
      return encodeEmbeddings({ model, encoding, vectors, ...(reported && { reported }) });
    }),
  };
}

function readVectors({ embeddings }: JsonObject): number[][] | undefined {
  const vectors = isJsonObject(embeddings) ? embeddings['float'] : undefined;
  return Array.isArray(vectors) && vectors.every((one) => Array.isArray(one))
    ? (vectors as number[][])
    : undefined;
}
