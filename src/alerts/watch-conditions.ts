import type { Clock, JsonObject } from '#base';
import type { Alert, AlertType, Condition } from './alert.ts';
import type { AlertStore } from './alert-store.ts';
import type { EndedCondition, StateStore } from './state-store.ts';

const KEPT_MS = 30 * 86_400_000;

interface WatchPorts {
  alerts: AlertStore;
  states: StateStore;
  clock: Clock;
}

/** Alerts when conditions begin and end, whichever process sees them. */
export class ConditionWatch {
  readonly #ports: WatchPorts;
  /** Those that this process saw the last time. */
  #lasting: readonly string[] = [];

  constructor(ports: WatchPorts) {
    this.#ports = ports;
  }

  /** Compares the conditions that hold now with those of the last time. */
  async look(conditions: readonly Condition[]): Promise<void> {
    const { alerts, states } = this.#ports;
    for (const { name, begins, ends, data } of conditions) {
      const since = await states.record(name, { type: ends, data });
      await alerts.add([this.#compose(begins, { name, since, data })]);
    }
    const lasting = conditions.map(({ name }) => name);
    const over = this.#lasting.filter((name) => !lasting.includes(name));
    this.#lasting = lasting;
    const ended = await Promise.all(over.map((name) => states.end(name)));
    await this.#alertEnds(ended.filter((one) => one !== undefined));
    await this.#alertEnds(await states.endUnseen());
  }

  async #alertEnds(ended: readonly EndedCondition[]): Promise<void> {
    const alerts = ended.map(({ name, since, ending: { type, data } }) =>
      this.#compose(type, { name, since, data }),
    );
    await this.#ports.alerts.add(alerts);
  }

  #compose(type: AlertType, { name, since, data }: { name: string; since: number; data: JsonObject }): Alert {
    return {
      subject: `${type}/${name}/${since}`,
      type,
      data: { ...data, since: new Date(since).toISOString() },
      expiresAt: new Date(this.#ports.clock.now() + KEPT_MS),
    };
  }
}
