export {
  type Estimate,
  type EventReading,
  type FormFile,
  type MediaExchange,
  type MediaInput,
  type MediaResult,
  type MediaTask,
  type Medium,
  type Quantity,
  type WholeAnswer,
  isFailure,
} from './contract.ts';
export { embeddings, embeddingsRequestSchema, embeddingsResponseSchema } from './embeddings/index.ts';
export {
  imageEdits,
  imageEditsRequestSchema,
  images,
  imagesRequestSchema,
  imagesResponseSchema,
} from './images/index.ts';
export { moderations, moderationsRequestSchema, moderationsResponseSchema } from './moderations.ts';
export { findPlace } from './protocol.ts';
export { rerank, rerankRequestSchema, rerankResponseSchema } from './rerank.ts';
export { speech, speechRequestSchema } from './speech/index.ts';
export { measureAudio } from './transcriptions/audio-length.ts';
export {
  transcriptions,
  transcriptionsRequestSchema,
  transcriptionsResponseSchema,
} from './transcriptions/index.ts';
export { listAccountObjects } from './references.ts';
