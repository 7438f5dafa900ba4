import type { JsonObject, JsonValue } from '#base';
import { isJsonObject } from '#base';

/** Prices that can be compared, in USD per million tokens. */
const LISTED_AMOUNTS = ['input', 'output', 'cacheRead', 'cacheWrite5m'] as const;

export type ListedAmounts = Partial<Record<(typeof LISTED_AMOUNTS)[number], string>>;

/** A public list's entry for a model at a provider. */
export interface ListedPrice {
  providerId: string;
  /** As the list has it; spelling differs between lists. */
  name: string;
  amounts: ListedAmounts;
}

/** Reads the list of LiteLLM or of OpenRouter; undefined if it is neither. Providers that are not known here are left out. */
export function readPriceList(value: JsonValue | undefined): ListedPrice[] | undefined {
  if (!isJsonObject(value)) return undefined;
  const { data } = value;
  if (Array.isArray(data)) return data.flatMap((entry) => (isJsonObject(entry) ? readOpenRouter(entry) : []));
  const entries = Object.entries(value).flatMap(([name, entry]) =>
    isJsonObject(entry) && 'litellm_provider' in entry ? [{ name, entry }] : [],
  );
  return entries.length === 0 ? undefined : entries.flatMap(({ name, entry }) => readLiteLlm(name, entry));
}

/** The providers of LiteLLM's list under their names here. */
const LITELLM_PROVIDERS: Readonly<Record<string, string>> = {
  anthropic: 'anthropic',
  azure: 'azure',
  bedrock: 'amazon-bedrock',
  bedrock_converse: 'amazon-bedrock',
  cerebras: 'cerebras',
  cohere: 'cohere',
  cohere_chat: 'cohere',
  dashscope: 'alibaba',
  deepinfra: 'deepinfra',
  deepseek: 'deepseek',
  fireworks_ai: 'fireworks-ai',
  gemini: 'google',
  groq: 'groq',
  minimax: 'minimax',
  mistral: 'mistral',
  moonshot: 'moonshotai',
  nebius: 'nebius',
  novita: 'novita-ai',
  openai: 'openai',
  perplexity: 'perplexity',
  together_ai: 'togetherai',
  xai: 'xai',
  zai: 'zai',
};

function readLiteLlm(name: string, entry: JsonObject): ListedPrice[] {
  const { litellm_provider: provider } = entry;
  if (typeof provider !== 'string') return [];
  const providerId = LITELLM_PROVIDERS[provider];
  const amounts = readAmounts({
    input: entry['input_cost_per_token'],
    output: entry['output_cost_per_token'],
    cacheRead: entry['cache_read_input_token_cost'],
    cacheWrite5m: entry['cache_creation_input_token_cost'],
  });
  if (providerId === undefined || !amounts) return [];
  const prefix = `${provider}/`;
  return [{ providerId, name: name.startsWith(prefix) ? name.slice(prefix.length) : name, amounts }];
}

/** The authors of OpenRouter's list that sell their models themselves, under their names here. */
const OPENROUTER_AUTHORS: Readonly<Record<string, string>> = {
  anthropic: 'anthropic',
  cohere: 'cohere',
  deepseek: 'deepseek',
  google: 'google',
  inception: 'inception',
  minimax: 'minimax',
  mistralai: 'mistral',
  moonshotai: 'moonshotai',
  openai: 'openai',
  perplexity: 'perplexity',
  qwen: 'alibaba',
  'x-ai': 'xai',
  'z-ai': 'zai',
};

function readOpenRouter({ id, pricing }: JsonObject): ListedPrice[] {
  // After a colon is a variant, such as `:free`, that the author does not sell.
  const [, author = '', name = ''] = /^([^/]+)\/([^:]+)$/.exec(typeof id === 'string' ? id : '') ?? [];
  const providerId = OPENROUTER_AUTHORS[author];
  if (providerId === undefined || !isJsonObject(pricing)) return [];
  const amounts = readAmounts({
    input: pricing['prompt'],
    output: pricing['completion'],
    cacheRead: pricing['input_cache_read'],
    cacheWrite5m: pricing['input_cache_write'],
  });
  return amounts ? [{ providerId, name, amounts }] : [];
}

/** Undefined without input and output prices: such a model is not sold by the token. */
function readAmounts(found: Record<(typeof LISTED_AMOUNTS)[number], unknown>): ListedAmounts | undefined {
  const amounts: ListedAmounts = {};
  for (const name of LISTED_AMOUNTS) {
    const amount = toPerMillion(found[name]);
    if (amount !== undefined) amounts[name] = amount;
  }
  return amounts.input === undefined || amounts.output === undefined ? undefined : amounts;
}

const MOST_PER_TOKEN = 1;

/** USD per token, which lists have as a number or a text, as USD per million tokens with six places at most. */
function toPerMillion(value: unknown): string | undefined {
  const perToken = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof perToken !== 'number' || !(perToken > 0 && perToken < MOST_PER_TOKEN)) return undefined;
  return (perToken * 1_000_000).toFixed(6).replace(/\.?0+$/, '');
}
