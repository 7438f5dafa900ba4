import type { Caller } from '#accounts';
import { type HttpHeaders, type JsonObject, type JsonValue, isJsonObject } from '#base';
import { createParamError } from '#errors';

// What clients of LiteLLM, OpenRouter, Portkey and Vercel send besides what `preferences.ts` reads. An option that would change
// the cost, the provider or who sees the content is refused by name, with what to do instead: unknown members are ignored.

const PROVIDER_KEYS =
  'the keys of providers are those of the gateway or of the organization (docs/bring-your-own.md)';
const PROMPTS = 'the gateway keeps no prompts; send the instructions in the request';
const OWN_ANSWER = 'the model local/echo answers without a provider';
const FALLBACKS = 'name the models in fallbacks';
const NAMED_PROVIDER = 'name the provider in model, as provider/model, or in the member provider';

const MEMBERS: readonly (readonly [name: string, instead: string])[] = [
  ['context_window_fallbacks', FALLBACKS],
  ['content_policy_fallbacks', FALLBACKS],
  ['api_key', PROVIDER_KEYS],
  ['api_base', PROVIDER_KEYS],
  ['base_url', PROVIDER_KEYS],
  ['user_config', PROVIDER_KEYS],
  ['mock_response', OWN_ANSWER],
  ['mock_tool_calls', OWN_ANSWER],
  ['guardrails', 'the gateway checks no content'],
  ['preset', PROMPTS],
  ['prompt_id', PROMPTS],
  ['additional_drop_params', 'leave these parameters out of the request'],
];

const HEADERS: readonly (readonly [name: string, instead: string])[] = [
  ['x-portkey-config', `${NAMED_PROVIDER}, and models to try after it in models`],
  ['x-portkey-virtual-key', NAMED_PROVIDER],
  ['x-portkey-provider', NAMED_PROVIDER],
];

const PLUGINS: ReadonlyMap<string, string> = new Map([
  ['web', 'give the request a web search tool (in Chat: web_search_options)'],
  ['file-parser', 'documents are sent to the model as they are; leave pdf.engine out'],
]);

/** Options of the project's response cache, which has one time for all of its answers. */
const CACHE_TIMES = ['ttl', 's-maxage'];

/** LiteLLM's ways to keep the content out of logs. */
const UNLOGGED_MEMBER = 'no-log';
const UNLOGGED_HEADERS = ['x-litellm-enable-message-redaction', 'litellm-enable-message-redaction'];

/** Refuses a request that relies on an option of another gateway that this one does not have. */
export function refuseForeignOptions(
  body: JsonObject,
  headers: HttpHeaders,
  { payloadDays }: Pick<Caller, 'payloadDays'>,
): void {
  for (const [name, instead] of MEMBERS) if (isAsked(body[name])) refuse(name, instead);
  for (const [name, instead] of HEADERS) if (headers[name] !== undefined) refuse(name, instead);
  refusePlugins(body['plugins']);
  refuseCacheTimes(body['cache']);
  const { providerOptions: options } = body;
  if (isJsonObject(options) && isAsked(options['gateway'])) refuse('providerOptions.gateway', NAMED_PROVIDER);
  if (payloadDays !== undefined) refuseUnlogged(body, headers);
}

/** Whether a body asks for a fresh answer, as LiteLLM's clients do. */
export function asksFresh({ cache }: JsonObject): boolean {
  return isJsonObject(cache) && (cache['no-cache'] === true || cache['no-store'] === true);
}

function refusePlugins(plugins: JsonValue | undefined): void {
  if (!Array.isArray(plugins)) return;
  for (const [at, plugin] of plugins.entries()) {
    const { id, enabled, pdf }: JsonObject = isJsonObject(plugin) ? plugin : {};
    const engine = isJsonObject(pdf) ? (pdf['engine'] ?? 'native') : 'native';
    if (enabled === false || (id === 'file-parser' && engine === 'native')) continue;
    refuse(`plugins.${at}`, PLUGINS.get(typeof id === 'string' ? id : '') ?? 'the gateway has no plugins');
  }
}

function refuseCacheTimes(cache: JsonValue | undefined): void {
  if (!isJsonObject(cache)) return;
  const name = CACHE_TIMES.find((one) => (cache[one] ?? null) !== null);
  if (name !== undefined) refuse(`cache.${name}`, 'how long answers are kept is a setting of the project');
}

/** Only where the project keeps payloads: elsewhere no content is stored in any case. */
function refuseUnlogged(body: JsonObject, headers: HttpHeaders): void {
  const header = UNLOGGED_HEADERS.find((name) => String(headers[name]).toLowerCase() === 'true');
  const name = header ?? (body[UNLOGGED_MEMBER] === true ? UNLOGGED_MEMBER : undefined);
  if (name !== undefined)
    refuse(name, 'the project of this key stores payloads; use a key of one that does not');
}

/** Empty values ask for nothing. */
function isAsked(value: JsonValue | undefined): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return isJsonObject(value) ? Object.keys(value).length > 0 : Boolean(value);
}

function refuse(param: string, instead: string): never {
  throw createParamError(param, `is not supported; ${instead}`);
}
