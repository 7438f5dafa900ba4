import type { Database, Queryable } from '#storage';
import { openPatiently } from './open-patiently.ts';
import { openFreshDatabase } from './fresh-database.ts';
import { encodeLimits, encodeMoment } from './schedule-encode.ts';
import { type World, createWorld } from './schedule.ts';

interface SchedulePlan {
  seed: number;
  count: number;
  report?(line: string): void;
}

interface ScheduleFigures {
  schedules: number;
  steps: number;
}

/** Schedules per world, and worlds per transaction. */
const WORLD = 20;
const TOGETHER = 10;
const CONNECTIONS = 2;
const REPORT_EVERY = 10_000;

/**
 * Runs a world inside the server, moment by moment, with the functions of the ledger; only this loop belongs to the
 * test.
 */
const RUN_WORLD = `
CREATE FUNCTION test_world(p_base bigint, p_limits jsonb, p_moments jsonb) RETURNS jsonb
LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_meters bigint[];
  v_moment jsonb;
  v_owner bigint;
  v_answers jsonb;
  v_grown jsonb;
  v_reports jsonb;
  v_now double precision := 1800000000000;
  v_seen jsonb := '[]';
BEGIN
  INSERT INTO meter (kind, subject_id, lim, used_before_grants, renews)
  SELECT l ->> 'kind', l ->> 'id', (l ->> 'lim')::numeric, CASE l ->> 'kind' WHEN 'credits' THEN COALESCE((l ->> 'lim')::numeric, 0) ELSE 0 END,
    l ->> 'recurring' IS NOT NULL
  FROM jsonb_array_elements(p_limits) AS l;
  INSERT INTO recurring_limit (key_id, lim, period)
  SELECT l ->> 'id', (l ->> 'recurring')::numeric, 'hour' FROM jsonb_array_elements(p_limits) AS l WHERE l ->> 'recurring' IS NOT NULL;
  SELECT array_agg(meter.id ORDER BY l.n) INTO v_meters
  FROM jsonb_array_elements(p_limits) WITH ORDINALITY AS l (value, n)
  JOIN meter ON meter.kind = l.value ->> 'kind' AND meter.subject_id = l.value ->> 'id';
  FOR v_moment IN SELECT value FROM jsonb_array_elements(p_moments) AS e (value) LOOP
    v_owner := p_base + COALESCE((v_moment ->> 'owner')::bigint, 0);
    v_answers := NULL;
    v_grown := NULL;
    v_reports := NULL;
    CASE v_moment ->> 't'
      WHEN 'work' THEN
        v_answers := ledger_step(v_owner, test_settled(v_moment -> 'settled'), v_moment -> 'asked', v_now);
        IF v_moment ? 'growing' THEN v_grown := ledger_grow(v_owner, v_moment -> 'growing'); END IF;
        IF v_moment ? 'reports' THEN
          v_reports := jsonb_build_object('together', test_report(v_owner, v_moment #> '{reports,together}', v_now), 'alone', ARRAY(
            SELECT test_report(v_owner, e.value, v_now) FROM jsonb_array_elements(v_moment #> '{reports,alone}') AS e (value)));
        END IF;
        PERFORM test_beat(v_owner, v_moment -> 'reported') WHERE v_moment ? 'reported';
        PERFORM test_release(v_owner, ARRAY(SELECT jsonb_array_elements_text(v_moment -> 'released'))) WHERE v_moment ? 'released';
      WHEN 'silence' THEN UPDATE owner SET heartbeat_at = '-infinity' WHERE epoch = v_owner;
      WHEN 'leap' THEN UPDATE owner SET heartbeat_at = heartbeat_at - interval '1 hour' WHERE epoch BETWEEN p_base AND p_base + 9;
      WHEN 'pass' THEN v_now := v_now + (v_moment ->> 'ms')::double precision;
      WHEN 'return' THEN PERFORM ledger_return_leases(ARRAY[v_owner]);
      WHEN 'sweep' THEN
        WHILE ledger_sweep(v_owner, (v_moment ->> 'exclusive')::boolean, interval '30 seconds') >= 500 LOOP
        END LOOP;
    END CASE;
    v_seen := v_seen || jsonb_build_object('answers', v_answers, 'grown', v_grown, 'reports', v_reports, 'sums', (
      SELECT jsonb_agg(concat_ws(' | ', g.used || ' ' || g.held, (
        SELECT string_agg(p.used || ' ' || p.held || ' ' || p.uses, ' | ' ORDER BY p.starts_at) FROM meter p
        WHERE p.kind = 'recurring' AND p.subject_id = g.subject_id)) ORDER BY m.n)
      FROM unnest(v_meters) WITH ORDINALITY AS m (id, n) JOIN meter g USING (id)));
  END LOOP;
  DELETE FROM owner WHERE epoch BETWEEN p_base AND p_base + 9;
  RETURN jsonb_build_object('seen', v_seen, 'lost', (
    SELECT COALESCE(sum(provider), 0) FROM ledger_entry
    WHERE kind IN ('lost', 'found') AND split_part(request_id, '_', 2)::bigint BETWEEN p_base AND p_base + 9));
END $$`;

