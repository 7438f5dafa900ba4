import type { ClientFormatId } from '#canonical';
import type { Mapping } from '#catalogue';
import type { Health } from './health.ts';
import { toHealthKey } from './health.ts';

/** Inputs of a ranking besides the mappings. */
interface RouteFacts {
  health: Health;
  /** Monotonic milliseconds. */
  nowMs: number;
  /** The caller's format: the same format upstream loses nothing, so it wins at an equal price. */
  format: ClientFormatId;
  /** The credential a mapping would use; the gateway's own if `undefined`. */
  credentialIdOf?: (mapping: Mapping) => string | undefined;
}

/**
 * Orders mappings for an attempt: those not cooling down first, then not deprecated, then the cheapest, then those in
 * the caller's format. Pure; ties keep the catalogue's order.
 */
export function rankRoute(mappings: readonly Mapping[], facts: RouteFacts): Mapping[] {
  return mappings.length < 2 ? [...mappings] : mappings.toSorted((a, b) => compare(a, b, facts));
}

function compare(a: Mapping, b: Mapping, facts: RouteFacts): number {
  return (
    Number(isCooling(a, facts)) - Number(isCooling(b, facts)) ||
    Number(isDeprecated(a)) - Number(isDeprecated(b)) ||
    comparePrice(a, b) ||
    Number(b.format === facts.format) - Number(a.format === facts.format)
  );
}

function isCooling(mapping: Mapping, { health, nowMs, credentialIdOf }: RouteFacts): boolean {
  const untilMs = health.get(toHealthKey(mapping, credentialIdOf?.(mapping)));
  return untilMs !== undefined && untilMs > nowMs;
}

function isDeprecated(mapping: Mapping): boolean {
  return mapping.stability === 'deprecated';
}

/** Input weighs three to one against output, as in a typical agent turn. */
function comparePrice(a: Mapping, b: Mapping): number {
  return Number(weigh(a) - weigh(b));
}

function weigh({ price }: Mapping): bigint {
  return price ? price.parts.inputUncached * 3n + price.parts.outputText : 0n;
}
