import type { ClientFormatId, CanonicalRequest } from '#canonical';
import type { Catalogue, Mapping } from '#catalogue';
import { type JsonObject, parseJsonObject } from '#base';
import type { RoutingPreferences } from '#accounts';
import { decideAccess, describeRefusal } from '#accounts';
import { GatewayError } from '#errors';
import {
  type Preferences,
  listUnsupported,
  readPreferences,
  refuseForeignOptions,
  toTarget,
} from '#pipeline';
import { CLIENT_FORMATS } from '#canonical';
import { CLIENT_FACTS, getInboundFormat, getOutboundFormat } from '#wire';

/** The parts of one request that decide its route. */
export interface RequestedRoute {
  format: ClientFormatId;
  preferences: Preferences | undefined;
  /** Why a mapping cannot serve it; null if it can. */
  refuse(mapping: Mapping, catalogue: Catalogue): string | null;
}

interface RouteRequest {
  model: string;
  /** Guessed from the members of the body if absent. */
  format: ClientFormatId | undefined;
  /** The preferences of its key or project. */
  defaults: RoutingPreferences | undefined;
}

/** Reads the body of a request for a model; throws what is wrong with it. */
export async function readRequestedRoute(
  text: string,
  { model, format: given, defaults }: RouteRequest,
): Promise<RequestedRoute> {
  const body = parseJsonObject(text);
  if (!body) throw new Error('the request is not a JSON object');
  const format = given ?? guessFormat(body);
  const request = getInboundFormat(format).decodeRequest({ ...body, model }, {});
  refuseForeignOptions(body, {}, {});
  const preferences = readPreferences({ body, headers: {}, model, format, defaults });
  return {
    format,
    preferences,
    refuse: (mapping, catalogue) =>
      findRuleRefusal(preferences, mapping, catalogue) ??
      (preferences?.requiresParameters ? findUnsupported(request, mapping) : null) ??
      findEncodingRefusal(request, mapping),
  };
}

/** Guesses the format from members that only one has; by default `chat`, which has none of its own. */
function guessFormat(body: JsonObject): ClientFormatId {
  const isKnown = (format: ClientFormatId) =>
    CLIENT_FACTS[format].knownBy.some((name) => body[name] !== undefined);
  return CLIENT_FORMATS.findLast(isKnown) ?? 'chat';
}

function findRuleRefusal(
  preferences: Preferences | undefined,
  mapping: Mapping,
  catalogue: Catalogue,
): string | null {
  if (!preferences) return null;
  const asked = { mappings: [mapping], catalogue, clientAddress: undefined };
  const decision = decideAccess(preferences.rules, asked);
  return 'refusal' in decision ? describeRefusal(decision.refusal, mapping.externalId) : null;
}

function findUnsupported(request: CanonicalRequest, mapping: Mapping): string | null {
  const missing = listUnsupported(request, mapping);
  return missing.length > 0 ? `does not support ${missing.join(', ')}` : null;
}

function findEncodingRefusal(request: CanonicalRequest, mapping: Mapping): string | null {
  try {
    getOutboundFormat(mapping.format).openExchange(request, toTarget(mapping));
    return null;
  } catch (thrown) {
    if (thrown instanceof GatewayError) return thrown.message;
    throw thrown;
  }
}
