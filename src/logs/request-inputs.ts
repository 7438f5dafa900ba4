import { type InputField, choice, filter, named, text, time } from '#fields';
import {
  FILTER_NAMES,
  type FilterName,
  type FilterSpec,
  REQUEST_FILTERS,
  type RequestFilter,
} from './rows/request-filters.ts';

type RequestInputs<Name extends FilterName> = {
  readonly [Each in Name]: InputField<NonNullable<RequestFilter[Each]>, true>;
};

/** Filters of reports, from the filters of requests. */
export function requestFilters<const Name extends FilterName>(
  ...names: readonly Name[]
): RequestInputs<Name> {
  const fields = names.map((name) => {
    const [flags, only, requests, values]: FilterSpec = REQUEST_FILTERS[name];
    const type = values === undefined ? text() : choice(values);
    return [name, filter<string>(type, `Only requests ${requests}.`, { flags, help: `only ${only}` })];
  });
  return Object.fromEntries(fields) as RequestInputs<Name>;
}

/** Filters by the model and provider that answered. */
export const answeredBy = {
  model: filter(text(), 'Only requests that this model answered.', '--model <name>'),
  providerId: { ...requestFilters('providerId').providerId, type: named('provider', text()) },
};

/** All filters of requests. */
export const allRequestFilters = () => requestFilters(...FILTER_NAMES);

const SINCE_HELP = 'only requests since then: 30m, 2h, 7d or an ISO time';

interface PeriodTexts {
  /** The description of `since` in OpenAPI. */
  since: string;
  until: string;
  sinceHelp?: string;
  untilHelp?: string;
}

const describePeriod = (usual = ''): PeriodTexts => ({
  since: `Only requests that started at this time (ISO 8601) or later${usual}.`,
  until: 'Only requests that started before this time.',
});

/** The same for sums by the hour. */
export const describeHours = (usual = ''): PeriodTexts => ({
  since: `Only requests that started in the hour of this time (ISO 8601) or later${usual}.`,
  until: 'Only requests that started before this time; an hour that it divides counts as a whole.',
  sinceHelp: 'only requests since then, by the hour: 30m, 2h, 7d or an ISO time',
  untilHelp: 'only requests before then; an hour that it divides counts whole',
});

/** `since` and `until`, without a default. */
export function anyPeriod(texts = describePeriod()) {
  const { since, until, sinceHelp = SINCE_HELP, untilHelp = 'only requests before then' } = texts;
  return {
    since: filter(time, since, { flags: '--last, --since <time>', help: sinceHelp }),
    until: filter(time, until, { flags: '--until <time>', help: untilHelp }),
  };
}

const USUAL = { 1: 'the last day', 7: 'the last seven days', 30: 'the last 30 days' } as const;

/** `since` and `until`; `since` is that many days ago by default. */
export function periodOf(usualDays: keyof typeof USUAL, describe = describePeriod) {
  const { since, until } = anyPeriod(describe(`; by default of ${USUAL[usualDays]}`));
  return { since: { ...since, isOptional: false as const, usualDays }, until };
}
