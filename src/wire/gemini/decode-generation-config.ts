import { isJsonObject } from '#base';
import type { CanonicalRequest, Effort, OutputShape, ReasoningOptions, Sampling } from '#canonical';
import { readMember, refuse, requireArray, requireNumber, requireObject, requireString } from './checks.ts';
import { findMember } from './members.ts';
import { upConvertSchema } from './up-convert-schema.ts';
import type { GeminiBody, GeminiGenerationConfig } from './schema.ts';
import type { Members } from '../unchecked.ts';

const PATH = 'generationConfig';
const EFFORTS: Readonly<Record<string, Effort>> = {
  MINIMAL: 'minimal',
  LOW: 'low',
  MEDIUM: 'medium',
  HIGH: 'high',
};

/** The request options in `generationConfig`. */
type GenerationOptions = Pick<CanonicalRequest, 'stopSequences' | 'sampling' | 'choices'> &
  Partial<Pick<CanonicalRequest, 'maxOutputTokens' | 'reasoning' | 'output'>>;

export function decodeGenerationConfig(body: Members<GeminiBody>): GenerationOptions {
  const config = readMember(body, PATH, (value) => requireObject(value, PATH)) ?? {};
  const most = readCount(config, 'maxOutputTokens', 1_000_000_000);
  const reasoning = readThinking(config);
  const output = readOutput(config);
  return {
    stopSequences: readStop(config),
    sampling: readSampling(config),
    choices: readCount(config, 'candidateCount', 128) ?? 1,
    ...(most !== undefined && { maxOutputTokens: most }),
    ...(reasoning && { reasoning }),
    ...(output && { output }),
  };
}

function readCount(
  config: Members<GeminiGenerationConfig>,
  name: 'maxOutputTokens' | 'candidateCount',
  most: number,
): number | undefined {
  return readMember(config, name, (value) => {
    const count = requireNumber(value, `${PATH}.${name}`, { least: 1, most });
    return Number.isSafeInteger(count) ? count : refuse(`${PATH}.${name}`, 'must be an integer');
  });
}

function readStop(config: Members<GeminiGenerationConfig>): string[] {
  const stop = readMember(config, 'stopSequences', (value) => requireArray(value, `${PATH}.stopSequences`));
  return (stop ?? []).map((text, at) => requireString(text, `${PATH}.stopSequences[${at}]`));
}

function readSampling(config: Members<GeminiGenerationConfig>): Sampling {
  const sampling: Sampling = {};
  const put = (name: keyof Sampling, least: number, most: number): void => {
    const number = readMember(config, name, (value) =>
      requireNumber(value, `${PATH}.${name}`, { least, most }),
    );
    if (number !== undefined)
      sampling[name] = name === 'topK' || name === 'seed' ? Math.round(number) : number;
  };
  put('temperature', 0, 2);
  put('topP', 0, 1);
  put('topK', 0, 1_000_000);
  put('frequencyPenalty', -2, 2);
  put('presencePenalty', -2, 2);
  put('seed', Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
  return sampling;
}

/** A budget of 0 disables thinking; -1 leaves the amount to the model. */
function readThinking(config: Members<GeminiGenerationConfig>): ReasoningOptions | undefined {
  const path = `${PATH}.thinkingConfig`;
  const thinking = readMember(config, 'thinkingConfig', (value) => requireObject(value, path));
  if (!thinking) return undefined;
  const requested: ReasoningOptions = {};
  const budget = readMember(thinking, 'thinkingBudget', (value) =>
    requireNumber(value, `${path}.thinkingBudget`, { least: -1, most: 1_000_000_000 }),
  );
  if (budget === 0) requested.mode = 'off';
  else if (budget === -1) requested.mode = 'adaptive';
  else if (budget !== undefined)
    Object.assign(requested, { mode: 'budget', budgetTokens: Math.round(budget) });
  const level = readMember(thinking, 'thinkingLevel', (value) =>
    requireString(value, `${path}.thinkingLevel`),
  );
  if (level !== undefined && level !== 'THINKING_LEVEL_UNSPECIFIED')
    requested.effort =
      EFFORTS[level.toUpperCase()] ??
      refuse(`${path}.thinkingLevel`, 'must be one of MINIMAL, LOW, MEDIUM, HIGH');
  const isShown = findMember(thinking, 'includeThoughts');
  if (typeof isShown === 'boolean') requested.display = isShown ? 'summarized' : 'omitted';
  return Object.keys(requested).length > 0 ? requested : undefined;
}

/** Whether the caller requested thoughts; Google omits them by default. */
export function wantsThoughts({ reasoning }: Pick<CanonicalRequest, 'reasoning'>): boolean {
  return reasoning?.display === 'summarized';
}

function readOutput(config: Members<GeminiGenerationConfig>): OutputShape | undefined {
  const type = readMember(config, 'responseMimeType', (value) =>
    requireString(value, `${PATH}.responseMimeType`),
  );
  if (type !== undefined && type !== 'application/json') return undefined;
  const plain = findMember(config, 'responseJsonSchema') ?? config._responseJsonSchema;
  if (isJsonObject(plain)) return { type: 'json-schema', name: 'output', schema: plain };
  const own = findMember(config, 'responseSchema');
  if (isJsonObject(own)) return { type: 'json-schema', name: 'output', schema: upConvertSchema(own) };
  return type === undefined ? undefined : { type: 'json' };
}
