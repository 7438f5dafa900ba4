import { type CanonicalRequest, type Dialect, type OutputShape, isOpenaiFormat } from '#canonical';
import { instructOutput } from '../../request/instruct-output.ts';
import { isObject } from '../../body/read-field.ts';
import { meetsStrictSubset } from '../../body/strict-schema.ts';
import type { Members } from '../../body/unchecked.ts';
import type { ResponsesBody, ResponsesText, ResponsesTextFormat } from '../schema.ts';

/** How a target receives structured output options: as a field, as an instruction, or both. */
interface EncodedOutput {
  fields: Pick<Members<ResponsesBody>, 'text'>;
  instruction?: string;
}

export function encodeOutput(request: CanonicalRequest, dialect: Dialect): EncodedOutput {
  const { output, extra } = request;
  const text = encodeVerbosity(extra);
  const own = text ? { text } : {};
  if (!output) return { fields: own };
  const isOpenai = isOpenaiFormat(request.origin.format);
  switch (dialect.structuredOutput) {
    case 'json-schema':
      if (output.type === 'json-schema')
        return { fields: { text: { ...text, format: encodeSchema(output, isOpenai) } } };
      break;
    case 'json':
      break;
    case 'none':
      return { fields: own, instruction: instructOutput(output) };
  }
  const asObject: EncodedOutput = { fields: { text: { ...text, format: { type: 'json_object' } } } };
  // JSON mode requires the word JSON in the prompt; callers of the OpenAI formats are expected to have included it.
  return output.type === 'json' && isOpenai ? asObject : { ...asObject, instruction: instructOutput(output) };
}

function encodeVerbosity({ responses, chat }: NonNullable<CanonicalRequest['extra']> = {}):
  | Members<ResponsesText>
  | undefined {
  const body: Members<ResponsesBody> = responses ?? {};
  const { verbosity }: Members<ResponsesText> = isObject(body.text) ? body.text : (chat ?? {});
  return typeof verbosity === 'string' ? { verbosity } : undefined;
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
