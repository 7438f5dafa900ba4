import { formatCount, formatFirst } from '#base';
import type { AlertRecord } from './alert-store.ts';

/** Names in the data of an alert, the most telling first. */
const NAMES = ['subject_name', 'subject_id', 'provider', 'export', 'session_id', 'reason'];

/** What an alert is about. */
export function describeAlert(data: AlertRecord['data']): string {
  const name = NAMES.map((field) => data[field]).find((value) => typeof value === 'string') ?? '';
  const { threshold_percent: percent, count, names, models } = data;
  if (typeof data['budget'] === 'string')
    return [name, describeBudget(data), ...(typeof percent === 'number' ? [`${percent} %`] : [])].join(', ');
  if (Array.isArray(models) && models.length > 0)
    return `${name}: ${models.filter((model) => typeof model === 'string').join(', ')}`;
  if (typeof count === 'number') return formatCount(count, 'difference');
  if (!Array.isArray(names) || typeof names[0] !== 'string') return name;
  return formatFirst(names.map(String), 1);
}

const DAY = 10;

/** `member recurring of 5 USD since 2026-11-01` */
function describeBudget({ budget, limit, period_start: start }: AlertRecord['data']): string {
  const kind = typeof budget === 'string' ? budget.replaceAll('_', ' ') : '';
  const amount = typeof limit === 'string' ? ` of ${limit} USD` : '';
  const since = typeof start === 'string' ? ` since ${start.slice(0, DAY)}` : '';
  return `${kind}${amount}${since}`;
}
