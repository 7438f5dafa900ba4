import type { Clock } from '#base';
import type { HealthRegistry, HealthReport } from '#routing';
import type { Database } from '#storage';
import { createIdentifier, createLru } from '#base';

const EXCHANGE_EVERY_MS = 2_000;
/** Smaller changes are not written again. */
const DIGITS = 2;
const MOST_REPORTS = 1_000;
/** As many as the registry has: each key of an organization that is replaced leaves its names behind. */
const MOST_WRITTEN = 10_000;
/** Reports of processes that have ended. */
const FORGET = `DELETE FROM mapping_health WHERE noted_at < now() - interval '10 minutes'`;
const FORGET_EVERY = 150;

const WRITE = `
  INSERT INTO mapping_health (process, mapping, report)
  SELECT $1, r.mapping, r.report FROM jsonb_to_recordset($2) AS r (mapping text, report jsonb)
  ON CONFLICT (process, mapping) DO UPDATE SET report = excluded.report, noted_at = clock_timestamp()`;
const READ = `
  SELECT mapping, report::text, extract(epoch FROM clock_timestamp() - noted_at) * 1000 AS age
  FROM mapping_health WHERE process <> $1 AND noted_at > clock_timestamp() - make_interval(secs => $2)
  ORDER BY noted_at DESC LIMIT ${MOST_REPORTS}`;

/** A report of any process, and how long ago it was written. */
interface RecordedReport {
  mapping: string;
  report: HealthReport;
  ageMs: number;
}

/** Reports of other processes of the last seconds, the latest first. */
export async function readReports(
  database: Database,
  process: string,
  seconds: number,
): Promise<RecordedReport[]> {
  const { rows } = await database.query<{ mapping: string; report: string; age: string }>({
    text: READ,
    values: [process, seconds],
  });
  return rows.map(({ mapping, report, age }) => ({
    mapping,
    report: JSON.parse(report) as HealthReport,
    ageMs: Number(age),
  }));
}

interface HealthSharing {
  database: Database;
  health: HealthRegistry;
  clock: Pick<Clock, 'monotonicMs'>;
}

/** Writes what this process learns of providers, and reads what others do. */
export class SharedHealth {
  readonly #sharing: HealthSharing;
  readonly #process = createIdentifier('proc');
  /** The last written report, by name. */
  readonly #written = createLru<string, string>(MOST_WRITTEN);
  #timer: NodeJS.Timeout | undefined;
  #exchanging: Promise<void> | undefined;
  #exchanges = 0;

  constructor(sharing: HealthSharing) {
    this.#sharing = sharing;
  }

  start(): void {
    this.#timer = setInterval(() => {
      // While the database is unavailable everything stays as this process knows it.
      this.#exchanging ??= this.exchange()
        .catch(() => undefined)
        .finally(() => (this.#exchanging = undefined));
    }, EXCHANGE_EVERY_MS).unref();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#exchanging;
  }

  async exchange(): Promise<void> {
    const { database } = this.#sharing;
    const isFirst = this.#exchanges === 0;
    if (this.#exchanges % FORGET_EVERY === 0) await database.query({ text: FORGET });
    this.#exchanges += 1;
    await this.#write();
    const seconds = isFirst ? 600 : (2 * EXCHANGE_EVERY_MS) / 1_000;
    this.#adopt(await readReports(database, this.#process, seconds));
  }

  async #write(): Promise<void> {
    const { database, health, clock } = this.#sharing;
    const nowMs = clock.monotonicMs();
    const changed: { mapping: string; report: HealthReport; mark: string }[] = [];
    for (const [mapping, one] of health.all) {
      if (!one.isCalled) continue;
      const report = one.report(nowMs);
      const mark = toMark(report, nowMs);
      if (mark !== this.#written.get(mapping)) changed.push({ mapping, report, mark });
      if (changed.length === MOST_REPORTS) break;
    }
    if (changed.length === 0) return;
    const rows = changed.map(({ mapping, report }) => ({ mapping, report }));
    await database.query({ text: WRITE, values: [this.#process, JSON.stringify(rows)] });
    for (const { mapping, mark } of changed) this.#written.set(mapping, mark);
  }

  #adopt(recorded: readonly RecordedReport[]): void {
    const { health, clock } = this.#sharing;
    const nowMs = clock.monotonicMs();
    for (const { mapping, report, ageMs } of recorded)
      health.named(mapping).adopt({ ...report, pausedMs: report.pausedMs - ageMs }, nowMs);
  }
}

/** Equal for reports that say nearly the same; a pause is compared by its end. */
function toMark({ pausedMs, ...report }: HealthReport, nowMs: number): string {
  const rounded = Object.values(report).map((value) =>
    typeof value === 'number' ? Number(value.toPrecision(DIGITS)) : value,
  );
  return JSON.stringify([...rounded, pausedMs > 0 ? Math.round((nowMs + pausedMs) / 1_000) : 0]);
}
