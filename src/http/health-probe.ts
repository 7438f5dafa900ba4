import type { Clock } from '#base';

export interface CheckResult {
  connected: boolean;
  /** One of two fixed texts, present only on failure. */
  error?: 'timed out' | 'connection failed';
}

/** A connectivity check of a store; rejects on failure. */
type Check = () => Promise<unknown>;

/** What is checked; the ledger is healthy if it would admit paid requests. */
type Checked = 'redis' | 'database' | 'ledger';

export type HealthProbe = Readonly<Record<Checked, () => Promise<CheckResult>>>;

const LIMIT_MS = 2_000;
const FRESH_MS = 1_000;

/** Checks at most once a second, for at most two seconds. */
export function createHealthProbe(checks: Readonly<Record<Checked, Check>>, clock: Clock): HealthProbe {
  return {
    redis: remember(checks.redis, clock),
    database: remember(checks.database, clock),
    ledger: remember(checks.ledger, clock),
  };
}

function remember(check: Check, clock: Clock): () => Promise<CheckResult> {
  let askedMs = -Infinity;
  let answer: Promise<CheckResult> | undefined;
  return () => {
    const nowMs = clock.monotonicMs();
    if (!answer || nowMs - askedMs >= FRESH_MS) {
      askedMs = nowMs;
      answer = ask(check);
    }
    return answer;
  };
}

async function ask(check: Check): Promise<CheckResult> {
  const limit = Promise.withResolvers<CheckResult>();
  const timer = setTimeout(() => limit.resolve({ connected: false, error: 'timed out' }), LIMIT_MS);
  const asked = check().then(
    (): CheckResult => ({ connected: true }),
    (): CheckResult => ({ connected: false, error: 'connection failed' }),
  );
  try {
    return await Promise.race([asked, limit.promise]);
  } finally {
    clearTimeout(timer);
  }
}
