import { type CanonicalRequest, type Dialect, type OutputShape, isOpenaiFormat } from '#canonical';
import type { ChatBody, ChatJsonSchema, ChatResponseFormat } from '../schema.ts';
import type { Members } from '../../body/unchecked.ts';
import { isPresent } from '../../body/read-field.ts';
import { instructOutput } from '../../request/instruct-output.ts';
import { meetsStrictSubset } from '../../body/strict-schema.ts';

/** How a target receives structured output options: as a field, as an instruction, or both. */
interface EncodedOutput {
  fields: Pick<Members<ChatBody>, 'response_format'>;
  instruction?: string;
}

export function encodeOutput(request: CanonicalRequest, dialect: Dialect): EncodedOutput {
  const { output, origin } = request;
  if (!output) {
    const { response_format: own }: Members<ChatBody> = origin.format === 'chat' ? origin.body : {};
    return { fields: isPresent(own) && dialect.structuredOutput !== 'none' ? { response_format: own } : {} };
  }
  const jsonObject: Members<ChatBody> = { response_format: { type: 'json_object' } };
  switch (dialect.structuredOutput) {
    case 'json-schema':
      return {
        fields: output.type === 'json' ? jsonObject : { response_format: encodeSchema(output, request) },
      };
    case 'json':
      // JSON mode requires the word JSON in the prompt; a Chat caller is expected to have included it.
      if (output.type === 'json' && origin.format === 'chat') return { fields: jsonObject };
      return { fields: jsonObject, instruction: instructOutput(output) };
    case 'none':
      return { fields: {}, instruction: instructOutput(output) };
  }
}

function encodeSchema(
  output: OutputShape & { type: 'json-schema' },
  request: CanonicalRequest,
): Members<ChatResponseFormat> {
  const { name, schema, description } = output;
  // Callers of OpenAI's formats set `strict` themselves; for others it follows from the schema.
  const isSet = isOpenaiFormat(request.origin.format);
  const strict = isSet ? output.strict : meetsStrictSubset(schema) ? true : undefined;
  const encoded: Members<ChatJsonSchema> = { name: name === '' ? 'output' : name };
  if (description !== undefined) encoded.description = description;
  encoded.schema = schema;
  if (strict !== undefined) encoded.strict = strict;
  return { type: 'json_schema', json_schema: encoded };
}
