import type { Condition } from '#alerts';
import type { FeedReport } from './follow-feed.ts';

/** How many names a message has. */
const MOST_NAMES = 50;

/** A feed that was refused or waits for the operator, and each moment at which announced changes count. */
export function listFeedConditions({ record, announcements }: FeedReport = NOTHING): Condition[] {
  const conditions: Condition[] = announcements.map(({ from, priced, removed }) => ({
    name: `catalogue/${from}`,
    begins: 'catalogue.announced',
    ends: 'catalogue.changed',
    data: {
      from: new Date(from).toISOString(),
      prices: priced.length,
      removals: removed.length,
      names: [...priced, ...removed].slice(0, MOST_NAMES),
    },
  }));
  if (record?.fault)
    conditions.push({
      name: 'catalogue/refused',
      begins: 'catalogue.refused',
      ends: 'catalogue.recovered',
      data: { fault: record.fault.kind, reason: record.fault.message },
    });
  if (record?.held)
    conditions.push({
      name: 'catalogue/held',
      begins: 'catalogue.held',
      ends: 'catalogue.recovered',
      data: { sequence: record.held.sequence.toString(), reason: record.held.reason },
    });
  return conditions;
}

const NOTHING: FeedReport = { record: undefined, announcements: [] };
