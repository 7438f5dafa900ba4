import type { Caller } from '#accounts';
import type { PicoUsd } from '#base';
import type { FreshAccounts } from './fresh-accounts.ts';
import type { Spending } from './ledger-process.ts';

/** Whose budget it is; of the last three, it renews. */
const KINDS = ['key', 'credits', 'project', 'recurring', 'member', 'plan'] as const;

export interface RecallRound {
  kind: (typeof KINDS)[number];
  spending: Spending;
  limit: PicoUsd;
  /** How many processes race for the rest; the others only have leases. */
  racing: number;
  /** The period ends while the race is on, and all of the limit is there again. */
  turns: boolean;
}

/** Each of these rounds takes seconds: requests that all need more wait for each other. */
const GROWING_SHARE = 0.04;
/** These, too: processes have to be heard of after their clocks have been moved. */
const TURNING_SHARE = 0.4;

/** A budget of some hundred requests. */
export async function createRecallRound(fresh: FreshAccounts, random: () => number): Promise<RecallRound> {
  const amount = 1_000n + BigInt(Math.floor(random() * 1_000));
  const share = random() < 0.5 ? 1 : 0.3 + 0.7 * random();
  const cost = BigInt(Math.floor(Number(amount) * share));
  const limit = BigInt(Math.floor(Number(amount) * (400 + 300 * random())));
  const kind = KINDS[Math.floor(random() * KINDS.length)] ?? 'key';
  const caller = await createCaller(fresh, kind, limit);
  const turns = (kind === 'recurring' || kind === 'member') && random() < TURNING_SHARE;
  const grows = !turns && random() < GROWING_SHARE;
  const racing = random() < 0.5 ? 4 : 1 + Math.floor(random() * 3);
  return { kind, spending: { caller, amount, cost, grows }, limit, racing, turns };
}

async function createCaller(
  { accounts: { directory, identify } }: FreshAccounts,
  kind: RecallRound['kind'],
  limit: PicoUsd,
): Promise<Caller> {
  const { id: organizationId } = await directory.createOrganization('Round');
  const { id: projectId } = await directory.createProject({
    organizationId,
    name: 'default',
    ...(kind === 'project' && { limit }),
  });
  const recurringLimit = { amount: limit, period: 'hour' } as const;
  if (kind === 'credits') await directory.addCredits({ organizationId, amount: limit });
  if (kind === 'plan') {
    const terms = { price: 0n, credits: limit, premiumWeekly: 0n };
    await directory.setPlan({ organizationId, plan: 'pro', terms });
  }
  const member =
    kind === 'member' &&
    (await directory.addMember({ organizationId, name: 'M', role: 'member', recurringLimit }));
  const { secret } = await directory.createKey({
    projectId,
    label: 'round',
    ...(kind === 'key' && { limit }),
    ...(member && { memberId: member.id }),
  });
  const caller = await identify(secret);
  if (kind === 'recurring') await directory.updateKey(caller.keyId, { recurringLimit });
  return caller;
}

/** What the key has been charged, and what its budget, period by period. */
export async function readCharged(
  { database }: FreshAccounts,
  { keyId, organizationId, memberId }: Caller,
): Promise<{ used: PicoUsd; periods: PicoUsd[]; endsMs: number }> {
  const { rows } = await database.query<{ kind: string; used: string; ends: number | null }>({
    text: `
      SELECT kind, used::text, (extract(epoch FROM ends_at) * 1000)::float8 AS ends FROM meter
      WHERE subject_id IN ($1, $2, $3) AND (kind = 'key' OR starts_at IS NOT NULL) ORDER BY starts_at`,
    values: [keyId, organizationId, memberId ?? ''],
  });
  const periods = rows.filter(({ ends }) => ends !== null);
  return {
    used: BigInt(rows.find(({ kind }) => kind === 'key')?.used ?? '-1'),
    periods: periods.map(({ used }) => BigInt(used)),
    endsMs: periods.at(-1)?.ends ?? 0,
  };
}
