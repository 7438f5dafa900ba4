/** Why a provider did not read a prompt from its cache, in the order in which the causes come before the text. */
export const MISS_CODES = [
  'other_model',
  'other_provider',
  'other_credential',
  'idle',
  'tools_changed',
  'system_changed',
  'parameters_changed',
  'turn_rewritten',
  'no_marker',
  'marker_moved',
  'below_minimum',
  'evicted',
] as const;

export type MissCode = (typeof MISS_CODES)[number];

/** A reason, with what is known about it. Positions count from 1. */
export interface MissReason {
  code: MissCode;
  /** Of tools: as `+name`, `-name` or `~name` (changed); several are cut. */
  tools?: readonly string[];
  /** How many more tools there are than `tools` lists. */
  moreTools?: number;
  /** Of the first tool, system block or turn that differs. */
  position?: number;
  /** Whether a date may be all that differs in the system block. */
  onlyDate?: boolean;
  /** The last turn that may be the one, where the earlier request is known only roughly. */
  lastPosition?: number;
  parameters?: readonly string[];
  idleMinutes?: number;
  ttlMinutes?: number;
  /** The shortest prompt that the provider caches. */
  leastTokens?: number;
}

/**
 * Tokens that a request did not read from the provider's cache although an earlier request of its session had written
 * them.
 */
export interface CacheMiss {
  /** At least one, the first cause first. */
  reasons: readonly MissReason[];
  tokens: number;
  /** Their cost beyond that of cache reads: pico-USD in decimal digits. */
  cost: string;
  /** The reason that the provider itself reported. */
  reported?: string;
}

/** A miss as a sentence: `tools changed: +mcp__github (position 14); 11 minutes idle, ttl 5`. */
export function describeMiss({ reasons, reported }: CacheMiss): string {
  const own = reasons.map(describeReason).join('; ');
  return reported === undefined ? own : `${own} (the provider reports ${reported})`;
}

function describeReason(reason: MissReason): string {
  const { position = 0, lastPosition = position, parameters = [] } = reason;
  switch (reason.code) {
    case 'tools_changed':
      return `tools changed: ${describeTools(reason)}`;
    case 'system_changed':
      return `system block ${position} changed${reason.onlyDate ? ' (a date?)' : ''}`;
    case 'turn_rewritten':
      return lastPosition > position
        ? `a turn from ${position} to ${lastPosition} rewritten`
        : `turn ${position} rewritten`;
    case 'parameters_changed':
      return `parameters changed: ${parameters.join(', ')}`;
    case 'idle':
      return `${reason.idleMinutes ?? 0} minutes idle, ttl ${reason.ttlMinutes ?? 0}`;
    case 'below_minimum':
      return `below ${(reason.leastTokens ?? 0).toLocaleString('en-US')} tokens`;
    default:
      return SENTENCES[reason.code];
  }
}

const SENTENCES = {
  other_model: 'other model',
  other_provider: 'other provider',
  other_credential: 'other credential',
  no_marker: 'no marker set',
  marker_moved: 'marker moved',
  evicted: 'nothing changed; the provider no longer had it',
} as const;

function describeTools({ tools = [], moreTools = 0, position }: MissReason): string {
  const list = [...tools, ...(moreTools > 0 ? [`${moreTools} more`] : [])].join(', ');
  const names = list === '' ? 'order' : list;
  return position === undefined ? names : `${names} (position ${position})`;
}
