import { createParamError, createInvalid } from '#errors';
import { parsePricePerMillion } from '#base';
import { NAMED_QUANTIZATIONS } from '#catalogue';
import { parseNetwork } from './network.ts';
import { type BindingLayer, RULE_TYPES, findRuleType } from './rule.ts';

const MOST_VALUES = 100;
const LONGEST_VALUE = 200;

/** Validates the values of a new rule; throws if they do not fit its type. */
export function readRule(input: { layer: BindingLayer; type: string; values: readonly string[] }): string[] {
  const { layer, type } = input;
  const entry = findRuleType(type);
  if (!entry) throw createInvalid('type', `one of ${Object.keys(RULE_TYPES).join(', ')}`);
  if (entry.isCompliance && layer !== 'organization') {
    throw createParamError('type', `${type} is compliance policy, which only organizations have`);
  }
  const values = [...new Set(input.values.map((value) => value.trim().toLowerCase()))];
  if (entry.takes === 'nothing') {
    if (values.length > 0) throw createInvalid('values', `absent: ${type} takes none`);
    return [];
  }
  const most = entry.takes === 'price' ? 1 : MOST_VALUES;
  if (values.length === 0 || values.length > most) {
    throw createInvalid('values', most === 1 ? 'one price' : `1 to ${MOST_VALUES} values`);
  }
  for (const value of values) checkValue(entry.takes, value);
  return values;
}

const EXPECTED = {
  names: [/^[^\s\p{Cc},]+$/u, 'a name such as claude-sonnet-5-5, openai/gpt-5 or gpt-*'],
  quantizations: [
    new RegExp(`^(?:${NAMED_QUANTIZATIONS.join('|')})$`),
    `one of ${NAMED_QUANTIZATIONS.join(', ')}`,
  ],
  regions: [/^[a-z]{2,}(-[a-z0-9]+)*$/, 'a region such as eu'],
} as const;

function checkValue(takes: keyof typeof EXPECTED | 'price' | 'networks', value: string): void {
  if (value.length > LONGEST_VALUE || !value.isWellFormed())
    throw createInvalid('values', `at most ${LONGEST_VALUE} characters each`);
  if (takes === 'networks') {
    if (!parseNetwork(value)) throw createInvalid('values', 'networks such as 10.0.0.0/8, or addresses');
  } else if (takes === 'price') {
    const price = parsePricePerMillion(value);
    if (price === undefined || price < 0n) throw createInvalid('values', 'a price in USD such as 3 or 0.25');
  } else {
    const [pattern, expected] = EXPECTED[takes];
    if (!pattern.test(value)) throw createInvalid('values', expected);
  }
}
