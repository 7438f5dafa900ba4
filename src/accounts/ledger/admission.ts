import { type PicoUsd, startDeadline } from '#base';
import { GatewayError } from '#errors';
import type { Hold, HoldRequest, LeaveSignal } from './ledger.ts';
import type { MeterFigures, Purse, ReserveOutcome, ReserveTry } from './wire.ts';
import { createRefusal } from './refusal.ts';
import { createShutdown } from './store-fault.ts';

/** A request that asks for money. */
interface Arrival {
  request: HoldRequest;
  /** Place in the order of arrival. */
  place: number;
  signal: LeaveSignal | undefined;
}

/** One that did not get it at once, until it has its hold or its refusal. */
interface Applicant extends Arrival {
  /** The line it stands in. */
  line?: string;
  trying: boolean;
  /** Waited long enough, or its client left: the next answer is the last. */
  expired: boolean;
  abandoned: boolean;
  resolve(hold: Hold): void;
  reject(error: unknown): void;
  /** Present once it stands in a line, as few ever do. */
  stopWaiting?(): void;
}

interface AdmissionOptions {
  tryReserve(attempt: ReserveTry): Promise<ReserveOutcome>;
  /** How long a request may stand in line for money that open holds occupy. */
  waitMs: number;
}

/** Other processes settle too: their money is noticed within this time. */
const POLL_MS = 100;
/** How many of a line are tried at once; the rest follows while all of them are admitted. */
const TRIED_AT_ONCE = 8;

/** The lines of a purse: those who wait for a premium allowance keep no standard request waiting. */
function linesOf({ keyId, organizationId, memberId, sessionTokenId, premium }: Purse): readonly string[] {
  const lines = [`key ${keyId}`, `organization ${organizationId}`];
  if (premium) lines.push(`premium ${organizationId}`);
  if (memberId !== undefined) lines.push(`member ${memberId}`);
  if (sessionTokenId !== undefined) lines.push(`session ${sessionTokenId}`);
  return lines;
}

/**
 * Worst-case holds put more aside than requests come to. A request that only they keep out waits in the line of the meter
 * that is short, first come first served, and is tried again whenever money comes back.
 */
export class Admission {
  readonly #options: AdmissionOptions;
  readonly #lines = new Map<string, Applicant[]>();
  readonly #busy = new Map<string, { again: boolean }>();
  #arrivals = 0;
  #poll: NodeJS.Timeout | undefined;
  #isStopping = false;

  constructor(options: AdmissionOptions) {
    this.#options = options;
  }

  async reserve(request: HoldRequest, signal?: LeaveSignal): Promise<Hold> {
    if (typeof signal === 'object' && signal.aborted) throw createAbandoned();
    const arrival: Arrival = { request, place: (this.#arrivals += 1), signal };
    const final = this.#options.waitMs <= 0;
    const line = this.#findLine(request);
    if (line !== undefined) {
      const { applicant, hold } = createApplicant(arrival, final);
      this.#stand(applicant, line);
      return hold;
    }
    const outcome = await this.#options.tryReserve({ request, final });
    if (outcome.status === 'ok') return toHold(request, outcome);
    const { applicant, hold } = createApplicant(arrival, final);
    this.#judge(applicant, outcome, final);
    return hold;
  }

  /** Money came back to a purse. */
  wake(purse: Purse): void {
    if (this.#lines.size > 0) this.#wakeLines(linesOf({ ...purse, premium: true }));
  }

  #wakeLines(lines: readonly string[]): void {
    for (const line of lines) if (this.#lines.has(line)) void this.#serve(line);
  }

  /** The line that a request may not overtake. */
  #findLine({ caller, premium = false }: HoldRequest): string | undefined {
    if (this.#lines.size === 0) return undefined;
    return linesOf({ ...caller, premium }).find((name) => this.#lines.has(name));
  }

  /** Whoever is being tried at this moment may still get a hold, and is let go when that comes to nothing. */
  stopWaiting(): void {
    this.#isStopping = true;
    for (const applicant of [...this.#lines.values()].flat()) if (!applicant.trying) this.#dismiss(applicant);
  }

  #dismiss(applicant: Applicant): void {
    this.#finish(applicant, () => applicant.reject(createShutdown('this gateway is stopping; try again')));
  }

  #startWaiting(applicant: Applicant): void {
    const stop = (abandoned: boolean): void => {
      applicant.expired = true;
      applicant.abandoned ||= abandoned;
      if (!applicant.trying) this.#conclude(applicant);
    };
    const abandon = (): void => stop(true);
    const deadline = startDeadline(this.#options.waitMs, () => stop(false));
    const signal = typeof applicant.signal === 'function' ? applicant.signal() : applicant.signal;
    signal?.addEventListener('abort', abandon, { once: true });
    applicant.stopWaiting = () => {
      deadline.stop();
      signal?.removeEventListener('abort', abandon);
    };
    if (signal?.aborted === true) applicant.expired = applicant.abandoned = true;
  }

  /** One try. What it comes to is dealt with here, except that a blocked applicant stays in line. */
  async #try(applicant: Applicant): Promise<'admitted' | 'refused' | 'blocked'> {
    const final = applicant.expired;
    applicant.trying = true;
    try {
      const outcome = await this.#options.tryReserve({ request: applicant.request, final });
      applicant.trying = false;
      return this.#judge(applicant, outcome, final);
    } catch (error) {
      applicant.trying = false;
      this.#finish(applicant, () => applicant.reject(error));
      return 'refused';
    }
  }

  #judge(applicant: Applicant, outcome: ReserveOutcome, final: boolean): 'admitted' | 'refused' | 'blocked' {
    const { request } = applicant;
    if (outcome.status === 'ok') {
      this.#finish(applicant, () => applicant.resolve(toHold(request, outcome)));
      return 'admitted';
    }
    if (outcome.status === 'closed') {
      const error = new GatewayError('internal_error', 'internal error', {
        detail: 'a settled request asked for a hold',
      });
      this.#finish(applicant, () => applicant.reject(error));
      return 'refused';
    }
    if (outcome.status === 'refused' || (final && !applicant.abandoned)) {
      this.#finish(applicant, () =>
        applicant.reject(createRefusal(outcome, request.leastAmount ?? request.amount)),
      );
      return 'refused';
    }
    this.#stand(applicant, nameOf(applicant, outcome));
    return 'blocked';
  }

  #stand(applicant: Applicant, meter: string): void {
    if (this.#isStopping) {
      this.#dismiss(applicant);
      return;
    }
    this.#enqueue(applicant, meter);
    if (applicant.expired) this.#conclude(applicant);
  }

  /** The end of waiting: whoever left is let go, whoever waited long enough gets one last try past the line. */
  #conclude(applicant: Applicant): void {
    if (applicant.abandoned) this.#finish(applicant, () => applicant.reject(createAbandoned()));
    else void this.#try(applicant);
  }

