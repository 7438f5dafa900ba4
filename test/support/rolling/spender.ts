import { type JsonObject, parseJsonObject } from '#base';
import type { Database } from '#storage';
import { type Sighting, Traffic } from '../traffic.ts';

interface SpenderOptions {
  seed: number;
  url: string;
  adminKey: string;
  projectId: string;
}

/** A budget and what was spent of it, in pico-USD. */
export interface Spent {
  limit: bigint;
  spent: bigint;
}

/** About 120 requests of this traffic. */
const LIMIT_USD = '0.03';
const LIMIT = 30_000_000_000n;
const CLIENTS = 8;
export const BUDGET_SPENT = 402;

/** Clients that spend budgets to their end. */
export class Spender {
  readonly sightings: Sighting[] = [];
  readonly #options: SpenderOptions;
  readonly #budgets: (readonly Sighting[])[] = [];

  constructor(options: SpenderOptions) {
    this.#options = options;
  }

  /** Spends the budget of a new key from the beginning of a task to its end, and then what is left. */
  async spendDuring(task: () => Promise<void>): Promise<void> {
    const apiKey = await this.createKey({ limit: LIMIT_USD });
    const stop = new AbortController();
    const traffic = this.#openTraffic(apiKey, CLIENTS);
    const done = traffic.run(stop.signal);
    try {
      await task();
    } finally {
      stop.abort();
    }
    const sightings = [...(await done), ...(await this.#spendRest(apiKey))];
    this.sightings.push(...sightings);
    this.#budgets.push(sightings);
  }

  /** One request after the other, so that a refusal means that the rest does not pay for one more. */
  async #spendRest(apiKey: string): Promise<Sighting[]> {
    const stop = new AbortController();
    const traffic = this.#openTraffic(apiKey, 1, () => {
      if (traffic.sightings.at(-1)?.status === BUDGET_SPENT) stop.abort();
    });
    return traffic.run(stop.signal);
  }

  #openTraffic(apiKey: string, clients: number, onNext?: () => void): Traffic {
    const { seed, url } = this.#options;
    return new Traffic({
      seed: seed + this.#budgets.length,
      clients,
      slowShare: 0,
      findTarget: () => {
        onNext?.();
        return { url, apiKey };
      },
    });
  }

  /** Creates a key at whichever gateway answers. */
  async createKey(limits: JsonObject): Promise<string> {
    const { url, adminKey, projectId } = this.#options;
    const response = await fetch(`${url}/admin/v1/keys`, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ project_id: projectId, label: 'spender', ...limits }),
    });
    const text = await response.text();
    const secret = parseJsonObject(text)?.['secret'];
    if (typeof secret !== 'string') throw new Error(`no key was created: ${text}`);
    return secret;
  }

  async sumUp(database: Database): Promise<Spent[]> {
    const sums: Spent[] = [];
    for (const sightings of this.#budgets) {
      const { rows } = await database.query<{ spent: string }>({
        text: `SELECT coalesce(sum(customer), 0)::text AS spent FROM ledger_entry WHERE request_id = ANY($1::text[])`,
        values: [sightings.map(({ requestId }) => requestId)],
      });
      sums.push({ limit: LIMIT, spent: BigInt(rows[0]?.spent ?? 0) });
    }
    return sums;
  }
}
