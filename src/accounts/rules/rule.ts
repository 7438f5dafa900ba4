/** Where rules can be set; each layer can only narrow the one above it. */
export const LAYERS = ['organization', 'project', 'key'] as const;

export type RuleLayer = (typeof LAYERS)[number];

/**
 * The layers of rules that bind a caller, outermost first; a session token, the routing of project and key, and the
 * request itself add their own.
 */
export const BINDING_LAYERS = [...LAYERS, 'session', 'project-routing', 'key-routing', 'request'] as const;

export type BindingLayer = (typeof BINDING_LAYERS)[number];

interface RuleTypeEntry {
  /** The kind of its values. */
  takes: 'names' | 'price' | 'networks' | 'quantizations' | 'regions' | 'nothing';
  /** Compliance policy: for organizations only, and no other rule can loosen it. */
  isCompliance: boolean;
  /** Whether it applies to the model; otherwise it applies to the provider or the caller's address. */
  isOfModel: boolean;
  meaning: string;
  /** Example values. */
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

/** Every type of rule, in order of evaluation. */
export const RULE_TYPES = {
  'no-training': compliance('nothing', 'only providers known not to train on API data'),
  'zero-retention': compliance('nothing', 'only providers known to retain no data'),
  regions: compliance('regions', 'only providers known to process within these regions', 'eu', 'ch'),
  'approved-providers': compliance('names', 'only these providers', 'anthropic', 'amazon-bedrock'),
  'allow-networks': rule('networks', 'only callers from these addresses', '10.0.0.0/8', '2001:db8::/32'),
  'deny-networks': rule('networks', 'no callers from these addresses', '203.0.113.7'),
  'allow-models': ofModel('names', 'only these models', 'claude-sonnet-5-5', 'gpt-5*', 'groq/*'),
  'deny-models': ofModel('names', 'none of these models', 'claude-opus-*'),
  'allow-providers': rule('names', 'only these providers', 'anthropic', 'openai'),
  'deny-providers': rule('names', 'none of these providers', 'deepseek'),
  'max-input-price': ofModel('price', 'at most this many USD per million input tokens', '3'),
  'max-output-price': ofModel('price', 'at most this many USD per million output tokens', '15'),
  'max-request-price': ofModel('price', 'at most this many USD per request besides tokens', '0.01'),
  'max-image-price': ofModel('price', 'at most this many USD per generated image', '0.05'),
  quantizations: ofModel('quantizations', 'only offers with weights of these precisions', 'bf16', 'fp8'),
  'free-only': ofModel('nothing', 'only free models'),
  'paid-only': ofModel('nothing', 'only what has a price'),
} as const satisfies Record<string, RuleTypeEntry>;

export type RuleType = keyof typeof RULE_TYPES;

/** A type's entry; undefined for a type of another version of this program. */
export function findRuleType(type: string): RuleTypeEntry | undefined {
  return Object.hasOwn(RULE_TYPES, type) ? RULE_TYPES[type as RuleType] : undefined;
}

/** A rule as it binds a caller. */
export interface AccessRule {
  layer: BindingLayer;
  /** A `RuleType`; an unknown one refuses everything. */
  type: string;
  values: readonly string[];
}
