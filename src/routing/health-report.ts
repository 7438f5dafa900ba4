/** The health of a mapping as one process shares it with others; times in milliseconds. */
export interface HealthReport {
  isTrusted: boolean;
  failedShare: number;
  /** Until its pause ends. */
  pausedMs: number;
  /** Whether the provider itself asked this process for the pause. */
  hasRetryAfter: boolean;
  firstEventMs?: number;
  wholeMs?: number;
  msPerToken?: number;
}
