import type { ReportStep, Step } from './ledger-steps.ts';
import type { Schedule, World } from './schedule.ts';

type StepOf<T extends Step['t']> = Extract<Step, { t: T }>;

/** The arguments of `ledger_report`. */
interface EncodedReport {
  keys: string[];
  organizations: string[];
  leases: object[];
  opened: object[];
  bills: object[];
  leased: object[];
}

interface EncodedReports {
  /** Of all schedules of a moment. */
  together: EncodedReport;
  /** Those that fail: they would make all others fail. */
  alone: EncodedReport[];
}

const NOTHING: EncodedReport = { keys: [], organizations: [], leases: [], opened: [], bills: [], leased: [] };

const merge = (one: EncodedReport, other: EncodedReport): EncodedReport => ({
  keys: [...one.keys, ...other.keys],
  organizations: [...one.organizations, ...other.organizations],
  leases: [...one.leases, ...other.leases],
  opened: [...one.opened, ...other.opened],
  bills: [...one.bills, ...other.bills],
  leased: [...one.leased, ...other.leased],
});

export const encodeLimits = (
  { keyLimits, renewals, organizationLimit }: Schedule,
  tenant: string,
): object[] => [
  ...keyLimits.map((lim, key) => ({
    kind: 'key',
    id: `k${tenant}.${key}`,
    lim,
    recurring: renewals[key]?.lim ?? null,
  })),
  { kind: 'credits', id: `o${tenant}`, lim: organizationLimit },
];

/** One process's steps of a moment, as one statement of each kind. */
export function encodeMoment({ moments, schedules }: World, at: number, base: number): object {
  const moment = moments[at];
  if (moment?.t !== 'work') return { ...moment };
  const asked: object[] = [];
  const growing: object[] = [];
  const settled: object[] = [];
  const reported: [string, object][] = [];
  const released: string[] = [];
  const reports: EncodedReports = { together: { ...NOTHING }, alone: [] };
  for (const [number, { steps, expected }] of schedules.entries()) {
    const step = steps[at];
    const tenant = `${base}.${number}`;
    if (step?.t === 'reserve') asked.push(encodeReserve(step, tenant));
    else if (step?.t === 'grow') growing.push(encodeGrow(step, tenant));
    else if (step?.t === 'settle') settled.push(...encodeSettle(step, tenant, base));
    else if (step?.t === 'beat') reported.push(...encodeBeat(step, tenant));
    else if (step?.t === 'report') {
      const report = encodeReport(step, tenant, base);
      if (expected[at]?.startsWith('failed') === true) reports.alone.push(report);
      else reports.together = merge(reports.together, report);
    } else if (step?.t === 'release') released.push(...step.ids.map((id) => `${tenant}.${id}`));
  }
  return {
    t: 'work',
    owner: moment.owner,
    ...(asked.length > 0 && { asked }),
    ...(growing.length > 0 && { growing }),
    ...(settled.length > 0 && { settled }),
    ...(schedules.some(({ steps }) => steps[at]?.t === 'report') && { reports }),
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

function encodeReserve({ id, key, amount, least, final, share }: StepOf<'reserve'>, tenant: string): object {
  const row = JSON.stringify(toRow(tenant, id, key));
  return { ...toIds(tenant, id, key), a: String(amount), l: least, f: final, h: share, row };
}

const encodeGrow = ({ id, amount, least }: StepOf<'grow'>, tenant: string): object => ({
  id: `${tenant}.${id}`,
  a: String(amount),
  l: String(least),
});

const encodeSettle = ({ owner, settlements }: StepOf<'settle'>, tenant: string, base: number): object[] =>
  settlements.map(({ id, key, customer, lease }) => ({
    ...(lease !== undefined && { l: `lease_${base + owner}_${tenant}.${lease}` }),
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

function encodeReport(step: ReportStep, tenant: string, base: number): EncodedReport {
  const toLease = (id: string): string => `lease_${base + step.owner}_${tenant}.${id}`;
  const keys = step.leases.map(({ key }) => `k${tenant}.${key}`);
  return {
    keys,
    organizations: [`o${tenant}`],
    leases: step.leases.map(({ id, key, keep, want, least }) => ({
      id: toLease(id),
      k: `k${tenant}.${key}`,
      o: `o${tenant}`,
      keep,
      want,
      least,
    })),
    opened: step.opened.map(({ id, lease, amount }) => ({
      id: `${tenant}.${id}`,
      lease: toLease(lease),
      a: amount,
      row: JSON.stringify(toRow(tenant, id, 0)),
    })),
    bills: step.bills.map((bill) => encodeBill(bill, tenant)),
    leased: step.leased.map((bill) => ({ ...encodeBill(bill, tenant), lease: toLease(bill.lease) })),
  };
}

const encodeBill = ({ id, customer }: { id: string; customer: number }, tenant: string): object => ({
  id: `${tenant}.${id}`,
  c: customer,
  p: customer,
  e: false,
});
