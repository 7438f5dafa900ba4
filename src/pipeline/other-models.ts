import type { JsonObject, JsonValue } from '#base';
import { isJsonObject } from '#base';
import type { CanonicalRequest, PriceOptions } from '#canonical';
import { readPriceValue } from '#canonical';

/** A model besides the asked one that a provider may run for a request, and how much of it. */
export interface OtherModel {
  /** Where the request names it. */
  path: string;
  /** Absent where the provider chooses. */
  name?: string;
  /** How often it may run. */
  runs: number;
  /** Its own limit of output; absent where it has the request's. */
  maxOutput?: number;
  options?: PriceOptions;
}

/** Held for an advisor whose caller sets no `max_uses`, and for advice whose caller sets no `max_tokens`. */
const USUAL_ADVICE = 3;
const USUAL_ADVICE_TOKENS = 8_192;
const MOST_RUNS = 1_000;
const ADVISOR = /^advisor_/;

/** The fallbacks and advisors of a Messages request (`fallbacks`, a tool `advisor_…`). */
export function listOtherModels({ origin, tools }: CanonicalRequest): OtherModel[] {
  if (origin.format !== 'messages') return [];
  const advisors = tools.flatMap((tool, at) =>
    tool.type === 'native' ? readAdvisor(tool.value, `tools.${at}.model`) : [],
  );
  return [...readFallbacks(origin.body['fallbacks']), ...advisors];
}

function readFallbacks(value: JsonValue | undefined): OtherModel[] {
  if (typeof value === 'string') return [{ path: 'fallbacks', runs: 1 }];
  if (!Array.isArray(value)) return [];
  return value.flatMap((entry, at) => (isJsonObject(entry) ? [readFallback(entry, at)] : []));
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
