import type { Catalogue } from '#catalogue';

/** Which requests an experiment or a mirror is for. */
interface Selection {
  model?: string;
  projects?: readonly string[];
}

interface RequestedModel {
  catalogue: Pick<Catalogue, 'names'>;
  /** The id of the requested model. */
  modelId: string;
  projectId: string | undefined;
}

/** The first selection that a request is part of. */
export function findSelection<S extends Selection>(
  selections: readonly S[],
  { catalogue, modelId, projectId }: RequestedModel,
): S | undefined {
  return selections.find(
    ({ model, projects }) =>
      (projects?.includes(projectId ?? '') ?? true) &&
      (model === undefined || catalogue.names.get(model.toLowerCase()) === modelId),
  );
}
