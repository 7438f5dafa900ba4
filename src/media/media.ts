import type { MediaOperation } from '#catalogue';
import type { Medium } from './contract.ts';
import { embeddings } from './embeddings/index.ts';
import { images } from './images/index.ts';
import { moderations } from './moderations.ts';
import { rerank } from './rerank.ts';
import { speech } from './speech/index.ts';
import { transcriptions } from './transcriptions/index.ts';

/** The medium of each operation, at its first endpoint. */
export const MEDIA: Readonly<Record<MediaOperation, Medium>> = {
  embeddings,
  images,
  speech,
  transcriptions,
  moderations,
  rerank,
};
