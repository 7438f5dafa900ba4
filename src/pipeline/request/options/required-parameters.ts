import type { CanonicalRequest, Sampling } from '#canonical';
import type { Mapping } from '#catalogue';
import { listParameters } from '#catalogue';

const SAMPLING: Readonly<Record<keyof Sampling, string>> = {
  temperature: 'temperature',
  topP: 'top_p',
  topK: 'top_k',
  frequencyPenalty: 'frequency_penalty',
  presencePenalty: 'presence_penalty',
  seed: 'seed',
};

/** Members of one format that do not affect the answer, or that other formats have by another name. */
const WITHOUT_EFFECT: ReadonlySet<string> = new Set([
  'metadata',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
  'reasoning',
  'store',
  'text',
]);

/** Members of Chat that Responses has, too. */
const IN_RESPONSES: ReadonlySet<string> = new Set(['moderation', 'verbosity', 'web_search_options']);

/** The parameters of a request that a mapping does not support, by the names of `supported_parameters` or their own. */
export function listUnsupported(request: CanonicalRequest, mapping: Mapping): string[] {
  const supported = new Set(listParameters([mapping]));
  return [
    ...listNeutral(request).filter((name) => !supported.has(name)),
    ...listExtras(request).filter((name) => !passesExtra(request, mapping, name)),
  ];
}

/** Without output limits, stop sequences and `n`, which the gateway emulates where a provider lacks them. */
function listNeutral({
  sampling,
  tools,
  toolChoice,
  parallelToolCalls,
  reasoning,
  output,
}: CanonicalRequest): string[] {
  const names = (Object.keys(sampling) as (keyof Sampling)[]).map((name) => SAMPLING[name]);
  if (tools.length > 0) {
    names.push('tools');
    if (toolChoice) names.push('tool_choice');
    if (parallelToolCalls === false) names.push('parallel_tool_calls');
  }
  if (reasoning && reasoning.mode !== 'off') names.push('reasoning_effort');
  if (output) names.push(output.type === 'json' ? 'response_format' : 'structured_outputs');
  return names;
}

function listExtras({ extra, origin }: CanonicalRequest): string[] {
  return Object.keys(extra?.[origin.format] ?? {}).filter((name) => !WITHOUT_EFFECT.has(name));
}

function passesExtra({ origin }: CanonicalRequest, { format, dialect }: Mapping, name: string): boolean {
  const isTranslated = origin.format === 'chat' && format === 'responses' && IN_RESPONSES.has(name);
  return (format === origin.format || isTranslated) && !dialect.refusedFields.includes(name);
}
