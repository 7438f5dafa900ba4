import { type JsonObject, isJsonObject } from '#base';

/** Leaves of `metadata` only the texts that OpenAI takes: LiteLLM's clients send lists and objects to their gateway. */
export function keepLabels(extra: JsonObject): void {
  const { metadata } = extra;
  if (!isJsonObject(metadata)) return;
  const labels = Object.entries(metadata).filter(([, value]) => typeof value === 'string');
  if (labels.length > 0) extra['metadata'] = Object.fromEntries(labels);
  else delete extra['metadata'];
}
