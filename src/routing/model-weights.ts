import type { ProviderWeights } from './arrange.ts';

/** Weights of providers by the id of a model. */
export type ModelWeights = ReadonlyMap<string, ProviderWeights>;
