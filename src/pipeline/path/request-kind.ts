import type { Caller } from '#accounts';
import type { Mapping } from '#catalogue';
import type { AnswerEnd } from '../answer/delivery.ts';
import type { AttemptResult } from '../attempt/attempt-types.ts';
import type { Ports } from '../request/ports.ts';
import type { Trip } from '../request/trip.ts';

/** The steps that differ between text and other media. */
export interface RequestKind {
  /** Whether its requests and answers are kept for projects that ask for it. */
  keepsPayloads: boolean;
  /** Whose request it is; by default, the caller's that its headers name. */
  identify?(): Caller;
  /** Reads and decodes the body and notes what it asks for; returns its bytes. */
  receive(ports: Ports, trip: Trip): Promise<Buffer>;
  /** The mappings that can serve it and that the caller may use. */
  permit(ports: Ports, trip: Trip): readonly Mapping[];
  /** Holds the worst case of a route, durably; returns the mappings whose price is known. */
  hold(ports: Ports, trip: Trip, route: readonly Mapping[]): Promise<readonly Mapping[]>;
  /** Tries the mappings in order; the end of the answer is withheld. */
  answer(ports: Ports, trip: Trip, options: AnswerOptions): OpenAnswer;
}

/** The attempts under way, and where their answer goes. */
export interface OpenAnswer {
  attempted: Promise<AttemptResult>;
  delivery: AnswerEnd;
}

export interface AnswerOptions {
  route: readonly Mapping[];
  /** Whether the response cache may store the answer. */
  keepTranscript: boolean;
}
