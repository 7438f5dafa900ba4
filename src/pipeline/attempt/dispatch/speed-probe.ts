import type { Clock } from '#base';
import type { Meter } from '../../price/meter.ts';
import type { AttemptListener } from '../attempt-types.ts';
import { outputTokensOf } from '#canonical';

/** A slow stream is noticed after this time, not at its end. */
const FIRST_LOOK_MS = 1_000;
/** With fewer tokens the speed is not measured. */
const LEAST_TOKENS = 8;

/** Measures how fast a provider streams, once early and once at the end; not while it is paused. */
export class SpeedProbe {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #listener: Pick<AttemptListener, 'onSpeed'>;
  #startedMs: number | undefined;
  #hasLooked = false;

  constructor(clock: Pick<Clock, 'monotonicMs'>, listener: Pick<AttemptListener, 'onSpeed'>) {
    this.#clock = clock;
    this.#listener = listener;
  }

  start(): void {
    this.#startedMs = this.#clock.monotonicMs();
  }

  /** The provider is paused, so its speed is not measured. */
  stop(): void {
    this.#startedMs = undefined;
  }

  look(meter: Pick<Meter, 'isEnded' | 'usage'>): void {
    if (this.#startedMs === undefined || (this.#hasLooked && !meter.isEnded)) return;
    const tookMs = this.#clock.monotonicMs() - this.#startedMs;
    if (!meter.isEnded && tookMs < FIRST_LOOK_MS) return;
    this.#hasLooked = true;
    const tokens = outputTokensOf(meter.usage);
    if (tokens >= LEAST_TOKENS) this.#listener.onSpeed(tookMs / tokens);
    if (meter.isEnded) this.stop();
  }
}
