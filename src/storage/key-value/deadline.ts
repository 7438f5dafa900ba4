/** An answer that did not come in time. */
class DeadlineExceeded extends Error {
  constructor(timeoutMs: number) {
    super(`no answer within ${timeoutMs} ms`);
    this.name = 'DeadlineExceeded';
  }
}

/** The answer if it comes in time; what comes later is dropped. */
export function withDeadline<Value>(answer: Promise<Value>, timeoutMs: number): Promise<Value> {
  return new Promise((resolve, reject) => {
    // After a busy moment timers run before sockets are read: an answer that waits there did come in time.
    const expire = (): void => void setImmediate(() => reject(new DeadlineExceeded(timeoutMs)));
    const timer = setTimeout(expire, timeoutMs);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
