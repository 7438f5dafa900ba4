/** Where rules are put; each layer can only narrow what the one above it leaves. */
export const LAYERS = ['organization', 'project', 'key'] as const;

export type Layer = (typeof LAYERS)[number];

/** Where rules stand that bind a caller, from the widest in; a session token brings its own. */
export const BINDING_LAYERS = [...LAYERS, 'session'] as const;

export type BindingLayer = (typeof BINDING_LAYERS)[number];

interface RuleTypeEntry {
  /** What its values are. */
  takes: 'names' | 'price' | 'networks' | 'regions' | 'nothing';
  /** Compliance policy: of organizations only, and no other rule can loosen it. */
  isCompliance: boolean;
  /** Whether it judges the model; otherwise it judges the provider or the caller's address. */
  isOfModel: boolean;
  meaning: string;
  /** Values of an example. */
  example: readonly string[];
}

const rule = (takes: RuleTypeEntry['takes'], meaning: string, ...example: string[]): RuleTypeEntry => ({
  takes,
  isCompliance: false,
  isOfModel: false,
  meaning,
  example,
});

const compliance = (takes: RuleTypeEntry['takes'], meaning: string, ...example: string[]): RuleTypeEntry => ({
  ...rule(takes, meaning, ...example),
  isCompliance: true,
});

const ofModel = (takes: RuleTypeEntry['takes'], meaning: string, ...example: string[]): RuleTypeEntry => ({
  ...rule(takes, meaning, ...example),
  isOfModel: true,
});

/** Every type of rule, in the order in which they are asked. */
export const RULE_TYPES = {
  'no-training': compliance('nothing', 'only providers known not to train on API data'),
  'zero-retention': compliance('nothing', 'only providers known to keep nothing of what they are sent'),
  regions: compliance('regions', 'only providers known to process within these regions', 'eu', 'ch'),
  'approved-providers': compliance('names', 'only these providers', 'anthropic', 'amazon-bedrock'),
  'allow-networks': rule('networks', 'only callers from these addresses', '10.0.0.0/8', '2001:db8::/32'),
  'deny-networks': rule('networks', 'no callers from these addresses', '203.0.113.7'),
  'allow-models': ofModel('names', 'only these models', 'claude-sonnet-4-5', 'gpt-5*', 'groq/*'),
  'deny-models': ofModel('names', 'none of these models', 'claude-opus-*'),
  'allow-providers': rule('names', 'only these providers', 'anthropic', 'openai'),
  'deny-providers': rule('names', 'none of these providers', 'deepseek'),
  'max-input-price': ofModel('price', 'at most this many USD per million input tokens', '3'),
  'max-output-price': ofModel('price', 'at most this many USD per million output tokens', '15'),
  'free-only': ofModel('nothing', 'only what costs nothing'),
  'paid-only': ofModel('nothing', 'only what has a price'),
} as const satisfies Record<string, RuleTypeEntry>;

export type RuleType = keyof typeof RULE_TYPES;

/** A type's entry; nothing for a type that another version of this program wrote. */
export function findRuleType(type: string): RuleTypeEntry | undefined {
  return Object.hasOwn(RULE_TYPES, type) ? RULE_TYPES[type as RuleType] : undefined;
}

/** A rule as it binds a caller. */
export interface AccessRule {
  layer: BindingLayer;
  /** A `RuleType`; one that is not known refuses everything. */
  type: string;
  values: readonly string[];
}
