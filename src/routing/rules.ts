import type { Experiment } from './experiment.ts';
import type { Mirror } from './mirror.ts';
import type { ModelWeights, Strategy } from './arrange.ts';

/** How requests are routed that ask for nothing else. */
export interface RoutingRules {
  strategy: Strategy;
  /** Whether attempts are repeated, and mappings ranked by speed and not only by failures and price. */
  isAdaptive: boolean;
  /** Whether a second provider is called while the first is silent. */
  hedges: boolean;
  /** Absent if there are none. */
  experiments?: readonly Experiment[];
  mirrors?: readonly Mirror[];
  /** How often each provider of a model comes first; absent if none has weights. */
  weights?: ModelWeights;
}
