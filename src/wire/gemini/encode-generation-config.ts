import type { CanonicalRequest, OutputShape, Sampling, Target } from '#canonical';
import { instructOutput } from '../request/instruct-output.ts';
import type { GeminiGenerationConfig } from './schema.ts';
import type { Members } from '../body/unchecked.ts';
import { isArray } from '../body/read-field.ts';
import { encodeReasoning } from './encode-reasoning.ts';

type Config = Members<GeminiGenerationConfig>;

const JSON_TYPE = 'application/json';

/** Encodes limits, sampling, structured output and thinking of another format's request as `generationConfig`. */
export function encodeGenerationConfig(request: CanonicalRequest, target: Target): Config {
  const { maxOutput, dialect } = target;
  const config: Config = {};
  if (request.maxOutputTokens !== undefined) {
    const most = Math.min(request.maxOutputTokens, maxOutput ?? request.maxOutputTokens);
    config.maxOutputTokens = Math.max(1, most); // Anthropic accepts 0 to warm a cache; the minimum here is 1
  }
  const stop = request.stopSequences.filter((text) => text !== '').slice(0, dialect.maxStopSequences);
  if (stop.length > 0) config.stopSequences = stop;
  Object.assign(config, encodeSampling(request, target), encodeOutput(request.output, target));
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

function encodeSampling({ sampling }: CanonicalRequest, { dialect }: Target): Config {
  const { temperature, topP, topK, frequencyPenalty, presencePenalty, seed } = sampling;
  const canSample = dialect.sampling !== 'none';
  const canPenalize = dialect.sampling === 'full';
  const fields: Config = {};
  const put = (name: keyof Config & keyof Sampling, value: number | undefined, isTaken: boolean): void => {
    if (value !== undefined && isTaken) fields[name] = value;
  };
  const bounded = temperature === undefined ? undefined : Math.min(temperature, dialect.maxTemperature);
  put('temperature', bounded, canSample);
  put('topP', topP, canSample);
  put('topK', topK, canSample && dialect.topK);
  put('frequencyPenalty', frequencyPenalty, canPenalize);
  put('presencePenalty', presencePenalty, canPenalize);
  // Google refuses a seed of more than 32 bits; of a longer one the lower bits are as repeatable.
  put('seed', seed === undefined ? undefined : seed | 0, true);
  return fields;
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
