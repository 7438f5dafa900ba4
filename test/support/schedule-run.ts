import type { Database, Queryable } from '#storage';
import { openFreshDatabase } from './fresh-database.ts';
import type { Step } from './ledger-model.ts';
import { type Schedule, type World, createWorld } from './schedule.ts';

type StepOf<T extends Step['t']> = Extract<Step, { t: T }>;

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
const WORLD = 50;
const TOGETHER = 4;
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
  v_seen jsonb := '[]';
BEGIN
  INSERT INTO meter (kind, subject_id, lim, used_before_grants)
  SELECT l ->> 'kind', l ->> 'id', (l ->> 'lim')::numeric, CASE l ->> 'kind' WHEN 'credits' THEN COALESCE((l ->> 'lim')::numeric, 0) ELSE 0 END
  FROM jsonb_array_elements(p_limits) AS l;
  SELECT array_agg(meter.id ORDER BY l.n) INTO v_meters
  FROM jsonb_array_elements(p_limits) WITH ORDINALITY AS l (value, n)
  JOIN meter ON meter.kind = l.value ->> 'kind' AND meter.subject_id = l.value ->> 'id';
  FOR v_moment IN SELECT value FROM jsonb_array_elements(p_moments) AS e (value) LOOP
    v_owner := p_base + COALESCE((v_moment ->> 'owner')::bigint, 0);
    v_answers := NULL;
    v_grown := NULL;
    CASE v_moment ->> 't'
      WHEN 'work' THEN
        v_answers := ledger_step(v_owner, v_moment -> 'settled', v_moment -> 'asked');
        IF v_moment ? 'growing' THEN v_grown := ledger_grow(v_owner, v_moment -> 'growing'); END IF;
        PERFORM ledger_beat(v_owner, 'test', v_moment -> 'reported') WHERE v_moment ? 'reported';
        PERFORM ledger_release(v_owner, ARRAY(SELECT jsonb_array_elements_text(v_moment -> 'released'))) WHERE v_moment ? 'released';
      WHEN 'silence' THEN UPDATE owner SET heartbeat_at = '-infinity' WHERE epoch = v_owner;
      WHEN 'leap' THEN UPDATE owner SET heartbeat_at = heartbeat_at - interval '1 hour' WHERE epoch BETWEEN p_base AND p_base + 9;
      WHEN 'sweep' THEN PERFORM ledger_sweep(v_owner, (v_moment ->> 'exclusive')::boolean, interval '30 seconds');
    END CASE;
    v_seen := v_seen || jsonb_build_object('answers', v_answers, 'grown', v_grown, 'sums', (
      SELECT jsonb_agg(used || ' ' || held ORDER BY m.n) FROM unnest(v_meters) WITH ORDINALITY AS m (id, n) JOIN meter USING (id)));
  END LOOP;
  DELETE FROM owner WHERE epoch BETWEEN p_base AND p_base + 9;
  RETURN v_seen;
