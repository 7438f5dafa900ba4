import { findFault } from '../support/audit.ts';
import { buildEarlier } from '../support/rolling/earlier-program.ts';
import type { Version } from '../support/rolling/fleet.ts';
import { runUpgrade } from '../support/rolling/upgrade-run.ts';
import type { LongRun } from './long-run.ts';

/** 0.2.0. */
const BEFORE = '0229420a';
const CLIENTS = 48;
/** The most that a request of this traffic holds, in pico-USD: what may be left of a budget that is spent. */
const MOST_HELD = 7_000_000_000n;

export const runUpgrades: LongRun = {
  name: 'upgrade',
  summary:
    'two gateways of an earlier version replaced one by one under load, and back where it knows the tables; --only gives another revision',
  async run({ seed, count = CLIENTS, only, report }) {
    const earlier = await build(only === '' ? BEFORE : only);
    if (!earlier) return 'skipped: Git does not have the revision of the earlier version here';
    const present: Version = { name: 'this version' };
    const versions = [earlier, present, earlier, present] as const;
    const { audit, budgets, rejected, ...figures } = await runUpgrade({
      seed,
      clients: count,
      versions,
      report,
    });
    for (const { name, reason } of rejected) report(`${name} did not start: ${reason}`);
    const fault = findFault(audit);
    if (fault) throw new Error(fault);
    const wrong = budgets.filter(({ limit, spent }) => spent > limit || limit - spent > MOST_HELD);
    if (wrong.length > 0)
      throw new Error(
        `of budgets of ${wrong[0]?.limit} were spent: ${wrong.map(({ spent }) => spent).join(', ')}`,
      );
    const unexpected = rejected.filter(({ reason }) => !reason.includes('newer than this program'));
    if (unexpected.length > 0) throw new Error(unexpected[0]?.reason);
    const { retired, leastOpen, requests, refused, cut, postponed } = figures;
    const summary = `${retired} gateways replaced, at least ${leastOpen} streams open at each, ${requests} requests: ${refused} refused, ${cut} cut, ${postponed} that waited for money told to retry; ${audit.completed} completed and exact, ${budgets.length} budgets spent to their end; not started again on the newer tables: ${rejected.map(({ name }) => name).join(', ') || 'none'}`;
    if (refused + cut > 0) throw new Error(summary);
    return summary;
  },
};

async function build(revision: string): Promise<Version | undefined> {
  const program = await buildEarlier(revision);
  return program === undefined ? undefined : { name: revision, program };
}
