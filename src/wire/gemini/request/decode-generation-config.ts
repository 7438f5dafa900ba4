import { isJsonObject } from '#base';
import type { CanonicalRequest, Effort, OutputShape, ReasoningOptions, Sampling } from '#canonical';
import { refuse } from '../../body/read-field.ts';
import { findMember } from '../members.ts';
import type { GeminiBody, GeminiGenerationConfig } from '../schema.ts';
import { upConvertSchema } from './up-convert-schema.ts';

const LEVEL_PATH = 'generationConfig.thinkingConfig.thinkingLevel';
const EFFORTS: Readonly<Record<string, Effort>> = {
  MINIMAL: 'minimal',
  LOW: 'low',
  MEDIUM: 'medium',
  HIGH: 'high',
};

/** The request options in `generationConfig`. */
type GenerationOptions = Pick<CanonicalRequest, 'stopSequences' | 'sampling' | 'choices'> &
  Partial<Pick<CanonicalRequest, 'maxOutputTokens' | 'reasoning' | 'output'>>;

export function decodeGenerationConfig(body: GeminiBody): GenerationOptions {
  const config = findMember(body, 'generationConfig') ?? {};
  const most = findMember(config, 'maxOutputTokens');
  const reasoning = readThinking(config);
  const output = readOutput(config);
  return {
    stopSequences: findMember(config, 'stopSequences') ?? [],
    sampling: readSampling(config),
    choices: findMember(config, 'candidateCount') ?? 1,
    ...(most !== undefined && { maxOutputTokens: most }),
    ...(reasoning && { reasoning }),
    ...(output && { output }),
  };
}

const SAMPLING = ['temperature', 'topP', 'topK', 'frequencyPenalty', 'presencePenalty', 'seed'] as const;

function readSampling(config: GeminiGenerationConfig): Sampling {
  const sampling: Sampling = {};
  for (const name of SAMPLING) {
    const number = findMember(config, name);
    if (number !== undefined)
      sampling[name] = name === 'topK' || name === 'seed' ? Math.round(number) : number;
  }
  return sampling;
}

/** A budget of 0 disables thinking; -1 leaves the amount to the model. */
function readThinking(config: GeminiGenerationConfig): ReasoningOptions | undefined {
  const thinking = findMember(config, 'thinkingConfig');
  if (!thinking) return undefined;
  const requested: ReasoningOptions = {};
  const budget = findMember(thinking, 'thinkingBudget');
  if (budget === 0) requested.mode = 'off';
  else if (budget === -1) requested.mode = 'adaptive';
  else if (budget !== undefined)
    Object.assign(requested, { mode: 'budget', budgetTokens: Math.round(budget) });
  const level = findMember(thinking, 'thinkingLevel');
  if (level !== undefined && level !== 'THINKING_LEVEL_UNSPECIFIED')
    requested.effort =
      EFFORTS[level.toUpperCase()] ?? refuse(LEVEL_PATH, 'must be one of MINIMAL, LOW, MEDIUM, HIGH');
  const isShown = findMember(thinking, 'includeThoughts');
  if (typeof isShown === 'boolean') requested.display = isShown ? 'summarized' : 'omitted';
  return Object.keys(requested).length > 0 ? requested : undefined;
}

/** Whether the caller requested thoughts; Google omits them by default. */
export function wantsThoughts({ reasoning }: Pick<CanonicalRequest, 'reasoning'>): boolean {
  return reasoning?.display === 'summarized';
}

function readOutput(config: GeminiGenerationConfig): OutputShape | undefined {
  const type = findMember(config, 'responseMimeType');
  if (type !== undefined && type !== 'application/json') return undefined;
  const plain = findMember(config, 'responseJsonSchema') ?? config._responseJsonSchema;
  if (isJsonObject(plain)) return { type: 'json-schema', name: 'output', schema: plain };
  const own = findMember(config, 'responseSchema');
  if (isJsonObject(own)) return { type: 'json-schema', name: 'output', schema: upConvertSchema(own) };
  return type === undefined ? undefined : { type: 'json' };
}
