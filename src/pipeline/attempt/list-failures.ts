import type { AttemptRecord } from '../request/trip.ts';
import type { FailureKind } from '#errors';

/** How many calls an error lists. */
const MOST_LISTED = 5;

const FAILURES: Record<FailureKind, string> = {
  unreachable: 'unreachable',
  'no-descriptor': 'no connection left',
  'timed-out': 'timed out',
  'rate-limited': 'rate limited',
  overloaded: 'overloaded',
  'credential-refused': 'credential refused',
  'out-of-quota': 'out of quota',
  'request-refused': 'request refused',
  'content-refused': 'content refused',
  garbled: 'malformed response',
  broken: 'failed',
};

/**
 * Which providers were called and why each last failed, as `first: 500, second: timed out after 10 s`; undefined if the
 * error itself names the only one. Contains ids and words of the gateway alone.
 */
export function listFailures(attempts: readonly AttemptRecord[]): string | undefined {
  const models = new Set(attempts.map(({ externalId }) => externalId));
  const called = new Map<string, string>();
  for (const attempt of attempts) {
    const why = describeFailure(attempt);
    if (why === undefined) continue;
    const { providerId, externalId } = attempt;
    called.set(models.size > 1 ? `${providerId}/${externalId}` : providerId, why);
  }
  if (called.size < 2) return undefined;
  const listed = [...called].slice(0, MOST_LISTED).map(([name, why]) => `${name}: ${why}`);
  if (called.size > MOST_LISTED) listed.push(`${called.size - MOST_LISTED} more`);
  return listed.join(', ');
}

function describeFailure({ outcome, status, durationMs }: AttemptRecord): string | undefined {
  if (outcome === 'unsupported') return 'does not support this request';
  if (!isFailure(outcome)) return undefined;
  const words = FAILURES[outcome];
  if (status !== undefined && status >= 400) return outcome === 'broken' ? `${status}` : `${status} ${words}`;
  return outcome === 'timed-out' ? `${words} after ${formatSeconds(durationMs)}` : words;
}

function isFailure(outcome: AttemptRecord['outcome']): outcome is FailureKind {
  return outcome in FAILURES;
}

function formatSeconds(ms: number): string {
  return `${ms < 10_000 ? Math.round(ms / 100) / 10 : Math.round(ms / 1_000)} s`;
}
