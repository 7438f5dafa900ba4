import type { AccessRule } from './rule.ts';
import { type JsonObject, createLru, isJsonObject, parseJson } from '#base';

const MOST_RECALLED = 2_000;
/** Refuses everything. */
const UNREADABLE: AccessRule = { layer: 'organization', type: 'unreadable', values: [] };
const known = createLru<string, readonly AccessRule[]>(MOST_RECALLED);

/** Parses the JSON text from the database; the same text yields the same rules, and so the same compiled checks. */
export function recallRules(text: string): readonly AccessRule[] {
  const recalled = known.get(text);
  if (recalled) return recalled;
  const parsed = parseJson(text);
  const rules = Array.isArray(parsed) ? parsed.filter(isJsonObject).map(toRule) : [UNREADABLE];
  known.set(text, rules);
  return rules;
}

function toRule({ layer, type, values }: JsonObject): AccessRule {
  return { layer, type, values } as unknown as AccessRule;
}
