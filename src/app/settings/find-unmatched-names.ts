import type { SettingsOrigin } from './settings.ts';
import { type RuleType, isAllowed } from '#accounts';
import { extendCatalogue } from '#catalogue';
import { getBaseCatalogue } from './base-catalogue.ts';
import { loadSettings } from './load-settings.ts';

/** Rule types by the allowance that selects their names. */
const ALLOWANCES: Record<string, RuleType> = {
  'allow-models': 'allow-models',
  'deny-models': 'allow-models',
  'allow-providers': 'allow-providers',
  'deny-providers': 'allow-providers',
  'approved-providers': 'allow-providers',
};

/** The names in a rule that match nothing in this configuration, and may be typing errors. */
export async function findUnmatchedNames(
  origin: SettingsOrigin,
  { type, values }: { type: string; values: readonly string[] },
): Promise<string[]> {
  const allowance = ALLOWANCES[type];
  if (allowance === undefined) return [];
  const { providers } = await loadSettings(origin);
  const catalogue = extendCatalogue(await getBaseCatalogue(), providers);
  const mappings = [...catalogue.models.values()].flatMap((model) => model.mappings);
  return values.filter((value) => {
    const rules = [{ layer: 'key' as const, type: allowance, values: [value] }];
    return !mappings.some((mapping) => isAllowed(rules, mapping, catalogue));
  });
}
