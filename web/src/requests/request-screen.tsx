import { type ReactNode, Suspense, lazy } from 'react';
import { Alert, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, getRouteApi } from '@tanstack/react-router';
import { billQuery, logQuery } from '../api/queries.ts';
import type { LogLine } from '../api/log-line.ts';
import { countOf, formatCount, formatMs } from '../parts/format.ts';
import { Fold } from '../parts/fold.tsx';
import { Section } from '../parts/section.tsx';
import { Failure, Loading } from '../parts/state.tsx';
import { useCan } from '../parts/use-can.ts';
import { Moment, Usd } from '../parts/values.tsx';
import { Attempts } from './attempts.tsx';
import { Bill } from './bill.tsx';
import { describeTags } from './columns.ts';

const Conversation = lazy(() => import('../conversation/conversation-section.tsx'));
const route = getRouteApi('/requests/$id');

/**
 * One request: how it ended, what was tried, its bill part by part, and what was said. What is read later is below everything
 * else: nothing moves while it loads.
 */
export function RequestScreen() {
  const { id } = route.useParams();
  const { data, error, isPending, refetch } = useQuery(logQuery(id));
  const bill = useQuery(billQuery(id));
  const canRead = useCan()('payloads', 'read');
  if (isPending || (bill.isPending && !error)) return <Loading what="the request" />;
  const all = <Link to="/requests">All requests</Link>;
  if (error)
    return (
      <>
        {all}
        <Failure error={error} retry={() => void refetch()} />
      </>
    );
  return (
    <Stack>
      {all}
      <Title order={1} size="h2">
        {describe(data)}
      </Title>
      {data.error_message !== null && (
        <Alert color="red" variant="outline" title={data.error_code ?? 'error'}>
          {data.error_message}
        </Alert>
      )}
      <Summary log={data} />
      <Attempts log={data} />
      <Bill log={data} />
      <Facts log={data} />
      {canRead && (
        <Suspense fallback={<Loading what="the conversation" />}>
          <Conversation log={data} />
        </Suspense>
      )}
    </Stack>
  );
}

/** The model, who answered, and how it ended. */
function describe(log: LogLine): string {
  const model = log.model_id ?? log.requested_model;
  const by = log.provider_id === null ? '' : ` by ${log.provider_id}`;
  const outcome = log.error_code ?? OUTCOMES[log.finish_reason] ?? log.finish_reason;
  return `${model}${by}: ${log.cached ? 'from the response cache' : outcome}`;
}

const OUTCOMES: Readonly<Record<string, string>> = {
  length: 'cut at the length limit',
  tool_calls: 'tool calls',
  content_filter: 'content filter',
};

/** What is asked first of a request. */
function Summary({ log }: { log: LogLine }) {
  const first = log.first_event_ms;
  return (
    <Text size="sm">
      <Usd exact={log.cost} /> · {formatMs(log.duration_ms)}
      {first !== null && `, first token at ${formatMs(first)}`} · {countOf(log.input_tokens, 'token')} in,{' '}
      {formatCount(log.output_tokens)} out · <Moment iso={log.started_at} />
    </Text>
  );
}

function Facts({ log }: { log: LogLine }) {
  const facts: [string, ReactNode][] = [
    ['Request', log.id],
    ['Asked for', log.requested_model],
    ['Ended', `${log.finish_reason}, status ${log.status}${log.cached ? ', from the response cache' : ''}`],
    ['Endpoint', `${log.endpoint}${log.stream ? ', streamed' : ''}`],
    ['Key', log.key_id],
    ['Project', log.project_id],
    ['Organization', log.organization_id],
    ...listNamed(log),
    ['Client', <Client key="client" log={log} />],
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

/** What few requests have. */
const listNamed = (log: LogLine): [string, ReactNode][] =>
  (
    [
      ['Member', log.member_id],
      ['End user', log.end_user_id],
      ['Agent', log.agent_id],
      ['Turn', log.turn_id],
      ['Tags', describeTags(log)],
      ['At provider', log.upstream_id],
    ] as const
  ).flatMap(([name, value]) => (value === null || value === '' ? [] : [[name, value]]));

/** Its name and version; the user agent in which it says so on demand. */
function Client({ log }: { log: LogLine }) {
  const { client_name: name, client_version: version, user_agent: agent } = log;
  return (
    <>
      {name === null ? 'unknown' : `${name} ${version ?? ''}`}
      {agent !== null && <Fold title="User agent">{agent}</Fold>}
    </>
  );
}

function CacheMiss({ miss }: { miss: NonNullable<LogLine['cache_miss']> }) {
  return (
    <>
      missed: {miss.text}; {countOf(miss.tokens, 'token')}, <Usd exact={miss.cost} /> more
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