  #finish(applicant: Applicant, answer: () => void): void {
    applicant.stopWaiting?.();
    const { line } = applicant;
    const wasFirst = line !== undefined && this.#lines.get(line)?.[0] === applicant;
    this.#leave(applicant);
    answer();
    if (wasFirst && !this.#isStopping) this.#wakeLines([line]); // those behind may fit where this one did not
  }

  #enqueue(applicant: Applicant, meter: string): void {
    if (applicant.line === meter) return;
    this.#leave(applicant);
    applicant.line = meter;
    const line = this.#lines.get(meter) ?? [];
    const behind = line.findLastIndex((other) => other.place < applicant.place) + 1;
    line.splice(behind, 0, applicant);
    this.#lines.set(meter, line);
    this.#poll ??= setInterval(() => this.#wakeLines([...this.#lines.keys()]), POLL_MS);
    if (!applicant.stopWaiting) this.#startWaiting(applicant);
  }

  #leave(applicant: Applicant): void {
    if (applicant.line === undefined) return;
    const line = this.#lines.get(applicant.line) ?? [];
    const at = line.indexOf(applicant);
    if (at !== -1) line.splice(at, 1);
    if (line.length === 0) this.#lines.delete(applicant.line);
    delete applicant.line;
    if (this.#lines.size === 0) {
      clearInterval(this.#poll);
      this.#poll = undefined;
    }
  }

  /** Tries the head of a line; once more when money came back meanwhile or all of the head was admitted. */
  async #serve(meter: string): Promise<void> {
    const busy = this.#busy.get(meter);
    if (busy !== undefined) {
      busy.again = true;
      return;
    }
    const round = { again: true };
    this.#busy.set(meter, round);
    while (round.again) {
      const head = (this.#lines.get(meter) ?? [])
        .filter((applicant) => !applicant.trying)
        .slice(0, TRIED_AT_ONCE);
      round.again = false;
      const answers = await Promise.all(head.map((applicant) => this.#try(applicant)));
      if (answers.length > 0 && !answers.includes('blocked')) round.again = true;
    }
    this.#busy.delete(meter);
  }
}

/** What a request needs that does not get its hold at once, as nearly all do. */
function createApplicant(arrival: Arrival, expired: boolean): { applicant: Applicant; hold: Promise<Hold> } {
  const { promise: hold, resolve, reject } = Promise.withResolvers<Hold>();
  return { applicant: { ...arrival, trying: false, expired, abandoned: false, resolve, reject }, hold };
}

function nameOf({ request: { caller } }: Applicant, { kind }: MeterFigures): string {
  switch (kind) {
    case 'key':
    case 'recurring':
      return `key ${caller.keyId}`;
    case 'member':
    case 'member_recurring':
      return `member ${caller.memberId}`;
    case 'session':
      return `session ${caller.sessionTokenId}`;
    case 'premium':
      return `premium ${caller.organizationId}`;
    case 'credits':
    case 'plan':
      return `organization ${caller.organizationId}`;
  }
}

function toHold({ requestId }: HoldRequest, { amount }: { amount: PicoUsd }): Hold {
  return { requestId, amount };
}

function createAbandoned(): GatewayError {
  return new GatewayError('client_closed', 'the client left before the request was admitted');
}
