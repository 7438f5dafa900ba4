import type { JsonObject, JsonValue } from '#base';
import { isJsonObject } from '#base';
import type { CanonicalRequest, PriceOptions } from '#canonical';
import { readPriceValue } from '#canonical';
import { CLIENT_FACTS } from '#wire';

/** Another model that a provider may run for a request, and how much of it. */
export interface OtherModel {
  /** The path of its name in the request. */
  path: string;
  /** Absent if the provider chooses. */
  name?: string;
  /** How often it may run. */
  runs: number;
  /** Its own output limit; absent if the request's applies. */
  maxOutput?: number;
  options?: PriceOptions;
}

/** Held for an advisor without `max_uses`, and for advice without `max_tokens`. */
const USUAL_ADVICE = 3;
const USUAL_ADVICE_TOKENS = 8_192;
const MOST_RUNS = 1_000;
const ADVISOR = /^advisor_/;

/** The models a request names besides its own. */
export function listOtherModels(request: CanonicalRequest): OtherModel[] {
  return CLIENT_FACTS[request.origin.format].runsOtherModels ? readOthers(request) : [];
}

/** Fallbacks and advisors: `fallbacks` and tools `advisor_…`, also those added in mid-conversation. */
function readOthers({ origin, tools, otherModels = [] }: CanonicalRequest): OtherModel[] {
  const advisors = tools.flatMap((tool, at) =>
    tool.type === 'native' ? readAdvisor(tool.value, `tools.${at}.model`) : [],
  );
  const added = otherModels
    .filter(({ path }) => path.startsWith('messages.'))
    .flatMap(({ path }) => readAdvisor(findOwner(origin.body, path), path));
  return [...readFallbacks(origin.body['fallbacks']), ...advisors, ...added];
}

/** The object that contains the last member of a path. */
function findOwner(body: JsonObject, path: string): JsonObject {
  let owner: JsonValue | undefined = body;
  for (const step of path.split('.').slice(0, -1)) {
    if (Array.isArray(owner)) owner = owner[Number(step)];
    else owner = isJsonObject(owner) ? owner[step] : undefined;
  }
  return isJsonObject(owner) ? owner : {};
}

function readFallbacks(value: JsonValue | undefined): OtherModel[] {
  if (typeof value === 'string') return [{ path: 'fallbacks', runs: 1 }];
  if (!Array.isArray(value)) return [];
  return value.flatMap((entry, at): OtherModel[] => {
    if (typeof entry === 'string') return [{ path: `fallbacks.${at}`, name: entry, runs: 1 }];
    return isJsonObject(entry) ? [readFallback(entry, at)] : [];
  });
}

function readFallback(entry: JsonObject, at: number): OtherModel {
  const { model, max_tokens: most } = entry;
  const speed = readPriceValue(entry['speed']);
  return {
    path: `fallbacks.${at}.model`,
    runs: 1,
    ...(typeof model === 'string' && { name: model }),
    ...(isCount(most) && { maxOutput: Math.ceil(most) }),
    ...(speed !== undefined && { options: { speed } }),
  };
}

function readAdvisor(tool: JsonObject, path: string): OtherModel[] {
  const { type, model, max_uses: uses, max_tokens: most } = tool;
  if (typeof type !== 'string' || !ADVISOR.test(type)) return [];
  return [
    {
      path,
      runs: isCount(uses) ? Math.min(Math.ceil(uses), MOST_RUNS) : USUAL_ADVICE,
      maxOutput: isCount(most) ? Math.ceil(most) : USUAL_ADVICE_TOKENS,
      ...(typeof model === 'string' && { name: model }),
    },
  ];
}

function isCount(value: JsonValue | undefined): value is number {
  return typeof value === 'number' && value >= 0 && Number.isFinite(value);
}
