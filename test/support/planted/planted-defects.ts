/** A fault of the path under fire, and who must notice it. */
export interface PlantedDefect {
  name: string;
  path: string;
  /** Occurs once in the file. */
  before: string;
  after: string;
  /** Words in the names of the matrix's faults that reach it, or a test file. */
  by: { faults: string } | { file: string };
}

const ATTEMPT = 'src/pipeline/attempt';
const ROUTING = 'src/routing';
const WORLDS = { file: 'test/property/worlds.test.ts' };

export const PLANTED: readonly PlantedDefect[] = [
  {
    name: 'a request is tried once, whatever happens',
    path: `${ATTEMPT}/route/route-walk.ts`,
    before: 'if (!mayGoOn(last.ending)) break;',
    after: 'break;',
    by: { faults: 'fails with 500' },
  },
  {
    name: 'a failure after the first event is tried elsewhere',
    path: `${ATTEMPT}/attempt-types.ts`,
    before: "return ending.type === 'failed' && findNext(ending.failure) !== 'stop';",
    after:
      "return 'failure' in ending && ending.failure !== undefined && findNext(ending.failure) !== 'stop';",
    by: { faults: 'cuts a stream with a FIN' },
  },
  {
    name: 'a refusal of the request is tried elsewhere',
    path: 'src/errors/upstream-failure.ts',
    before: "return failure.kind === 'request-refused' && isOfMapping(failure) ? 'other-mapping' : next;",
    after: "return failure.kind === 'request-refused' ? 'other-mapping' : next;",
    by: { faults: 'refuses the request (400)' },
  },
  {
    name: 'an unknown model is not tried elsewhere',
    path: 'src/errors/refusals-of-mapping.ts',
    before: 'new Set([404, 405,',
    after: 'new Set([405,',
    by: { file: 'test/e2e/routing.system.test.ts' },
  },
  {
    name: 'too long a prompt is not tried elsewhere',
    path: 'src/errors/refusals-of-mapping.ts',
    before: '/prompt (?:is )?too long/i',
    after: '/prompt is far too long/i',
    by: { faults: 'finds the prompt too long' },
  },
  {
    name: 'a refused credential ends the request',
    path: 'src/errors/upstream-failure.ts',
    before: "'credential-refused': {\n    next: 'other-mapping',",
    after: "'credential-refused': {\n    next: 'stop',",
    by: { faults: 'refuses the credential' },
  },
  {
    name: 'a time-out is repeated at the same provider',
    path: 'src/errors/upstream-failure.ts',
    before: "'timed-out': { next: 'other-mapping'",
    after: "'timed-out': { next: 'repeat'",
    by: { faults: 'sends comments without end' },
  },
  {
    name: 'retry-after is ignored',
    path: `${ATTEMPT}/route/record-attempt.ts`,
    before: '...(isTold && { retryAfterMs: retryAfterSeconds * 1_000 }),',
    after: '',
    by: { file: 'test/e2e/routing.system.test.ts' },
  },
  {
    name: 'retry-after is not passed on',
    path: 'src/errors/upstream-failure.ts',
    before:
      'if (failure.retryAfterSeconds !== undefined) facts.retryAfterSeconds = failure.retryAfterSeconds;',
    after: '',
    by: { faults: 'limits the rate, `retry-after: 1`' },
  },
  {
    name: 'the loser of a race is not stopped',
    path: `${ATTEMPT}/route/race.ts`,
    before: "running.attempt.cancel();\n      this.#record(running, 'outpaced');",
    after: "this.#record(running, 'outpaced');",
    by: { file: 'test/e2e/routing.system.test.ts' },
  },
  {
    name: 'the loser of a race is not booked',
    path: `${ATTEMPT}/route/race.ts`,
    before: "this.#record(running, 'outpaced');\n      this.#tried.earlier.push(running.attempt.meter);",
    after: "this.#record(running, 'outpaced');",
    by: { file: 'test/e2e/routing.system.test.ts' },
  },
  {
    name: 'a silent provider gets no rival',
    path: `${ATTEMPT}/route/race.ts`,
    before: 'if (!rival || !budget.spend(this.#tried.nowMs)) return false;',
    after: 'if (!rival || this.#tried.nowMs >= 0) return false;',
    by: { file: 'src/pipeline/attempt/route/race.test.ts' },
  },
  {
    name: 'the connection of an attempt that ended stays open',
    path: `${ATTEMPT}/dispatch/dispatch.ts`,
    before: "if (ending.type !== 'answered') this.#call?.abort();",
    after: '',
    by: { faults: 'accepts and never answers' },
  },
  {
    name: 'an error for a Gemini client has no number',
    path: 'src/wire/gemini/answer/error.ts',
    before: '      code,\n      message: error.message,',
    after: '      message: error.message,',
    by: { faults: 'fails with 500' },
  },
  {
    name: 'a client that disconnects is not noticed',
    path: `${ATTEMPT}/dispatch/dispatch.ts`,
    before: 'trip.arrival.reply.onGone(this.#leave);',
    after: '',
    by: { faults: 'client disconnects in the middle' },
  },
  {
    name: 'silence after the first event has no limit',
    path: `${ATTEMPT}/dispatch/attempt-clocks.ts`,
    before: 'this.#stall(idleMs, stallMs)) : this.#set(idleMs, CUT)',
    after: 'this.#stall(idleMs * 1_000, stallMs)) : this.#set(idleMs * 1_000, CUT)',
    by: { faults: 'goes silent in the middle' },
  },
  {
    name: 'comments count as a sign of life',
    path: 'src/pipeline/answer/answer-reader.ts',
    before: 'if (messages.length === 0) return;\n      this.#listener.onSign();',
    after: 'this.#listener.onSign();\n      if (messages.length === 0) return;',
    by: { faults: 'sends comments without end' },
  },
  {
    name: 'an error as the first event is passed on',
    path: `${ATTEMPT}/attempt.ts`,
    before: "if (event.type === 'generation-error') return event.failure;",
    after: '',
    by: { faults: 'streams an error as its first event' },
  },
  {
    name: 'a stream that is cut has no error',
    path: `${ATTEMPT}/attempt.ts`,
    before: "this.#tools.delivery.push([{ type: 'generation-error', failure }]);",
    after: 'void failure;',
    by: { faults: 'cuts a stream with a reset' },
  },
  {
    name: 'a stream without its last event is complete',
    path: 'src/pipeline/answer/answer-reader.ts',
    before: 'if (events.length > 0) this.#listener.onEvents(events);\n    } catch',
    after: "this.#listener.onEvents([{ type: 'generation-end', finish: { reason: 'stop' } }]);\n    } catch",
    by: { faults: 'ends a stream properly without its last event' },
  },
  {
    name: 'an endless answer is read for ever',
    path: `${ATTEMPT}/attempt.ts`,
    before: 'else if (this.meter.isRunaway && !this.meter.isEnded)',
    after: 'else if (this.meter.isRunaway && this.meter.isEnded)',
    by: { faults: 'streams without end' },
  },
  {
    name: 'a refusal is read as an answer',
    path: 'src/pipeline/answer/answer-reader.ts',
    before: "else if (status >= 300) this.#mode = 'error';",
    after: "else if (status >= 500) this.#mode = 'error';",
    by: { faults: 'does not know the model (404)' },
  },
  {
    name: 'a refused request leaves no row',
    path: 'src/pipeline/path/refuse.ts',
    before:
      '  await settle(ports, trip, { outcome, patienceMs: LITTLE_PATIENCE_MS }).catch(() => undefined);',
    after: '  void outcome;',
    by: { faults: 'fails with 500' },
  },
  {
    name: 'the hold of a refused request stays',
    path: 'src/pipeline/path/settle/settle.ts',
    before: 'if (facts.hold === undefined) return',
    after: 'if (facts.hold === undefined || bill.provider === 0n) return',
    by: { faults: 'fails with 500' },
  },
  {
    name: 'an answer that never came is charged',
    path: 'src/pipeline/path/conclude.ts',
    before: 'const bill = isUndelivered ? { ...meter.bill, owed: 0n, customer: 0n } : meter.bill;',
    after: 'const bill = isUndelivered ? { ...meter.bill, owed: 0n, customer: 1n } : meter.bill;',
    by: { faults: 'accepts and never answers' },
  },
  {
    name: 'a connection that closes as it is reused is a failure',
    path: 'src/providers/transports/http.ts',
    before: 'if (this.#gotHead || this.#resends >= MOST_RESENDS || !isStale(error)) return false;',
    after: 'if (this.#resends >= 0) return false;',
    by: { file: 'src/providers/transports/connections.test.ts' },
  },
  {
    name: 'the breaker sends no probe',
    path: `${ROUTING}/mapping-health.ts`,
    before: "if (nowMs >= this.pausedUntilMs && !isProbed) return 'due';",
    after: '',
    by: { file: 'src/routing/mapping-health.test.ts' },
  },
  {
    name: 'all requests probe at once',
    path: `${ROUTING}/mapping-health.ts`,
    before: 'this.#probedUntilMs = nowMs + PROBE_MS;',
    after: 'this.#probedUntilMs = nowMs;',
    by: { file: 'src/routing/mapping-health.test.ts' },
  },
  {
    name: 'pauses do not grow',
    path: `${ROUTING}/pause-lengths.ts`,
    before: ' * 2 ** this.#pauses',
    after: '',
    by: { file: 'src/routing/mapping-health.test.ts' },
  },
  {
    name: 'the budget counts nothing',
    path: `${ROUTING}/budget.ts`,
    before: 'this.#left -= 1;',
    after: '',
    by: WORLDS,
  },
];