/** Processes of this version note what is delivered in their own row, those before it in the holds. */
const RUN_BEATS = `
CREATE FUNCTION test_beat(p_owner bigint, p_reported jsonb) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM ledger_beat(p_owner, 'test', CASE WHEN p_owner % 2 = 0 THEN p_reported ELSE '{}' END);
  UPDATE owner SET delivered = COALESCE(delivered::jsonb, '{}') || COALESCE((
    SELECT jsonb_object_agg(r.key, r.value) FROM jsonb_each(p_reported) AS r JOIN hold h ON h.request_id = r.key AND h.owner_epoch = p_owner), '{}')
  WHERE epoch = p_owner AND p_owner % 2 = 1;
END $$;
CREATE FUNCTION test_release(p_owner bigint, p_ids text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM ledger_release(p_owner, p_ids);
  UPDATE owner SET delivered = delivered::jsonb - p_ids WHERE epoch = p_owner;
END $$`;

/** A report, all or nothing: of the schedules together, but of one alone where the model expects it to fail. */
const RUN_REPORT = `
CREATE FUNCTION test_report(p_owner bigint, p_report jsonb, p_now double precision) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  v_answer jsonb;
BEGIN
  v_answer := ledger_report(
    p_owner, ARRAY(SELECT jsonb_array_elements_text(p_report -> 'keys')), ARRAY(SELECT jsonb_array_elements_text(p_report -> 'organizations')),
    ARRAY(SELECT jsonb_populate_record(NULL::ledger_opened, e.value) FROM jsonb_array_elements(p_report -> 'opened') AS e (value)),
    ARRAY(SELECT jsonb_populate_record(NULL::ledger_bill, e.value) FROM jsonb_array_elements(p_report -> 'bills') AS e (value)),
    ARRAY(SELECT jsonb_populate_record(NULL::ledger_leased_bill, e.value) FROM jsonb_array_elements(p_report -> 'leased') AS e (value)),
    NULL,
    ARRAY(SELECT jsonb_populate_record(NULL::ledger_lease, e.value) FROM jsonb_array_elements(p_report -> 'leases') AS e (value)), '{}', p_now);
  INSERT INTO test_lease SELECT e ->> 'id', e -> 'm' FROM jsonb_array_elements(v_answer) AS e WHERE e ? 'm' ON CONFLICT DO NOTHING;
  RETURN v_answer;
EXCEPTION WHEN raise_exception OR unique_violation THEN
  RETURN '"failed"';
END $$`;

/** What a lease draws on is known to those it admitted. Keys without an organization may have a limit that renews. */
const RUN_LEASES = `
CREATE TABLE test_lease (id text PRIMARY KEY, meters jsonb);
ALTER TABLE recurring_limit DROP CONSTRAINT recurring_limit_key_id_fkey;
CREATE FUNCTION test_settled(p_settled jsonb) RETURNS jsonb LANGUAGE sql AS $$
  SELECT jsonb_agg(e.value || COALESCE((
    SELECT jsonb_build_object('m', l.meters) FROM test_lease l WHERE l.id = e.value ->> 'l'), '{}') ORDER BY e.n)
  FROM jsonb_array_elements(p_settled) WITH ORDINALITY AS e (value, n);
$$`;

const STATEMENT_LIMIT_MS = 300_000;

/** Runs random schedules on the real SQL and compares each answer and each sum with the model; throws with the seed. */
export async function runSchedulePlan({ seed, count, report }: SchedulePlan): Promise<ScheduleFigures> {
  await using fresh = await openFreshDatabase();
  await using opened = new AsyncDisposableStack();
  // A statement runs a whole world, also on a busy machine.
  const patient = openPatiently({
    connection: fresh.connection,
    applicationName: 'schedules',
    statementTimeoutMs: STATEMENT_LIMIT_MS,
  });
  opened.defer(() => patient.close());
  await fresh.database.query({ text: RUN_LEASES });
  await fresh.database.query({ text: RUN_BEATS });
  await fresh.database.query({ text: RUN_REPORT });
  await fresh.database.query({ text: RUN_WORLD });
  const figures: ScheduleFigures = { schedules: 0, steps: 0 };
  let next = 0;
  let reported = 0;
  const work = async (_: unknown, worker: number): Promise<void> => {
    while (next < count) {
      const worlds: World[] = [];
      for (; worlds.length < TOGETHER && next < count; next += WORLD)
        worlds.push(createWorld(seed + next, Math.min(WORLD, count - next)));
      await runTogether(patient, worlds, (worker + 1) * 1_000_000);
      for (const { moments, schedules } of worlds) {
        figures.schedules += schedules.length;
        figures.steps += schedules.length * moments.length;
      }
      if (figures.schedules - reported < REPORT_EVERY) continue;
      reported = figures.schedules;
      report?.(
        `${figures.schedules.toLocaleString('en')} schedules, ${figures.steps.toLocaleString('en')} steps`,
      );
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, work));
  return figures;
}

