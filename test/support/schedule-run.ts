import type { Database, Queryable } from '#storage';
import { openFreshDatabase } from './fresh-database.ts';
import type { Step } from './ledger-model.ts';
import { type Schedule, createSchedule } from './schedule.ts';

export interface SchedulePlan {
  seed: number;
  count: number;
  report?(line: string): void;
}

export interface ScheduleFigures {
  schedules: number;
  steps: number;
}

const AT_ONCE = 50;
const CONNECTIONS = 2;
const REPORT_EVERY = 10_000;

/** Runs schedules within the server, step by step, on the functions that the ledger uses; only this loop is the test's own. */
const RUN_SCHEDULE = `
CREATE FUNCTION test_schedule(p_base bigint, p_key_limits numeric[], p_limit numeric, p_steps jsonb) RETURNS jsonb
LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_meters bigint[];
  v_step jsonb;
  v_owner bigint;
  v_answer jsonb;
  v_seen jsonb := '[]';
BEGIN
  INSERT INTO meter (kind, subject_id, lim)
  SELECT 'key', 'k' || p_base || '.' || k.n - 1, k.lim FROM unnest(p_key_limits) WITH ORDINALITY AS k (lim, n);
  INSERT INTO meter (kind, subject_id, lim, used_before_grants) VALUES ('credits', 'o' || p_base, p_limit, COALESCE(p_limit, 0));
  SELECT array_agg(id ORDER BY id) INTO v_meters FROM meter
  WHERE (kind = 'key' AND subject_id = ANY (ARRAY['k' || p_base || '.0', 'k' || p_base || '.1']))
    OR (kind = 'credits' AND subject_id = 'o' || p_base);
  FOR v_step IN SELECT value FROM jsonb_array_elements(p_steps) AS e (value) LOOP
    v_owner := p_base + COALESCE((v_step ->> 'owner')::bigint, 0);
    v_answer := NULL;
    CASE v_step ->> 't'
      WHEN 'reserve' THEN v_answer := ledger_step(v_owner, NULL, v_step -> 'asked') -> 0;
      WHEN 'settle' THEN PERFORM ledger_step(v_owner, v_step -> 'settled', NULL);
      WHEN 'beat' THEN PERFORM ledger_beat(v_owner, 'test', v_step -> 'told');
      WHEN 'release' THEN
        PERFORM ledger_release(v_owner, ARRAY(SELECT jsonb_array_elements_text(v_step -> 'ids')));
      WHEN 'silence' THEN UPDATE owner SET heartbeat_at = '-infinity' WHERE epoch = v_owner;
      WHEN 'leap' THEN UPDATE owner SET heartbeat_at = heartbeat_at - interval '1 hour' WHERE epoch BETWEEN p_base AND p_base + 9;
      WHEN 'sweep' THEN PERFORM ledger_sweep(v_owner, (v_step ->> 'exclusive')::boolean, interval '30 seconds');
    END CASE;
    v_seen := v_seen || (
      SELECT to_jsonb(concat_ws(' ', v_answer ->> 's', v_answer ->> 'a') || ', ' || string_agg(used || ' ' || held, ', ' ORDER BY id))
      FROM meter WHERE id = ANY (v_meters));
  END LOOP;
  DELETE FROM owner WHERE epoch BETWEEN p_base AND p_base + 9;
  RETURN v_seen;
END $$`;

/** Runs random schedules on the real SQL and compares each answer and each sum with the model; throws with the seed. */
export async function runSchedulePlan({ seed, count, report }: SchedulePlan): Promise<ScheduleFigures> {
  await using fresh = await openFreshDatabase();
  await fresh.database.query({ text: RUN_SCHEDULE });
  const figures: ScheduleFigures = { schedules: 0, steps: 0 };
  let next = 0;
  const work = async (_: unknown, worker: number): Promise<void> => {
    while (next < count) {
      const first = next;
      next += AT_ONCE;
      const size = Math.min(AT_ONCE, count - first);
      const schedules = Array.from({ length: size }, (_, at) => createSchedule(seed + first + at));
      await runTogether(fresh.database, schedules, (worker + 1) * 1_000_000);
      figures.schedules += schedules.length;
      figures.steps += schedules.reduce((sum, { steps }) => sum + steps.length, 0);
      if (figures.schedules % REPORT_EVERY === 0)
        report?.(
          `${figures.schedules.toLocaleString('en')} schedules, ${figures.steps.toLocaleString('en')} steps`,
        );
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, work));
  return figures;
}

class Undo extends Error {}

/** In a transaction that is undone, so that the next ones find small tables. */
async function runTogether(database: Database, schedules: readonly Schedule[], base: number): Promise<void> {
  const work = async (client: Queryable): Promise<void> => {
    for (const [at, schedule] of schedules.entries()) await runOne(client, schedule, base + at * 10);
    const { rows } = await client.query({ text: 'SELECT * FROM ledger_check()' });
    if (rows.length > 0)
      throw new Error(
        `seeds ${schedules[0]?.seed} to ${schedules.at(-1)?.seed}: ${JSON.stringify(rows.slice(0, 3))}`,
      );
    throw new Undo();
  };
  await database.transaction(work).catch((error: unknown) => {
    if (!(error instanceof Undo)) throw error;
  });
}

async function runOne(client: Queryable, schedule: Schedule, base: number): Promise<void> {
  const { seed, keyLimits, organizationLimit, steps, expected } = schedule;
  const { rows } = await client.query<{ seen: string[] }>({
    name: 'test_schedule',
    text: 'SELECT test_schedule($1, $2::numeric[], $3::numeric, $4) AS seen',
    values: [base, keyLimits, organizationLimit, JSON.stringify(steps.map((step) => encodeStep(step, base)))],
  });
  const seen = rows[0]?.seen ?? [];
  for (const [at, line] of expected.entries()) {
    if (seen[at] === line) continue;
    const before = steps.slice(0, at + 1).map((step) => JSON.stringify(step));
    throw new Error(
      `seed ${seed}, step ${at}: the model says “${line}”, the ledger “${seen[at]}”\n${before.join('\n')}`,
    );
  }
}

function encodeStep(step: Step, base: number): object {
  const toIds = (id: string, key: number) => ({ id: `${base}.${id}`, k: `k${base}.${key}`, o: `o${base}` });
  const toRow = (id: string, key: number) => ({
    requestId: `${base}.${id}`,
    organizationId: `o${base}`,
    projectId: 'p',
    keyId: `k${base}.${key}`,
    startedAt: 0,
    endpoint: '',
    format: 'chat',
    finishReason: 'completed',
    status: 200,
  });
  if (step.t === 'reserve') {
    const { id, key, amount, least, final } = step;
    const asked = {
      ...toIds(id, key),
      a: String(amount),
      l: least,
      f: final,
      row: JSON.stringify(toRow(id, key)),
    };
    return { ...step, asked: [asked] };
  }
  if (step.t === 'settle') {
    const settled = step.settlements.map(({ id, key, customer }) => ({
      ...toIds(id, key),
      c: String(customer),
      p: String(customer),
      e: false,
      row: toRow(id, key),
    }));
    return { ...step, settled };
  }
  if (step.t === 'beat') {
    const told = step.progress.map(({ id, customer }): [string, object] => [
      `${base}.${id}`,
      { c: String(customer), p: String(customer), row: toRow(id, Number(id.slice(1)) % 2) },
    ]);
    return { ...step, told: Object.fromEntries(told) };
  }
  return step.t === 'release' ? { ...step, ids: step.ids.map((id) => `${base}.${id}`) } : step;
}