END $$`;

/** Runs random schedules on the real SQL and compares each answer and each sum with the model; throws with the seed. */
export async function runSchedulePlan({ seed, count, report }: SchedulePlan): Promise<ScheduleFigures> {
  await using fresh = await openFreshDatabase();
  await fresh.database.query({ text: RUN_WORLD });
  const figures: ScheduleFigures = { schedules: 0, steps: 0 };
  let next = 0;
  let reported = 0;
  const work = async (_: unknown, worker: number): Promise<void> => {
    while (next < count) {
      const worlds: World[] = [];
      for (; worlds.length < TOGETHER && next < count; next += WORLD)
        worlds.push(createWorld(seed + next, Math.min(WORLD, count - next)));
      await runTogether(fresh.database, worlds, (worker + 1) * 1_000_000);
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

/** The ledger's answers at a moment: to each reserve and each growth in order, and the sums of each meter. */
interface Seen {
  answers: readonly Answer[] | null;
  grown: readonly Answer[] | null;
  sums: readonly string[];
}

async function runWorld(client: Queryable, world: World, base: number): Promise<void> {
  const { rows } = await client.query<{ seen: Seen[] }>({
    name: 'test_world',
    text: 'SELECT test_world($1, $2::jsonb, $3::jsonb) AS seen',
    values: [
      base,
      JSON.stringify(world.schedules.flatMap((schedule, at) => encodeLimits(schedule, `${base}.${at}`))),
      JSON.stringify(world.moments.map((_, at) => encodeMoment(world, at, base))),
    ],
  });
  for (const [at, seen] of (rows[0]?.seen ?? []).entries()) compareMoment(world, at, seen);
  if (rows[0]?.seen.length !== world.moments.length)
    throw new Error(`seed ${world.seed}: the world broke off`);
}

function compareMoment({ seed, schedules }: World, at: number, { answers, grown, sums }: Seen): void {
  const replies = { reserve: (answers ?? []).values(), grow: (grown ?? []).values() };
  for (const [number, { keyLimits, steps, expected }] of schedules.entries()) {
    const meters = keyLimits.length + 1;
    const kind = steps[at]?.t;
    const answer = kind === 'reserve' || kind === 'grow' ? replies[kind].next().value : undefined;
    const said = answer ? [answer.s, answer.a].filter((part) => part !== undefined).join(' ') : '';
    const line = [said, ...sums.slice(number * meters, (number + 1) * meters)].join(', ');
    if (line === expected[at]) continue;
    const before = steps.slice(0, at + 1).map((step) => JSON.stringify(step));
    throw new Error(
      `seed ${seed}, schedule ${number}, step ${at}: the model says “${expected[at]}”, the ledger “${line}”\n${before.join('\n')}`,
    );
  }
}

const encodeLimits = ({ keyLimits, organizationLimit }: Schedule, tenant: string): object[] => [
  ...keyLimits.map((lim, key) => ({ kind: 'key', id: `k${tenant}.${key}`, lim })),
  { kind: 'credits', id: `o${tenant}`, lim: organizationLimit },
];

/** One process's steps of a moment, as one statement of each kind. */
function encodeMoment({ moments, schedules }: World, at: number, base: number): object {
  const moment = moments[at];
  if (moment?.t !== 'work') return { ...moment };
  const asked: object[] = [];
  const growing: object[] = [];
  const settled: object[] = [];
  const reported: [string, object][] = [];
  const released: string[] = [];
  for (const [number, { steps }] of schedules.entries()) {
    const step = steps[at];
    const tenant = `${base}.${number}`;
    if (step?.t === 'reserve') asked.push(encodeReserve(step, tenant));
    else if (step?.t === 'grow') growing.push(encodeGrow(step, tenant));
    else if (step?.t === 'settle') settled.push(...encodeSettle(step, tenant));
    else if (step?.t === 'beat') reported.push(...encodeBeat(step, tenant));
    else if (step?.t === 'release') released.push(...step.ids.map((id) => `${tenant}.${id}`));
  }
  return {
    t: 'work',
    owner: moment.owner,
    ...(asked.length > 0 && { asked }),
    ...(growing.length > 0 && { growing }),
    ...(settled.length > 0 && { settled }),
    ...(moment.beats && { reported: Object.fromEntries(reported) }),
    ...(released.length > 0 && { released }),
  };
}

const toIds = (tenant: string, id: string, key: number): object => ({
  id: `${tenant}.${id}`,
  k: `k${tenant}.${key}`,
  o: `o${tenant}`,
});

const toRow = (tenant: string, id: string, key: number): object => ({
  requestId: `${tenant}.${id}`,
  organizationId: `o${tenant}`,
  projectId: 'p',
  keyId: `k${tenant}.${key}`,
  startedAt: 0,
  endpoint: '',
  format: 'chat',
  finishReason: 'completed',
  status: 200,
});

function encodeReserve({ id, key, amount, least, final }: StepOf<'reserve'>, tenant: string): object {
  const row = JSON.stringify(toRow(tenant, id, key));
  return { ...toIds(tenant, id, key), a: String(amount), l: least, f: final, row };
}

const encodeGrow = ({ id, amount, least }: StepOf<'grow'>, tenant: string): object => ({
  id: `${tenant}.${id}`,
  a: String(amount),
  l: String(least),
});

const encodeSettle = ({ settlements }: StepOf<'settle'>, tenant: string): object[] =>
  settlements.map(({ id, key, customer }) => ({
    ...toIds(tenant, id, key),
    c: String(customer),
    p: String(customer),
    e: false,
    row: toRow(tenant, id, key),
  }));

const encodeBeat = ({ progress }: StepOf<'beat'>, tenant: string): [string, object][] =>
  progress.map(({ id, customer }) => [
    `${tenant}.${id}`,
    { c: String(customer), p: String(customer), row: toRow(tenant, id, Number(id.slice(1)) % 2) },
  ]);
