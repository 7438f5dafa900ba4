import { type ReactNode, Suspense, lazy } from 'react';
import { Alert, Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, getRouteApi } from '@tanstack/react-router';
import { logQuery } from '../api/queries.ts';
import type { LogLine } from '../now/first-request.tsx';
import { formatCount, formatMs } from '../parts/format.ts';
import { Section } from '../parts/section.tsx';
import { Failure, Loading } from '../parts/state.tsx';
import { useCan } from '../parts/use-can.ts';
import { Moment, Usd } from '../parts/values.tsx';
import { Attempts } from './attempts.tsx';
import { Bill } from './bill.tsx';

const Conversation = lazy(() => import('../conversation/conversation-section.tsx'));
const route = getRouteApi('/requests/$id');

/** One request: how it ended, what was tried, its bill part by part, and what was said. */
export function RequestScreen() {
  const { id } = route.useParams();
  const { data, error, isPending, refetch } = useQuery(logQuery(id));
  const canRead = useCan()('payloads', 'read');
  if (isPending) return <Loading what="the request" />;
  if (error) return <Failure error={error} retry={() => void refetch()} />;
  return (
    <Stack>
      <Link to="/requests">All requests</Link>
      <Title order={1} size="h2">
        {data.requested_model}
      </Title>
      {data.error_message !== null && (
        <Alert color="red" variant="outline" title={data.error_code ?? 'error'}>
          {data.error_message}
        </Alert>
      )}
      <Facts log={data} />
      <Attempts log={data} />
      <Bill log={data} />
      {canRead && (
        <Suspense fallback={<Loading what="the conversation" />}>
          <Conversation log={data} />
        </Suspense>
      )}
    </Stack>
  );
}

function Facts({ log }: { log: LogLine }) {
  const facts: [string, ReactNode][] = [
    ['Request', log.id],
    ['Started', <Moment key="started" iso={log.started_at} />],
    ['Cost', <Usd key="cost" exact={log.cost} />],
    ['Model', log.model_id ?? 'none'],
    ['Provider', log.provider_id ?? 'none'],
    ['Ended', `${log.finish_reason}, status ${log.status}${log.cached ? ', from the response cache' : ''}`],
    ['First token', log.first_event_ms === null ? 'none' : formatMs(log.first_event_ms)],
    ['Whole time', formatMs(log.duration_ms)],
    ['Endpoint', `${log.endpoint}${log.stream ? ', streamed' : ''}`],
    ['Key', log.key_id],
    ['Client', log.user_agent ?? 'unknown'],
    ...(log.cache_miss
      ? [['Prompt cache', <CacheMiss key="miss" miss={log.cache_miss} />] as [string, ReactNode]]
      : []),
    ['Session', log.session_id === null ? 'none' : <SessionLink key="session" log={log} />],
  ];
  return (
    <Section title="Facts">
      <dl className="figures facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}

function CacheMiss({ miss }: { miss: NonNullable<LogLine['cache_miss']> }) {
  return (
    <>
      missed: {miss.text}; {formatCount(miss.tokens)} tokens, <Usd exact={miss.cost} /> more
    </>
  );
}

function SessionLink({ log }: { log: LogLine }) {
  return (
    <Link
      to="/sessions/$id"
      params={{ id: log.session_id ?? '' }}
      search={{ organization_id: log.organization_id }}
    >
      {log.session_id}
    </Link>
  );
}
