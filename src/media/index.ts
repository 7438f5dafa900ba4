export {
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
export { moderations, moderationsRequestSchema, moderationsResponseSchema } from './moderations/index.ts';
export { findPlace } from './protocol.ts';
export { rerank, rerankRequestSchema, rerankResponseSchema } from './rerank/index.ts';
