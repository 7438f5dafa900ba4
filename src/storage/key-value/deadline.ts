/** The answer did not come in time. */
class DeadlineExceeded extends Error {
  constructor(timeoutMs: number) {
    super(`no answer within ${timeoutMs} ms`);
    this.name = 'DeadlineExceeded';
  }
}

/** Resolves with the answer if it comes in time; a late one is dropped. */
export function withDeadline<Value>(answer: Promise<Value>, timeoutMs: number): Promise<Value> {
  return new Promise((resolve, reject) => {
    // When the event loop was blocked, timers run before sockets are read: an answer waiting there did come in time.
    const expire = (): void => void setImmediate(() => reject(new DeadlineExceeded(timeoutMs)));
    const timer = setTimeout(expire, timeoutMs);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
