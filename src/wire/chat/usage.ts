import { type JsonObject, type JsonValue, isJsonObject } from '#base';
import { type Usage, createUsage, inputTokensOf, outputTokensOf, toCount } from '#canonical';

/** Where an answer tells usage, in the many places upstreams put it. */
export function findUsage(answer: JsonObject): JsonValue | undefined {
  if (isJsonObject(answer['usage'])) return answer['usage'];
  const groq = answer['x_groq'];
  if (isJsonObject(groq) && isJsonObject(groq['usage'])) return groq['usage'];
  const choices = answer['choices'];
  const first = Array.isArray(choices) ? choices[0] : undefined;
  return isJsonObject(first) ? first['usage'] : undefined; // Moonshot puts it into the choice
}

/** Reads a usage object of any dialect into disjoint parts; gives nothing where no count was told. */
export function decodeUsage(
  value: JsonValue | undefined,
  completionExcludesReasoning: boolean,
): Usage | undefined {
  if (!isJsonObject(value)) return undefined;
  const prompt = firstNumber(value['prompt_tokens'], value['input_tokens']);
  const completion = firstNumber(value['completion_tokens'], value['output_tokens']);
  const total = firstNumber(value['total_tokens']);
  if (prompt === undefined && completion === undefined && total === undefined) return undefined;
  const input = readInput(value, toCount(prompt));
  const whole = inputTokensOf(createUsage(input));
  const beyond = total === undefined ? undefined : toCount(total) - whole - toCount(completion);
  const output = readOutput(value, toCount(completion), { beyond, completionExcludesReasoning });
  return createUsage({ ...input, ...output, webSearches: toCount(value['num_search_queries']) });
}

function firstNumber(...values: (JsonValue | undefined)[]): number | undefined {
  return values.find((value) => typeof value === 'number');
}

function detailsOf(usage: JsonObject, ...keys: string[]): JsonObject {
  return keys.map((key) => usage[key]).find(isJsonObject) ?? {};
}

function readInput(usage: JsonObject, prompt: number): Partial<Usage> {
  const details = detailsOf(usage, 'prompt_tokens_details', 'input_tokens_details');
  const cached = Math.max(
    toCount(details['cached_tokens']),
    toCount(usage['cached_tokens']), // Moonshot
    toCount(usage['prompt_cache_hit_tokens']), // DeepSeek
    toCount(usage['cache_read_input_tokens']),
  );
  const written = Math.max(
    toCount(details['cache_write_tokens']),
    toCount(details['cache_creation_tokens']),
    toCount(usage['cache_creation_input_tokens']),
  );
  const long = Math.min(written, toCount(detailsOf(details, 'cache_write_tokens_details')['ttl_12h_tokens']));
  // Some upstreams leave cached or written tokens out of the prompt: a part it cannot hold is not in it.
  const unread = prompt >= cached ? prompt - cached : prompt;
  const uncached = prompt >= cached && unread >= written ? unread - written : unread;
  const audio = Math.min(uncached, toCount(details['audio_tokens']));
  return {
    inputUncached: uncached - audio,
    inputCacheRead: cached,
    inputCacheWrite5m: written - long,
    inputCacheWrite1h: long,
    inputAudio: audio,
  };
}

interface OutputHints {
  /** Tokens of the total that neither prompt nor completion accounts for. */
  beyond: number | undefined;
  completionExcludesReasoning: boolean;
}

function readOutput(usage: JsonObject, completion: number, hints: OutputHints): Partial<Usage> {
  const details = detailsOf(usage, 'completion_tokens_details', 'output_tokens_details');
  const told = Math.max(toCount(details['reasoning_tokens']), toCount(usage['reasoning_tokens']));
  const beyond = hints.beyond ?? 0;
  const sumsUp = hints.beyond === 0 && told <= completion;
  const isExcluded = beyond > 0 || (hints.completionExcludesReasoning && !sumsUp);
  // Gemini's compatible endpoint tells thoughts only as the difference to the total.
  const reasoning = isExcluded ? (told > 0 ? told : beyond) : Math.min(told, completion);
  const visible = isExcluded ? completion : completion - reasoning;
  const audio = Math.min(visible, toCount(details['audio_tokens']));
  const image = Math.min(visible - audio, toCount(details['image_tokens']));
  return {
    outputText: visible - audio - image,
    outputReasoning: reasoning,
    outputAudio: audio,
    outputImage: image,
  };
}

/** The later of two cumulative counts, unless it tells less: a garbled repeat never takes tokens back. */
export function laterUsage(earlier: Usage | undefined, later: Usage | undefined): Usage | undefined {
  if (!earlier || !later) return later ?? earlier;
  return sumOf(later) >= sumOf(earlier) ? later : earlier;
}

function sumOf(usage: Usage): number {
  return inputTokensOf(usage) + outputTokensOf(usage);
}

/** Usage as Chat tells it: the prompt holds every input part, the completion every output part. */
export function encodeUsage(usage: Usage): JsonObject {
  const prompt = inputTokensOf(usage);
  const completion = outputTokensOf(usage);
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: {
      cached_tokens: usage.inputCacheRead,
      cache_write_tokens: usage.inputCacheWrite5m + usage.inputCacheWrite1h,
      audio_tokens: usage.inputAudio,
    },
    completion_tokens_details: {
      reasoning_tokens: usage.outputReasoning,
      audio_tokens: usage.outputAudio,
      ...(usage.outputImage > 0 && { image_tokens: usage.outputImage }),
    },
  };
}
