import { type Usage, createUsage, inputTokensOf, isBelievable, outputTokensOf, toCount } from '#canonical';
import { isObject, itemsOf } from '../../body/read-field.ts';
import type { Members, Unchecked } from '../../body/unchecked.ts';
import type { GeminiTokenDetails, GeminiUsage } from './answer-schema.ts';

type RawUsage = Members<GeminiUsage>;

const COUNTS: ReadonlySet<string> = new Set<keyof GeminiUsage | '__proto__'>([
  'promptTokenCount',
  'cachedContentTokenCount',
  'candidatesTokenCount',
  'thoughtsTokenCount',
  'toolUsePromptTokenCount',
  'totalTokenCount',
  'promptTokensDetails',
  '__proto__',
]);

/**
 * Counts as disjoint parts: the prompt includes cached tokens; thoughts and the input of Google's tools are added.
 * Nothing if no count is reported or one is implausible.
 */
export function decodeUsage(raw: RawUsage): Usage | undefined {
  if (!isBelievable(raw)) return undefined;
  if (raw.promptTokenCount === undefined && raw.totalTokenCount === undefined) return undefined;
  const prompt = toCount(raw.promptTokenCount);
  const cached = Math.min(prompt, toCount(raw.cachedContentTokenCount));
  const thoughts = toCount(raw.thoughtsTokenCount);
  const toolUse = toCount(raw.toolUsePromptTokenCount);
  const rest = toCount(raw.totalTokenCount) - prompt - thoughts - toolUse;
  const candidates =
    raw.candidatesTokenCount === undefined ? Math.max(0, rest) : toCount(raw.candidatesTokenCount);
  const reported = count(raw.promptTokensDetails, 'AUDIO') - count(raw.cacheTokensDetails, 'AUDIO');
  const inputAudio = Math.min(prompt - cached, Math.max(0, reported));
  const outputAudio = Math.min(candidates, count(raw.candidatesTokensDetails, 'AUDIO'));
  const outputImage = Math.min(candidates - outputAudio, count(raw.candidatesTokensDetails, 'IMAGE'));
  return createUsage({
    inputUncached: prompt - cached - inputAudio + toolUse,
    inputCacheRead: cached,
    inputAudio,
    outputText: candidates - outputAudio - outputImage,
    outputReasoning: thoughts,
    outputAudio,
    outputImage,
  });
}

function count(details: Unchecked<GeminiTokenDetails> | undefined, modality: 'AUDIO' | 'IMAGE'): number {
  let tokens = 0;
  for (const detail of itemsOf(details)) {
    if (isObject(detail) && detail.modality === modality) tokens += toCount(detail.tokenCount);
  }
  return tokens;
}

/** Members of `usageMetadata` other than token counts (`trafficType`), if any. */
export function findUsageLeftovers(raw: RawUsage): RawUsage | undefined {
  const leftovers = Object.entries(raw).filter(([name]) => !COUNTS.has(name));
  return leftovers.length > 0 ? Object.fromEntries(leftovers) : undefined;
}

export function encodeUsage(usage: Usage, leftovers: RawUsage = {}): RawUsage {
  const prompt = inputTokensOf(usage);
  const { outputText, outputAudio, outputImage } = usage;
  return {
    ...leftovers,
    promptTokenCount: prompt,
    candidatesTokenCount: outputText + outputAudio + outputImage,
    totalTokenCount: prompt + outputTokensOf(usage),
    ...(usage.inputCacheRead > 0 && { cachedContentTokenCount: usage.inputCacheRead }),
    ...(usage.outputReasoning > 0 && { thoughtsTokenCount: usage.outputReasoning }),
    promptTokensDetails: encodeDetails({ text: prompt - usage.inputAudio, audio: usage.inputAudio }),
    ...(outputAudio + outputImage > 0 && {
      candidatesTokensDetails: encodeDetails({ text: outputText, audio: outputAudio, image: outputImage }),
    }),
  };
}

function encodeDetails({
  text,
  audio,
  image = 0,
}: Record<'text' | 'audio', number> & { image?: number }): Members<
  NonNullable<GeminiTokenDetails>[number]
>[] {
  return [
    { modality: 'TEXT', tokenCount: text },
    ...(audio > 0 ? [{ modality: 'AUDIO', tokenCount: audio }] : []),
    ...(image > 0 ? [{ modality: 'IMAGE', tokenCount: image }] : []),
  ];
}
