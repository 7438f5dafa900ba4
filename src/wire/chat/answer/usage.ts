import { type JsonObject, type JsonValue, isJsonObject } from '#base';
import {
  type PriceOptions,
  type Usage,
  createUsage,
  inputTokensOf,
  isBelievable,
  outputTokensOf,
  toCount,
} from '#canonical';
import { objectOf } from '../../body/read-answer.ts';
import { isObject, itemsOf } from '../../body/read-field.ts';
import type { Members, Unchecked } from '../../body/unchecked.ts';
import type { ChatUsage, ReadAnswer, ReadUsage, ReadUsageDetails } from './answer-schema.ts';

/** Finds usage in an answer; providers put it in several places. */
export function findUsage({ usage, x_groq: groq, choices }: ReadAnswer): JsonValue | undefined {
  if (isObject(usage)) return usage;
  if (isObject(groq) && isObject(groq.usage)) return groq.usage;
  const [first] = itemsOf(choices);
  return isObject(first) ? first.usage : undefined; // Moonshot puts it in the choice
}

/** Decodes a usage object of any dialect into disjoint parts; undefined if counts are absent or implausible. */
export function decodeUsage(
  value: JsonValue | undefined,
  completionExcludesReasoning: boolean,
): Usage | undefined {
  if (!isJsonObject(value) || !isBelievable(value)) return undefined;
  const given: ReadUsage = value;
  const prompt = findNumber(given.prompt_tokens) ?? findNumber(given.input_tokens);
  const completion = findNumber(given.completion_tokens) ?? findNumber(given.output_tokens);
  const total = findNumber(given.total_tokens);
  if (prompt === undefined && completion === undefined && total === undefined) return undefined;
  const usage = createUsage();
  readInput(given, toCount(prompt), usage);
  const whole = inputTokensOf(usage);
  const beyond = total === undefined ? undefined : toCount(total) - whole - toCount(completion);
  readOutput(given, { completion: toCount(completion), beyond, completionExcludesReasoning }, usage);
  usage.webSearches = toCount(given.num_search_queries);
  return usage;
}

/** Alibaba says which of its caches was read; the explicit one has a price of its own. */
export function readCacheType(value: JsonValue | undefined): PriceOptions | undefined {
  const details = isJsonObject(value) ? objectOf((value as ReadUsage).prompt_tokens_details) : {};
  const isMarked = details.cache_type === 'ephemeral' && toCount(details.cached_tokens) > 0;
  return isMarked ? { cache_type: 'ephemeral' } : undefined;
}

function findNumber(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function readInput(value: ReadUsage, prompt: number, usage: Usage): void {
  const { prompt_tokens_details: own, input_tokens_details: other } = value;
  const details = isObject(own) ? own : objectOf(other);
  const cached = Math.max(
    toCount(details.cached_tokens),
    toCount(value.cached_tokens), // Moonshot
    toCount(value.prompt_cache_hit_tokens), // DeepSeek
    toCount(value.cache_read_input_tokens),
  );
  const written = Math.max(
    toCount(details.cache_write_tokens),
    toCount(details.cache_creation_tokens),
    toCount(details.cache_creation_input_tokens), // Alibaba
    toCount(value.cache_creation_input_tokens),
  );
  const writes = objectOf(details.cache_write_tokens_details);
  const long = Math.min(written, toCount(writes.ttl_12h_tokens));
  const uncached = countUncached(prompt, cached, written);
  const audio = Math.min(uncached, toCount(details.audio_tokens));
  usage.inputUncached = uncached - audio;
  usage.inputCacheRead = cached;
  usage.inputCacheWrite5m = written - long;
  usage.inputCacheWrite1h = long;
  usage.inputAudio = audio;
}

/** Some upstreams exclude cached or written tokens from the prompt: a part larger than the prompt is not included in it. */
function countUncached(prompt: number, cached: number, written: number): number {
  if (prompt < cached) return prompt;
  const unread = prompt - cached;
  return unread < written ? unread : unread - written;
}

interface OutputHints {
  completion: number;
  /** Tokens of the total in neither prompt nor completion. */
  beyond: number | undefined;
  completionExcludesReasoning: boolean;
}

function readOutput(value: ReadUsage, hints: OutputHints, usage: Usage): void {
  const { completion } = hints;
  const { completion_tokens_details: own, output_tokens_details: other } = value;
  const details = isObject(own) ? own : objectOf(other);
  const given = Math.max(toCount(details.reasoning_tokens), toCount(value.reasoning_tokens));
  const beyond = hints.beyond ?? 0;
  const sumsUp = hints.beyond === 0 && given <= completion;
  const isExcluded = beyond > 0 || (hints.completionExcludesReasoning && !sumsUp);
  // Gemini's compatible endpoint reports thoughts only as the difference from the total.
  const reasoning = isExcluded ? (given > 0 ? given : beyond) : Math.min(given, completion);
  const visible = isExcluded ? completion : completion - reasoning;
  const audio = Math.min(visible, toCount(details.audio_tokens));
  const image = Math.min(visible - audio, toCount(details.image_tokens));
  usage.outputText = visible - audio - image;
  usage.outputReasoning = toCount(reasoning); // a total that is too small makes the difference negative
  usage.outputAudio = audio;
  usage.outputImage = image;
}

const NAMED: ReadonlySet<string> = new Set<keyof ReadUsage | '__proto__'>([
  'prompt_tokens',
  'completion_tokens',
  'total_tokens',
  'input_tokens',
  'output_tokens',
  '__proto__',
]);
const NAMED_DETAILS: ReadonlySet<string> = new Set<keyof ReadUsageDetails | '__proto__'>([
  'cached_tokens',
  'cache_write_tokens',
  'cache_creation_tokens',
  'cache_creation_input_tokens',
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

/** Encodes usage for Chat: the prompt includes every input part, the completion every output part. */
export function encodeUsage(usage: Usage, leftovers?: Unchecked<ChatUsage>): Members<ChatUsage> {
  const prompt = inputTokensOf(usage);
  const completion = outputTokensOf(usage);
  const given: Members<ChatUsage> = objectOf(leftovers);
  const details: Members<ChatUsage['completion_tokens_details']> = {
    ...objectOf(given.completion_tokens_details),
    reasoning_tokens: usage.outputReasoning,
    audio_tokens: usage.outputAudio,
  };
  if (usage.outputImage > 0) details.image_tokens = usage.outputImage;
  return {
    ...given,
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: {
      ...objectOf(given.prompt_tokens_details),
      cached_tokens: usage.inputCacheRead,
      cache_write_tokens: usage.inputCacheWrite5m + usage.inputCacheWrite1h,
      audio_tokens: usage.inputAudio,
    },
    completion_tokens_details: details,
  };
}
