/** Runs an interruptible computation to its end without yielding. */
export function finish<T>(work: Iterator<unknown, T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}
