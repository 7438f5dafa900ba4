import type { Catalogue, Mapping } from '#catalogue';
import { type AccessRule, findRuleType } from './rule.ts';
import { createHash } from 'node:crypto';
import { type RuleSet, Offer, createChecks } from './checks.ts';

/** The rules that refuse. */
export type AccessRefusal = AccessRule;

/** What the rules are applied to. */
interface AccessQuestion {
  mappings: readonly Mapping[];
  catalogue: Catalogue;
  /** The caller's address; absent if unknown. */
  clientAddress: string | undefined;
}

type AccessDecision = { allowed: readonly Mapping[] } | { refusal: AccessRefusal };

/**
 * The mappings that rules allow, or the rules that leave none. Values of one type in one layer form one set (the
 * lowest ceiling applies), types and layers all apply, and any refusal refuses; the order of rules has no meaning.
 * Pure.
 */
export function decideAccess(
  rules: readonly AccessRule[],
  { mappings, catalogue, clientAddress }: AccessQuestion,
): AccessDecision {
  const refused = findNetworkRefusal(rules, clientAddress);
  if (refused) return { refusal: refused };
  const refusing = new Set<RuleSet | undefined>();
  const allowed = mappings.filter((mapping) => {
    const check = findCheck(rules, mapping, catalogue);
    refusing.add(check);
    return check === undefined;
  });
  const furthest = getCompiled(rules).checks.findLast((check) => refusing.has(check));
  return allowed.length === 0 && furthest ? { refusal: furthest } : { allowed };
}

/** The rules that refuse callers from an address. */
export function findNetworkRefusal(
  rules: readonly AccessRule[],
  clientAddress: string | undefined,
): AccessRefusal | undefined {
  return getCompiled(rules).checks.find((check) => !check.passesAddress(clientAddress));
}

/** The first rule that depends on more of a model than its providers. */
export function findModelRule(rules: readonly AccessRule[]): AccessRefusal | undefined {
  return getCompiled(rules).checks.find(({ type }) => findRuleType(type)?.isOfModel !== false);
}

/** Whether all rules allow a mapping, regardless of the caller's address. */
export function isAllowed(rules: readonly AccessRule[], mapping: Mapping, catalogue: Catalogue): boolean {
  return findBrokenCheck(getCompiled(rules).checks, mapping, catalogue) === undefined;
}

/** Equal for equivalent rules, whatever their order and ids. */
export function fingerprintRules(rules: readonly AccessRule[]): string {
  const compiled = getCompiled(rules);
  compiled.fingerprint ??= createHash('sha256')
    .update(JSON.stringify(compiled.checks.map(({ layer, type, values }) => [layer, type, values])))
    .digest('base64url');
  return compiled.fingerprint;
}

interface Compiled {
  checks: readonly RuleSet[];
  fingerprint?: string;
  /** The findings for the mappings of a catalogue; neither ever changes. */
  found: WeakMap<Catalogue, Map<Mapping, RuleSet | undefined>>;
}

const compiledRules = new WeakMap<readonly AccessRule[], Compiled>();

function getCompiled(rules: readonly AccessRule[]): Compiled {
  const known = compiledRules.get(rules);
  if (known) return known;
  const compiled: Compiled = { checks: createChecks(rules), found: new WeakMap() };
  compiledRules.set(rules, compiled);
  return compiled;
}

/** The first check that refuses a mapping, cached: requests name the same few mappings again and again. */
function findCheck(
  rules: readonly AccessRule[],
  mapping: Mapping,
  catalogue: Catalogue,
): RuleSet | undefined {
  const { checks, found } = getCompiled(rules);
  const known = found.get(catalogue) ?? new Map<Mapping, RuleSet | undefined>();
  found.set(catalogue, known);
  if (known.has(mapping)) return known.get(mapping);
  const check = findBrokenCheck(checks, mapping, catalogue);
  known.set(mapping, check);
  return check;
}

function findBrokenCheck(
  checks: readonly RuleSet[],
  mapping: Mapping,
  catalogue: Catalogue,
): RuleSet | undefined {
  const offer = new Offer(mapping, catalogue);
  return checks.find((check) => !check.passesOffer(offer));
}
