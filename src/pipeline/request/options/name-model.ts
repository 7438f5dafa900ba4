import type { JsonObject } from '#base';

/** A body with its model: the one of the address, as at Azure, or the first of `models`, as at OpenRouter. */
export function nameModel(body: JsonObject, addressed: string | undefined): JsonObject {
  if (addressed !== undefined) return body['model'] === addressed ? body : { ...body, model: addressed };
  const { models } = body;
  if ((body['model'] ?? null) !== null || !Array.isArray(models)) return body;
  const [model, ...rest] = models;
  return model === undefined ? body : { ...body, model, models: rest.length > 0 ? rest : null };
}
