import { type JsonObject, type JsonValue, isJsonObject } from '#base';
import { type Usage, createUsage, inputTokensOf, isBelievable, outputTokensOf, toCount } from '#canonical';

/** Finds usage in an answer; providers put it in several places. */
export function findUsage(answer: JsonObject): JsonValue | undefined {
  if (isJsonObject(answer['usage'])) return answer['usage'];
  const groq = answer['x_groq'];
  if (isJsonObject(groq) && isJsonObject(groq['usage'])) return groq['usage'];
  const choices = answer['choices'];
  const first = Array.isArray(choices) ? choices[0] : undefined;
  return isJsonObject(first) ? first['usage'] : undefined; // Moonshot puts it in the choice
}

/** Decodes a usage object of any dialect into disjoint parts; undefined if counts are absent or implausible. */
export function decodeUsage(
  value: JsonValue | undefined,
  completionExcludesReasoning: boolean,
): Usage | undefined {
  if (!isJsonObject(value) || !isBelievable(value)) return undefined;
  const prompt = findNumber(value['prompt_tokens']) ?? findNumber(value['input_tokens']);
  const completion = findNumber(value['completion_tokens']) ?? findNumber(value['output_tokens']);
  const total = findNumber(value['total_tokens']);
  if (prompt === undefined && completion === undefined && total === undefined) return undefined;
  const usage = createUsage();
  readInput(value, toCount(prompt), usage);
  const whole = inputTokensOf(usage);
  const beyond = total === undefined ? undefined : toCount(total) - whole - toCount(completion);
  readOutput(value, { completion: toCount(completion), beyond, completionExcludesReasoning }, usage);
  usage.webSearches = toCount(value['num_search_queries']);
  return usage;
}

function findNumber(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function findObject(value: JsonValue | undefined): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}

const NO_DETAILS: JsonObject = {};

function readInput(value: JsonObject, prompt: number, usage: Usage): void {
  const details =
    findObject(value['prompt_tokens_details']) ?? findObject(value['input_tokens_details']) ?? NO_DETAILS;
  const cached = Math.max(
    toCount(details['cached_tokens']),
    toCount(value['cached_tokens']), // Moonshot
    toCount(value['prompt_cache_hit_tokens']), // DeepSeek
    toCount(value['cache_read_input_tokens']),
  );
  const written = Math.max(
    toCount(details['cache_write_tokens']),
    toCount(details['cache_creation_tokens']),
    toCount(value['cache_creation_input_tokens']),
  );
  const writes = findObject(details['cache_write_tokens_details']) ?? NO_DETAILS;
  const long = Math.min(written, toCount(writes['ttl_12h_tokens']));
  // Some upstreams exclude cached or written tokens from the prompt: a part larger than the prompt is not included in
  // it.
  const unread = prompt >= cached ? prompt - cached : prompt;
  const uncached = prompt >= cached && unread >= written ? unread - written : unread;
  const audio = Math.min(uncached, toCount(details['audio_tokens']));
  usage.inputUncached = uncached - audio;
  usage.inputCacheRead = cached;
  usage.inputCacheWrite5m = written - long;
  usage.inputCacheWrite1h = long;
  usage.inputAudio = audio;
}

interface OutputHints {
  completion: number;
  /** Tokens of the total in neither prompt nor completion. */
  beyond: number | undefined;
  completionExcludesReasoning: boolean;
}

function readOutput(value: JsonObject, hints: OutputHints, usage: Usage): void {
  const { completion } = hints;
  const details =
    findObject(value['completion_tokens_details']) ??
    findObject(value['output_tokens_details']) ??
    NO_DETAILS;
  const given = Math.max(toCount(details['reasoning_tokens']), toCount(value['reasoning_tokens']));
  const beyond = hints.beyond ?? 0;
  const sumsUp = hints.beyond === 0 && given <= completion;
  const isExcluded = beyond > 0 || (hints.completionExcludesReasoning && !sumsUp);
  // Gemini's compatible endpoint reports thoughts only as the difference from the total.
  const reasoning = isExcluded ? (given > 0 ? given : beyond) : Math.min(given, completion);
  const visible = isExcluded ? completion : completion - reasoning;
  const audio = Math.min(visible, toCount(details['audio_tokens']));
  const image = Math.min(visible - audio, toCount(details['image_tokens']));
  usage.outputText = visible - audio - image;
  usage.outputReasoning = toCount(reasoning); // a total that is too small makes the difference negative
  usage.outputAudio = audio;
  usage.outputImage = image;
}

const NAMED: ReadonlySet<string> = new Set([
  'prompt_tokens',
  'completion_tokens',
  'total_tokens',
  'input_tokens',
  'output_tokens',
  '__proto__',
]);
const NAMED_DETAILS: ReadonlySet<string> = new Set([
  'cached_tokens',
  'cache_write_tokens',
  'cache_creation_tokens',
  'cache_write_tokens_details',
  'audio_tokens',
  'reasoning_tokens',
  '__proto__',
]);
/** What the upstream charges the operator is not disclosed to the caller. */
const COST = /cost/;

/** Usage members other than token counts; undefined if there are none. */
export function findUsageLeftovers(value: JsonValue | undefined): JsonObject | undefined {
  if (!isJsonObject(value)) return undefined;
  let leftovers: JsonObject | undefined;
  for (const name in value) {
    if (NAMED.has(name) || COST.test(name)) continue;
    const given = name.endsWith('_details') ? findDetails(value[name]) : value[name];
    if (given === undefined) continue;
    leftovers ??= {};
    leftovers[name] = given;
  }
  return leftovers;
}

function findDetails(details: JsonValue | undefined): JsonObject | undefined {
  if (!isJsonObject(details)) return undefined;
  const kept = Object.entries(details).filter(([name]) => !NAMED_DETAILS.has(name));
  return kept.length > 0 ? Object.fromEntries(kept) : undefined;
}

/** The later of two cumulative counts, unless it is lower: a garbled repeat never reduces a count. */
export function laterUsage(earlier: Usage | undefined, later: Usage | undefined): Usage | undefined {
  if (!earlier || !later) return later ?? earlier;
  return sumOf(later) >= sumOf(earlier) ? later : earlier;
}

function sumOf(usage: Usage): number {
  return inputTokensOf(usage) + outputTokensOf(usage);
}

/** Encodes usage for Chat: the prompt includes every input part, the completion every output part. */
export function encodeUsage(usage: Usage, leftovers?: JsonValue): JsonObject {
  const prompt = inputTokensOf(usage);
  const completion = outputTokensOf(usage);
  const given = findObject(leftovers) ?? NO_DETAILS;
  const details: JsonObject = {
    reasoning_tokens: usage.outputReasoning,
    audio_tokens: usage.outputAudio,
  };
  if (usage.outputImage > 0) details['image_tokens'] = usage.outputImage;
  return {
    ...given,
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: {
      ...findObject(given['prompt_tokens_details']),
      cached_tokens: usage.inputCacheRead,
      cache_write_tokens: usage.inputCacheWrite5m + usage.inputCacheWrite1h,
      audio_tokens: usage.inputAudio,
    },
    completion_tokens_details: { ...findObject(given['completion_tokens_details']), ...details },
  };
}
