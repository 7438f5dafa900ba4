import { Alert, Text } from '@mantine/core';
import type { AnswerOf } from '../api/client.ts';
import { type Column, DataTable } from '../parts/lists/data-table.tsx';
import { Section } from '../parts/section.tsx';
import { Moment } from '../parts/values.tsx';

type FeedStatus = AnswerOf<'/admin/v1/status', 'get'>['feed'];

const COLUMNS: readonly Column<NonNullable<FeedStatus>['announcements'][number]>[] = [
  { head: 'From', cell: ({ from }) => <Moment iso={from} /> },
  { head: 'New prices', kind: 'name', cell: ({ priced }) => priced.join(', ') || 'none' },
  { head: 'Removed', kind: 'name', cell: ({ removed }) => removed.join(', ') || 'none' },
];

/** The catalogue feed: what is in use, what is wrong with the last one, and what is announced. */
export function Feed({ feed }: { feed: FeedStatus }) {
  if (feed === null) return null;
  const { sequence, published_at: published, checked_at: checked, fault, held, announcements } = feed;
  return (
    <Section title="Catalogue feed">
      <Text size="sm">
        {sequence === null ? 'No feed is in use yet' : `Feed ${sequence}`}
        {published !== null && (
          <>
            , published <Moment iso={published} />
          </>
        )}
        {checked !== null && (
          <>
            , last checked <Moment iso={checked} />
          </>
        )}
      </Text>
      {fault && (
        <Alert role="alert" color="red" variant="outline" title={`Refused: ${fault.kind}`} my="sm">
          Since <Moment iso={fault.since} />: {fault.message}
        </Alert>
      )}
      {held && (
        <Alert color="gray" variant="outline" title={`Feed ${held.sequence} waits for you`} my="sm">
          {held.reason} Look at it with “npx sluice catalogue diff”.
        </Alert>
      )}
      {announcements.length > 0 && (
        <DataTable label="Announced" columns={COLUMNS} rows={announcements} keyOf={({ from }) => from} />
      )}
    </Section>
  );
}
