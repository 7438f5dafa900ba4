import type { CanonicalRequest } from '#canonical';
import { NO_BLANKS, acceptedStops, clampOutput, encodeSampling } from '../../request/clamp-options.ts';
import { listInstructions } from '../../request/instructions.ts';
import { type CacheableEntry, limitCacheMarks, setCacheMarks, writeEntries } from './cache-marks.ts';
import { instructOutput } from '../../request/instruct-output.ts';
import { addBlock } from './encode-blocks.ts';
import type { EncodeContext } from './encode-context.ts';
import { encodeReasoning } from './encode-reasoning.ts';
import { encodeToolChoice, encodeTools, mustForbidTools } from './encode-tools.ts';
import { encodeTurns } from './encode-turns.ts';
import type { Members } from '../../body/unchecked.ts';
import type { ConverseBody, ConverseInference, ConverseJsonSchema, ConverseModelFields } from '../schema.ts';

export function encodeRequest(context: EncodeContext): Members<ConverseBody> {
  const { request, target } = context;
  const maxTokens = clampOutput(request, target);
  const reasoning = encodeReasoning(request, target, maxTokens);
  const tools = encodeTools(context);
  const system = encodeSystem(context, mustForbidTools(context, tools));
  const messages = encodeTurns(request.turns, context, target.dialect.prefill && !reasoning.isThinking);
  setCacheMarks({ system, messages }, target.marks);
  const marked = [...tools, ...system, ...messages.flatMap(({ content }) => content)];
  if (target.dialect.cacheMarks === 'cachePoint') limitCacheMarks(marked);
  else for (const entry of marked) delete entry.mark;
  const choice = encodeToolChoice(context, reasoning.isThinking);
  // Claude refuses sampling parameters while thinking.
  const sampling = reasoning.isThinking ? {} : request.sampling;
  const config = encodeInference(context, maxTokens, sampling);
  const fields: Members<ConverseModelFields> = {
    ...reasoning.fields,
    ...encodeSampling(sampling, target.dialect, { topK: 'top_k' }),
  };
  return {
    ...(system.length > 0 && { system: writeEntries(system) }),
    messages: messages.map(({ role, content }) => ({ role, content: writeEntries(content) })),
    ...(tools.length > 0 && {
      toolConfig: { tools: writeEntries(tools), ...(choice && { toolChoice: choice }) },
    }),
    ...(Object.keys(config).length > 0 && { inferenceConfig: config }),
    ...(Object.keys(fields).length > 0 && { additionalModelRequestFields: fields }),
    ...encodeOutput(context),
  };
}

function encodeSystem(context: EncodeContext, mustForbid: boolean): CacheableEntry[] {
  const system: CacheableEntry[] = [];
  for (const text of listInstructions(context.request.system)) addBlock(system, text, context);
  const { output } = context.request;
  const isInstructed = output?.type === 'json' || context.dialect.structuredOutput !== 'json-schema';
  if (output && isInstructed) system.push({ block: { text: instructOutput(output) } });
  if (mustForbid) system.push({ block: { text: 'Do not call any tool in your next answer.' } });
  return system;
}

function encodeOutput({ request: { output }, target: { dialect } }: EncodeContext): Members<ConverseBody> {
  if (output?.type !== 'json-schema' || dialect.structuredOutput !== 'json-schema') return {};
  const { name, description } = output;
  const jsonSchema: Members<ConverseJsonSchema> = {
    schema: JSON.stringify(output.schema),
    name,
    ...(description !== undefined && { description }),
  };
  return { outputConfig: { textFormat: { type: 'json_schema', structure: { jsonSchema } } } };
}

/** All models refuse blank stop sequences. */
function encodeInference(
  { request, dialect }: EncodeContext,
  maxTokens: number | undefined,
  sampling: CanonicalRequest['sampling'],
): Members<ConverseInference> {
  const stops = acceptedStops(request, dialect, NO_BLANKS);
  return {
    ...(maxTokens !== undefined && { maxTokens }),
    ...encodeSampling(sampling, dialect, { temperature: 'temperature', topP: 'topP' }),
    ...(stops.length > 0 && { stopSequences: stops }),
  };
}
