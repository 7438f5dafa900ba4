import type { MappingFile, ModelFile } from '../../src/catalogue/schema/file-schema.ts';

/** A model of the catalogue with the facts that a test is not about. */
export const createModelFile = (
  id: string,
  mappings: MappingFile[],
  more: Partial<ModelFile> = {},
): ModelFile => ({
  id,
  name: id,
  family: 'alpha',
  description: id,
  created: '2026-01-01',
  tokenizer: 'Other',
  input: ['text'],
  output: ['text'],
  mappings,
  ...more,
});
