import type { LimitState, RateLimit } from '#accounts';
import type { ClientFormatId } from '#canonical';
import { CLIENT_FACTS } from '#wire';

/** The rate-limit headers of an answer, for the limit with less left: the key's or the organization's. */
export function listLimitHeaders(
  states: readonly LimitState[],
  format: ClientFormatId,
  now: number,
): [name: string, value: string][] {
  return (['requests', 'tokens'] as const).flatMap((kind) => {
    const tightest = findTightest(states, kind);
    return tightest ? describeLimit(tightest, format, now) : [];
  });
}

function findTightest(states: readonly LimitState[], kind: RateLimit['kind']): LimitState | undefined {
  let tightest: LimitState | undefined;
  for (const one of states) {
    if (one.limit.kind === kind && (!tightest || remainingOf(one) < remainingOf(tightest))) tightest = one;
  }
  return tightest;
}

function remainingOf({ limit: { most }, used }: LimitState): number {
  return Math.max(0, most - used);
}

function describeLimit(state: LimitState, format: ClientFormatId, now: number): [string, string][] {
  const { limit: hit, resetMs } = state;
  const [most, remaining] = [String(hit.most), String(remainingOf(state))];
  const headers: [string, string][] = [
    [`x-ratelimit-limit-${hit.kind}`, most],
    [`x-ratelimit-remaining-${hit.kind}`, remaining],
    [`x-ratelimit-reset-${hit.kind}`, formatDuration(resetMs)],
  ];
  if (CLIENT_FACTS[format].hasAnthropicHeaders) {
    headers.push(
      [`anthropic-ratelimit-${hit.kind}-limit`, most],
      [`anthropic-ratelimit-${hit.kind}-remaining`, remaining],
      [`anthropic-ratelimit-${hit.kind}-reset`, formatMoment(now + resetMs)],
    );
  }
  return headers;
}

/** In Go's format of durations, as OpenAI sends them: `0s`, `850ms`, `59.2s`, `1m0.5s`. */
function formatDuration(ms: number): string {
  const whole = Math.ceil(ms);
  if (whole > 0 && whole < 1_000) return `${whole}ms`;
  const minutes = Math.floor(whole / 60_000);
  return `${minutes > 0 ? `${minutes}m` : ''}${(whole % 60_000) / 1_000}s`;
}

/** RFC 3339 in whole seconds, rounded up so that the limit is reset by then. */
function formatMoment(ms: number): string {
  return `${new Date(Math.ceil(ms / 1_000) * 1_000).toISOString().slice(0, 19)}Z`;
}
