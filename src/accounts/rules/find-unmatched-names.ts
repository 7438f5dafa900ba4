import type { Catalogue } from '#catalogue';
import { isAllowed } from './decide-access.ts';
import { type RuleType, findRuleType } from './rule.ts';

/** Rule types by the allowance that selects their names. */
const ALLOWANCES: Record<string, RuleType> = {
  'allow-models': 'allow-models',
  'deny-models': 'allow-models',
  'allow-providers': 'allow-providers',
  'deny-providers': 'allow-providers',
  'approved-providers': 'allow-providers',
};

/** The names in a rule that match nothing in the catalogue, and may be typing errors. */
export function findUnmatchedNames(
  catalogue: Catalogue,
  { type, values }: { type: string; values: readonly string[] },
): string[] {
  const allowance = ALLOWANCES[type];
  if (allowance === undefined) return [];
  const mappings = [...catalogue.models.values()].flatMap((model) => model.mappings);
  return values.filter((value) => {
    const rules = [{ layer: 'key' as const, type: allowance, values: [value] }];
    return !mappings.some((mapping) => isAllowed(rules, mapping, catalogue));
  });
}

/** The regions in a rule that no provider or model of the catalogue has, and may be typing errors. */
export function findUnknownRegions(
  { providers, models }: Catalogue,
  { type, values }: { type: string; values: readonly string[] },
): { known: string[]; unknown: string[] } {
  if (findRuleType(type)?.takes !== 'regions') return { known: [], unknown: [] };
  const mappings = [...models.values()].flatMap((model) => model.mappings);
  const known = new Set([
    ...[...providers.values()].flatMap(({ regions = [] }) => regions),
    ...mappings.flatMap(({ region }) => region ?? []),
  ]);
  return { known: [...known].toSorted(), unknown: values.filter((value) => !known.has(value)) };
}
