import { NativeSelect, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, getRouteApi } from '@tanstack/react-router';
import { clientSessionQuery } from '../api/queries.ts';
import { countOf, formatCount, formatMs } from '../parts/format.ts';
import { Section } from '../parts/section.tsx';
import { Read } from '../parts/state.tsx';
import { Tile } from '../parts/tile.tsx';
import { Moment, Share, Usd } from '../parts/values.tsx';
import type { Session } from './flatten-session.ts';
import { readSessionSearch } from './session-search.ts';
import { SessionMisses } from './session-misses.tsx';
import { SessionTree } from './session-tree.tsx';

const route = getRouteApi('/sessions/$id');

/** One session of a client as a tree; it grows while the session runs. */
export function SessionScreen() {
  const { id } = route.useParams();
  const { organization_id: organization } = route.useSearch();
  return (
    <Stack>
      <Link to="/sessions">← All sessions</Link>
      <Read query={useQuery(clientSessionQuery(id, organization))} what="the session">
        {(session) => <Found session={session} />}
      </Read>
    </Stack>
  );
}

function Found({ session: data }: { session: Session }) {
  const { sort } = route.useSearch();
  const navigate = route.useNavigate();
  const order = (
    <NativeSelect
      aria-label="Order"
      value={sort ?? ''}
      onChange={({ currentTarget }) =>
        void navigate({ search: (old) => readSessionSearch({ ...old, sort: currentTarget.value }) })
      }
      data={[
        { value: '', label: 'As they happened' },
        { value: 'cost', label: 'Most expensive first' },
      ]}
    />
  );
  return (
    <>
      <Title>{data.id}</Title>
      <Text size="sm">
        {[data.client_name ?? 'Unknown client', data.client_version].filter(Boolean).join(' ')},{' '}
        {data.models.join(', ')}
        {data.started_at !== null && (
          <>
            {', since '}
            <Moment iso={data.started_at} />
          </>
        )}
      </Text>
      <SessionTiles session={data} />
      <Section title="Agents and turns" action={order}>
        <SessionTree session={data} byCost={sort === 'cost'} />
      </Section>
      <SessionMisses session={data} />
    </>
  );
}

function SessionTiles({ session }: { session: Session }) {
  const { requests, failed_requests: failed, retries, cost, cache_share: share, duration_ms: ms } = session;
  const { cache_misses: misses, missed_tokens: missed, missed_cost: lost } = session;
  const parts = [
    `${formatCount(session.fresh_tokens)} fresh`,
    `${formatCount(session.cached_tokens)} cached`,
    `${formatCount(session.cache_write_tokens)} written`,
  ];
  return (
    <section className="tiles" aria-label="Figures">
      <Tile name="Cost" note={countOf(requests, 'request')}>
        <Usd exact={cost} />
      </Tile>
      <Tile name="Failed requests" note={`of ${countOf(requests, 'request')}`}>
        {failed === 0 ? (
          '0'
        ) : (
          <Link className="failed" to="/requests" search={{ session_id: session.id, finish_reason: 'error' }}>
            {formatCount(failed)} failed
          </Link>
        )}
      </Tile>
      <Tile name="Retries" note="provider calls beyond the first of each request">
        {formatCount(retries)}
      </Tile>
      <Tile name="Total request time" note="they may overlap">
        {formatMs(ms)}
      </Tile>
      <Tile name="Input tokens" note={parts.join(', ')}>
        {formatCount(session.input_tokens)}
      </Tile>
      <Tile name="Output tokens" note={`${formatCount(session.reasoning_tokens)} of them reasoning`}>
        {formatCount(session.output_tokens)}
      </Tile>
      <Tile name="Read from cache" note="of the input tokens">
        <Share of={share} />
      </Tile>
      <Tile
        name="Paid for missed caches"
        note={`${countOf(misses, 'miss', 'misses')}, ${countOf(missed, 'token')}`}
      >
        <Usd exact={lost} />
      </Tile>
    </section>
  );
}
