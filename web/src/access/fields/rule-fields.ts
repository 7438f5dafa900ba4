import type { components } from '../../api/schema.ts';
import { type Field, fieldsOf } from './field.ts';
import type { Suggestions } from './routing-fields.ts';

type NewRule = components['schemas']['CreateRule'];
export type Layer = NewRule['layer'];

interface RuleType {
  label: string;
  /** The effect of a new rule; the values are in the place of `…`. */
  effect: string;
  takes?: 'models' | 'providers' | 'networks' | 'quantizations' | 'regions' | 'price';
  /** Compliance is a matter of the organization. */
  isCompliance?: boolean;
}

/** What each type of rule allows. */
const RULE_TYPES: Readonly<Record<string, RuleType>> = {
  'allow-models': {
    label: 'Allow only models',
    takes: 'models',
    effect: 'Requests for any model but … are refused with 403.',
  },
  'deny-models': {
    label: 'Deny models',
    takes: 'models',
    effect: 'Requests for … are refused with 403.',
  },
  'allow-providers': {
    label: 'Allow only providers',
    takes: 'providers',
    effect: 'No provider but … is called.',
  },
  'deny-providers': { label: 'Deny providers', takes: 'providers', effect: '… are not called.' },
  'max-input-price': {
    label: 'Max input price',
    takes: 'price',
    effect: 'Models that cost more than $… per million input tokens are refused.',
  },
  'max-output-price': {
    label: 'Max output price',
    takes: 'price',
    effect: 'Models that cost more than $… per million output tokens are refused.',
  },
  'max-request-price': {
    label: 'Max price per request',
    takes: 'price',
    effect: 'Models that cost more than $… per request are refused.',
  },
  'max-image-price': {
    label: 'Max price per image',
    takes: 'price',
    effect: 'Models that cost more than $… per image are refused.',
  },
  quantizations: {
    label: 'Only quantizations',
    takes: 'quantizations',
    effect: 'Only offers with weights in … are used.',
  },
  'free-only': { label: 'Only free models', effect: 'Models with a price are refused.' },
  'paid-only': { label: 'Only models with a price', effect: 'Free models are refused.' },
  'allow-networks': {
    label: 'Allow only networks',
    takes: 'networks',
    effect: 'Callers from any address but … are refused.',
  },
  'deny-networks': {
    label: 'Deny networks',
    takes: 'networks',
    effect: 'Callers from … are refused.',
  },
  'no-training': {
    label: 'No training on data',
    isCompliance: true,
    effect: 'Only providers known not to train on API data are called.',
  },
  'zero-retention': {
    label: 'Zero data retention',
    isCompliance: true,
    effect: 'Only providers known to retain nothing are called.',
  },
  regions: {
    label: 'Only regions',
    takes: 'regions',
    isCompliance: true,
    effect: 'Only providers known to process data in … are called.',
  },
  'approved-providers': {
    label: 'Approved providers',
    takes: 'providers',
    isCompliance: true,
    effect: 'Only … are called, whatever other rules allow.',
  },
} satisfies Record<NewRule['type'], RuleType>;

const HELP: Readonly<Record<NonNullable<RuleType['takes']>, string>> = {
  models: 'Names, aliases or provider/model; * matches any characters',
  providers: 'Ids of providers, which may end in *',
  networks: 'Addresses and networks, such as 10.0.0.0/8',
  regions: 'Regions, such as eu',
  price: 'One amount in USD per million tokens, per request or per image',
  quantizations: 'Precisions such as bf16 or fp8; unknown is what no offer states',
};

export const labelOf = (type: string): string => RULE_TYPES[type]?.label ?? type;

export const explainRule = (type: string, values: string): string =>
  (RULE_TYPES[type]?.effect ?? '').replace('…', values);

/** The types that a new rule at a layer can have. */
export const listRuleTypes = (layer: Layer) =>
  Object.entries(RULE_TYPES)
    .filter(([, { isCompliance }]) => layer === 'organization' || isCompliance !== true)
    .map(([value, { label }]) => ({ value, label }));

/** The field of the values that the type takes, if it takes any. */
export function ruleFields(type: string, { models, providers }: Suggestions): readonly Field[] {
  const takes = RULE_TYPES[type]?.takes;
  if (takes === undefined) return [];
  const suggestions = {
    models,
    providers,
    networks: [],
    quantizations: ['bf16', 'fp8'],
    regions: ['eu', 'us', 'ch'],
    price: [],
  }[takes];
  return fieldsOf('/admin/v1/rules', {
    name: 'values',
    label: 'Values',
    help: HELP[takes],
    suggestions,
    effect: (values) => explainRule(type, values),
  });
}
