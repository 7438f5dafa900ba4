import type { CanonicalRequest, OutputShape, Sampling, Target } from '#canonical';
import { ANY_TEXT, acceptedStops, clampOutput, encodeSampling } from '../../request/clamp-options.ts';
import { instructOutput } from '../../request/instruct-output.ts';
import type { GeminiGenerationConfig } from '../schema.ts';
import type { Members } from '../../body/unchecked.ts';
import { isArray } from '../../body/read-field.ts';
import { encodeReasoning } from './encode-reasoning.ts';

type Config = Members<GeminiGenerationConfig>;

const JSON_TYPE = 'application/json';
const SAMPLING = {
  temperature: 'temperature',
  topP: 'topP',
  topK: 'topK',
  frequencyPenalty: 'frequencyPenalty',
  presencePenalty: 'presencePenalty',
} as const satisfies Partial<Record<keyof Sampling, keyof Config>>;

/** Encodes limits, sampling, structured output and thinking of another format's request as `generationConfig`. */
export function encodeGenerationConfig(request: CanonicalRequest, target: Target): Config {
  const { dialect } = target;
  const config: Config = {};
  const most = clampOutput(request, target);
  if (most !== undefined) config.maxOutputTokens = most;
  const stop = acceptedStops(request, dialect, ANY_TEXT);
  if (stop.length > 0) config.stopSequences = stop;
  Object.assign(config, encodeSampling(request.sampling, dialect, SAMPLING));
  // Google refuses seeds of more than 32 bits; the lower bits alone are as repeatable.
  if (request.sampling.seed !== undefined) config.seed = request.sampling.seed | 0;
  Object.assign(config, encodeOutput(request.output, target));
  const thinking = request.reasoning && encodeReasoning(request.reasoning, target);
  if (thinking && Object.keys(thinking).length > 0) config.thinkingConfig = thinking;
  const { modalities }: Members<{ modalities: string[] }> = request.extra?.chat ?? {};
  // Text alone is the default; image models also return images by default.
  if (isArray(modalities) && modalities.includes('image'))
    config.responseModalities = modalities
      .filter((word) => typeof word === 'string')
      .map((word) => word.toUpperCase());
  return config;
}

function encodeOutput(output: OutputShape | undefined, { dialect }: Target): Config {
  if (!output || dialect.structuredOutput === 'none') return {};
  const hasSchema = output.type === 'json-schema' && dialect.structuredOutput === 'json-schema';
  return { responseMimeType: JSON_TYPE, ...(hasSchema && { responseJsonSchema: output.schema }) };
}

/** An instruction for the output shape, where the model has no field for it. */
export function findInstruction(output: OutputShape | undefined, { dialect }: Target): string | undefined {
  const { structuredOutput } = dialect;
  if (!output || structuredOutput === 'json-schema') return undefined;
  return output.type === 'json' && structuredOutput === 'json' ? undefined : instructOutput(output);
}
