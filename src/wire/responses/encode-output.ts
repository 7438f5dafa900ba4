import { type CanonicalRequest, type Dialect, type OutputShape, isOpenaiFormat } from '#canonical';
import { instructOutput } from '../request/instruct-output.ts';
import { isObject } from '../body/read-field.ts';
import { meetsStrictSubset } from '../body/strict-schema.ts';
import type { Members } from '../body/unchecked.ts';
import type { ResponsesBody, ResponsesText, ResponsesTextFormat } from './schema.ts';

/** How a target receives structured output options: in the `text` field, as an instruction, or both. */
interface EncodedOutput {
  text: Members<ResponsesText>;
  instruction?: string;
}

export function encodeOutput(request: CanonicalRequest, dialect: Dialect): EncodedOutput {
  const { output, extra } = request;
  const text = encodeVerbosity(extra);
  if (!output) return { text };
  const isOpenai = isOpenaiFormat(request.origin.format);
  switch (dialect.structuredOutput) {
    case 'json-schema':
      if (output.type === 'json-schema') return { text: { ...text, format: encodeSchema(output, isOpenai) } };
      break;
    case 'json':
      break;
    case 'none':
      return { text, instruction: instructOutput(output) };
  }
  const asObject: EncodedOutput = { text: { ...text, format: { type: 'json_object' } } };
  // JSON mode requires the word JSON in the prompt; callers of the OpenAI formats are expected to have included it.
  return output.type === 'json' && isOpenai ? asObject : { ...asObject, instruction: instructOutput(output) };
}

function encodeVerbosity({
  responses,
  chat,
}: NonNullable<CanonicalRequest['extra']> = {}): Members<ResponsesText> {
  const own: Members<ResponsesBody> = responses ?? {};
  const { verbosity }: Members<ResponsesText> = isObject(own.text) ? own.text : (chat ?? {});
  return typeof verbosity === 'string' ? { verbosity } : {};
}

type SchemaShape = OutputShape & { type: 'json-schema' };

function encodeSchema(output: SchemaShape, isOpenai: boolean): Members<ResponsesTextFormat> {
  const { name, schema, description } = output;
  const isStrict = isOpenai ? output.strict : meetsStrictSubset(schema);
  const format: Members<ResponsesTextFormat> = { type: 'json_schema', name: name === '' ? 'output' : name };
  if (description !== undefined) format.description = description;
  format.schema = schema;
  if (isStrict !== undefined) format.strict = isStrict;
  return format;
}
