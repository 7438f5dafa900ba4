import { formatUsd } from '#base';
import { runLostDiskPlan } from '../support/lost-disk-run.ts';
import { runPowerPlan } from '../support/power-run.ts';
import type { LongRun } from './long-run.ts';

/** Replicas lost with their disks. */
const LOST_DISKS = 20;

export const runPower: LongRun = {
  name: 'power',
  summary:
    'the machine loses power: the journal is cut off at every byte and replayed; one of three replicas loses its disk',
  async run({ seed, count, report }) {
    const { cuts, bytes, records, forgotten, lost, missing } = await runPowerPlan({
      seed,
      cuts: count,
      report,
    });
    const disks = await runLostDiskPlan({ seed, rounds: LOST_DISKS, report });
    return (
      `${cuts.toLocaleString('en')} cuts of a journal of ${bytes.toLocaleString('en')} bytes and ${records} records: overspent 0, ` +
      `double 0, every settlement on disk exact, ledger difference 0; ${forgotten.toLocaleString('en')} requests forgotten; ` +
      `booked as lost ${formatUsd(lost)} where at most ${formatUsd(missing)} was missing; ` +
      `${LOST_DISKS} of 3 × ${LOST_DISKS} replicas lost with their disks, ${disks.billed.toLocaleString('en')} requests: overspent 0, refused though ` +
      `affordable 0; ${disks.forgotten.toLocaleString('en')} forgotten of ${formatUsd(disks.missing)}, booked as lost ${formatUsd(disks.lost)}`
    );
  },
};
