import { describeError } from '../parts/endings.ts';
import { countOf, writeMoment, writeUsd } from '../parts/format.ts';

type Data = Readonly<Record<string, unknown>>;

const text = (data: Data, name: string): string => String((data[name] as string | number | null) ?? '');
const usd = (data: Data, name: string): string => writeUsd(text(data, name) || '0');
const list = (data: Data, name: string): readonly unknown[] => {
  const value = data[name];
  return Array.isArray(value) ? value : [];
};
const time = (data: Data, name: string): string => writeMoment(text(data, name));
const since = (data: Data): string => (text(data, 'since') === '' ? '' : ` since ${time(data, 'since')}`);
const end = (data: Data): string =>
  text(data, 'period_end') === '' ? '' : `; the period ends ${time(data, 'period_end')}`;
const models = (data: Data): string =>
  list(data, 'models').length === 0 ? '' : ` (${list(data, 'models').join(', ')})`;

const SENTENCES: Readonly<Record<string, (data: Data, subject: string) => string>> = {
  'budget.threshold_reached': (data, subject) =>
    `${subject} has used ${text(data, 'threshold_percent')} % of its budget: ${usd(data, 'used')} of ${usd(data, 'limit')}${end(data)}.`,
  'budget.forecast_exceeded': (data, subject) =>
    `${subject} will exceed its budget at this pace: ${usd(data, 'projected')} of ${usd(data, 'limit')}, ${usd(data, 'used')} so far${end(data)}.`,
  'budget.request_refused': (data, subject) =>
    `A budget of ${subject} refused a request, or ended its answer: ${usd(data, 'used')} of ${usd(data, 'limit')} are used, and it needed more than is left.`,
  'provider.outage': (data) =>
    `All calls of ${text(data, 'provider')}${models(data)} have failed lately${since(data)}.`,
  'provider.recovered': (data) => `${text(data, 'provider')}${models(data)} answers again.`,
  'ledger.disagreement': (data) =>
    `The ledger check found ${countOf(Number(data['count'] ?? 0), 'difference')}.`,
  'export.failing': (data) => {
    const error = text(data, 'error');
    const times = data['failures'] === undefined ? 'lately' : countOf(Number(data['failures']), 'time');
    return `The export ${text(data, 'export')} has failed ${times}${since(data)}${error === '' ? '' : `: ${error}`}.`;
  },
  'export.recovered': (data) => `The export ${text(data, 'export')} works again.`,
  'session.cache_loss': (data) =>
    `The session ${text(data, 'session_id')} has lost ${usd(data, 'lost')} of ${usd(data, 'cost')} by missed prompt caches.`,
  'catalogue.announced': (data) => `The feed announces ${changesOf(data)} from ${time(data, 'from')}.`,
  'catalogue.changed': (data) => `${changesOf(data)} of the feed count now.`,
  'catalogue.refused': (data) => `A feed was refused: ${text(data, 'reason') || text(data, 'fault')}.`,
  'catalogue.held': (data) => `Feed ${text(data, 'sequence')} waits for you: ${text(data, 'reason')}.`,
  'catalogue.recovered': () => 'The catalogue feed is in order again.',
  test: (data) => text(data, 'message') || 'A test.',
};

const changesOf = (data: Data): string =>
  `${countOf(Number(data['prices'] ?? 0), 'price')} and ${countOf(Number(data['removals'] ?? 0), 'removal')}`;

const TITLES: Readonly<Record<string, string>> = {
  'budget.threshold_reached': 'Budget used',
  'budget.forecast_exceeded': 'Budget forecast',
  'budget.request_refused': 'Budget refuses',
  'session.cache_loss': 'Cache misses',
};

/** The type of an alert in words. */
export const nameAlert = (type: string): string => TITLES[type] ?? describeError(type.replaceAll('.', '_'));

/** An alert as a sentence; undefined of a type that is not known. */
export function describeAlert(
  type: string,
  data: Data,
  names: ReadonlyMap<string, string>,
): string | undefined {
  const organization = text(data, 'organization_id');
  const of = organization === '' ? '' : ` (${names.get(organization) ?? organization})`;
  const subject = `${text(data, 'subject_name') || text(data, 'subject_id')}${of}`;
  return SENTENCES[type]?.(data, subject);
}