class Undo extends Error {}

/** In a transaction that is rolled back, so that the next ones find small tables. */
async function runTogether(database: Database, worlds: readonly World[], base: number): Promise<void> {
  const work = async (client: Queryable): Promise<void> => {
    for (const [at, world] of worlds.entries()) await runWorld(client, world, base + at * 10);
    const { rows } = await client.query({ text: 'SELECT * FROM ledger_check()' });
    if (rows.length > 0)
      throw new Error(
        `seeds ${worlds[0]?.seed} to ${worlds.at(-1)?.seed}: ${JSON.stringify(rows.slice(0, 3))}`,
      );
    throw new Undo();
  };
  await database.transaction(work).catch((error: unknown) => {
    if (!(error instanceof Undo)) throw error;
  });
}

interface Answer {
  s: string;
  a?: string;
}

/** The amount of a lease. */
interface Amount {
  id: string;
  a: string;
}

/** The answers to the report of all schedules together, and to those that are to fail. */
interface Reports {
  together: readonly Amount[] | 'failed';
  alone: readonly (readonly Amount[] | 'failed')[];
}

/** The ledger's answers at a moment: to each reserve and growth in order, to reports, and the sums of each meter. */
interface Seen {
  reports: Reports | null;
  answers: readonly Answer[] | null;
  grown: readonly Answer[] | null;
  sums: readonly string[];
}

async function runWorld(client: Queryable, world: World, base: number): Promise<void> {
  const { rows } = await client.query<{ world: { seen: Seen[]; lost: number } }>({
    name: 'test_world',
    text: 'SELECT test_world($1, $2::jsonb, $3::jsonb) AS world',
    values: [
      base,
      JSON.stringify(world.schedules.flatMap((schedule, at) => encodeLimits(schedule, `${base}.${at}`))),
      JSON.stringify(world.moments.map((_, at) => encodeMoment(world, at, base))),
    ],
  });
  const { seen = [], lost } = rows[0]?.world ?? {};
  for (const [at, one] of seen.entries()) compareMoment(world, at, one);
  if (seen.length !== world.moments.length) throw new Error(`seed ${world.seed}: the world broke off`);
  const expected = world.schedules.reduce((sum, schedule) => sum + schedule.lost, 0);
  if (lost !== expected)
    throw new Error(`seed ${world.seed}: ${lost} is lost where the model says ${expected}`);
}

function compareMoment(
  { seed, schedules }: World,
  at: number,
  { answers, grown, reports, sums }: Seen,
): void {
  const replies = {
    reserve: (answers ?? []).map(formatAnswer).values(),
    grow: (grown ?? []).map(formatAnswer).values(),
    failure: (reports?.alone ?? []).map((one) => formatReport(one)).values(),
  };
  for (const [number, { keyLimits, steps, expected }] of schedules.entries()) {
    const meters = keyLimits.length + 1;
    const kind = steps[at]?.t;
    let said: string | undefined = '';
    if (kind === 'reserve' || kind === 'grow') said = replies[kind].next().value;
    else if (kind === 'report')
      said =
        expected[at]?.startsWith('failed') === true
          ? replies.failure.next().value
          : formatReport(reports?.together ?? 'failed', number);
    const line = [said, ...sums.slice(number * meters, (number + 1) * meters)].join(', ');
    if (line === expected[at]) continue;
    const before = steps.slice(0, at + 1).map((step) => JSON.stringify(step));
    throw new Error(
      `seed ${seed}, schedule ${number}, step ${at}: the model says “${expected[at]}”, the ledger “${line}”\n${before.join('\n')}`,
    );
  }
}

const formatAnswer = ({ s, a }: Answer): string => (a === undefined ? s : `${s} ${a}`);

/** The leases of a schedule, as the model names them. */
function formatReport(report: readonly Amount[] | 'failed', schedule?: number): string {
  if (report === 'failed') return report;
  const parts = report.map(({ id, a }) => ({ a, tenant: id.split('.').at(-2), name: id.split('.').at(-1) }));
  const own = parts.filter(({ tenant }) => tenant === String(schedule));
  return own
    .map(({ name, a }) => `${name} ${a}`)
    .sort()
    .join(' ');
}
