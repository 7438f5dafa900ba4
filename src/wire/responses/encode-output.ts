import { type JsonObject, isJsonObject } from '#base';
import type { CanonicalRequest, Dialect, OutputShape } from '#canonical';
import { instructOutput } from '../instruct-output.ts';
import { meetsStrictSubset } from '../strict-schema.ts';

/** How a target receives structured output options: in the `text` field, as an instruction, or both. */
interface EncodedOutput {
  text: JsonObject;
  instruction?: string;
}

export function encodeOutput(request: CanonicalRequest, dialect: Dialect): EncodedOutput {
  const { output, extra } = request;
  const text = encodeVerbosity(extra);
  if (!output) return { text };
  const isPresent = request.origin.format === 'chat' || request.origin.format === 'responses';
  switch (dialect.structuredOutput) {
    case 'json-schema':
      if (output.type === 'json-schema')
        return { text: { ...text, format: encodeSchema(output, isPresent) } };
      break;
    case 'json':
      break;
    case 'none':
      return { text, instruction: instructOutput(output) };
  }
  const asObject = { text: { ...text, format: { type: 'json_object' } } };
  // JSON mode requires the word JSON in the prompt; callers of the OpenAI formats are expected to have included it.
  return output.type === 'json' && isPresent
    ? asObject
    : { ...asObject, instruction: instructOutput(output) };
}

function encodeVerbosity(extra: CanonicalRequest['extra']): JsonObject {
  const own = extra?.responses?.['text'];
  const verbosity = isJsonObject(own) ? own['verbosity'] : extra?.chat?.['verbosity'];
  return typeof verbosity === 'string' ? { verbosity } : {};
}

function encodeSchema(output: OutputShape & { type: 'json-schema' }, isOpenAi: boolean): JsonObject {
  const { name, schema, description } = output;
  const isStrict = isOpenAi ? output.strict : meetsStrictSubset(schema);
  return {
    type: 'json_schema',
    name: name === '' ? 'output' : name,
    ...(description !== undefined && { description }),
    schema,
    ...(isStrict !== undefined && { strict: isStrict }),
  };
}
