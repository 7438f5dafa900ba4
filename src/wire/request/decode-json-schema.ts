import type { JsonObject } from '#base';
import type { OutputShape } from '#canonical';

/** A JSON schema for the answer, as both formats of OpenAI send it. */
interface JsonSchemaFormat {
  name: string;
  schema?: JsonObject | null | undefined;
  strict?: unknown;
  description?: unknown;
}

export function decodeJsonSchema({ name, schema, strict, description }: JsonSchemaFormat): OutputShape {
  const shape: OutputShape & { type: 'json-schema' } = { type: 'json-schema', name, schema: schema ?? {} };
  if (typeof strict === 'boolean') shape.strict = strict;
  if (typeof description === 'string') shape.description = description;
  return shape;
}
