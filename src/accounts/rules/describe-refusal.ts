import type { AccessRefusal } from './decide-access.ts';
import type { RuleType } from './rule.ts';
import { findRuleType } from './rule.ts';

const REASONS: Record<RuleType, (values: readonly string[]) => string> = {
  'no-training': () => 'no provider of it is known not to train on API data',
  'zero-retention': () => 'none of its providers is known to retain no data',
  regions: (values) => `no provider of it is known to process within ${values.join(', ')} only`,
  'approved-providers': () => 'no approved provider serves it',
  'allow-networks': () => 'the address is not in an allowed network',
  'deny-networks': () => 'the address is in a denied network',
  'allow-models': () => 'it is not among the allowed models',
  'deny-models': () => 'it is denied',
  'allow-providers': () => 'no allowed provider serves it',
  'deny-providers': () => 'its provider is denied',
  'max-input-price': (values) => `it costs more than ${values.join(' or ')} USD per million input tokens`,
  'max-output-price': (values) => `it costs more than ${values.join(' or ')} USD per million output tokens`,
  'max-request-price': (values) => `it costs more than ${values.join(' or ')} USD per request`,
  'max-image-price': (values) => `it costs more than ${values.join(' or ')} USD per image`,
  quantizations: (values) => `no offer of it is known to have weights in ${values.join(' or ')}`,
  'free-only': () => 'it is not free',
  'paid-only': () => 'it has no price',
};

/** The refusal of a model that the catalogue does not have, so that the rule cannot be evaluated. */
export function describeUnevaluated({ layer, type }: AccessRefusal, what: string): string {
  return `the catalogue does not know ${what}, so a rule of the ${nameLayer(layer)} (${type}) cannot be evaluated; name a model that GET /v1/models lists`;
}

const LAYER_NAMES: Partial<Record<AccessRefusal['layer'], string>> = {
  session: 'session token',
  'project-routing': 'project',
  'key-routing': 'key',
};

const nameLayer = (layer: AccessRefusal['layer']): string => LAYER_NAMES[layer] ?? layer;

/**
 * The reason, the rule's owner and who can change it. `what` is the model or the address.
 */
export function describeRefusal({ layer, type, values }: AccessRefusal, what: string): string {
  const entry = findRuleType(type);
  const reason = entry ? REASONS[type as RuleType](values) : 'this gateway does not support the rule';
  if (layer === 'request')
    return `the request itself excludes every provider of ${what} (${type}): ${reason}`;
  if (layer === 'session') {
    return `the session token (${type}) does not allow ${what}: ${reason}; GET /v1/models lists the models it may use`;
  }
  if (layer === 'project-routing' || layer === 'key-routing') {
    const owner = nameLayer(layer);
    return `the routing of the ${owner} excludes every provider of ${what} (${type}): ${reason}. Ask an administrator of the ${owner} to change it`;
  }
  const source =
    entry?.isCompliance === true ? `the compliance policy of the ${layer}` : `a rule of the ${layer}`;
  const hint = entry?.takes === 'networks' ? '' : '; GET /v1/models lists what this key may use';
  return `${source} (${type}) does not allow ${what}: ${reason}. Ask an administrator of the ${layer} to allow it${hint}`;
}
