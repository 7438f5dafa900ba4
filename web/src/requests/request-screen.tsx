import type { ReactNode } from 'react';
import { Alert, ScrollArea, Stack, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, getRouteApi } from '@tanstack/react-router';
import { logQuery } from '../api/queries.ts';
import type { LogLine } from '../now/first-request.tsx';
import { formatCount, formatMs } from '../parts/format.ts';
import { Failure, Loading } from '../parts/state.tsx';
import { Moment, Usd } from '../parts/values.tsx';

const route = getRouteApi('/requests/$id');

/** One request: how it ended, what was tried, and its bill part by part. */
export function RequestScreen() {
  const { id } = route.useParams();
  const { data, error, isPending, refetch } = useQuery(logQuery(id));
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
      <Attempts attempts={data.attempts} />
      <Bill log={data} />
    </Stack>
  );
}

function Facts({ log }: { log: LogLine }) {
  const facts: [string, ReactNode][] = [
    ['Request', log.id],
    ['Started', <Moment key="started" iso={log.started_at} />],
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
    <Wide label="Facts">
      <Table.Tbody>
        {facts.map(([name, value]) => (
          <Table.Tr key={name}>
            <Table.Th scope="row">{name}</Table.Th>
            <Table.Td>{value}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Wide>
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

function Attempts({ attempts }: Pick<LogLine, 'attempts'>) {
  if (attempts.length === 0) return <Text>No provider was called.</Text>;
  return (
    <Wide label="Attempts" head={['Provider', 'Model', 'Why', 'Outcome', 'Waited', 'Took']}>
      <Table.Tbody>
        {attempts.map((attempt, index) => (
          <Table.Tr key={index}>
            <Table.Td>{attempt.provider_id}</Table.Td>
            <Table.Td>{attempt.model}</Table.Td>
            <Table.Td>{attempt.reason ?? '–'}</Table.Td>
            <Table.Td>
              {attempt.status === null ? attempt.outcome : `${attempt.outcome} (${attempt.status})`}
            </Table.Td>
            <Table.Td>{formatMs(attempt.wait_ms)}</Table.Td>
            <Table.Td>{formatMs(attempt.duration_ms)}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Wide>
  );
}

/** The tokens that were counted, and what each priced part and factor added. */
function Bill({ log }: { log: LogLine }) {
  const used = Object.entries(log.usage).filter(([, count]) => count !== 0);
  const parts = log.modifiers ?? [];
  return (
    <Wide label={log.estimated ? 'Bill, from estimated tokens' : 'Bill'} head={['Part', 'Count', 'USD']}>
      <Table.Tbody>
        {used.map(([name, count]) => (
          <Table.Tr key={name}>
            <Table.Td>{name.replaceAll('_', ' ')}</Table.Td>
            <Table.Td>{formatCount(count)}</Table.Td>
            <Table.Td>{parts.length > 0 ? 'see below' : ''}</Table.Td>
          </Table.Tr>
        ))}
        {parts.flatMap((part, index) => [
          <Table.Tr key={index}>
            <Table.Td>{part.model}</Table.Td>
            <Table.Td>{part.price_version}</Table.Td>
            <Table.Td>
              <Usd exact={part.amount} />
            </Table.Td>
          </Table.Tr>,
          ...part.factors.map((factor) => (
            <Table.Tr key={`${index} ${factor.name}`}>
              <Table.Td>
                of it {factor.name} {factor.value}
              </Table.Td>
              <Table.Td>× {factor.factor}</Table.Td>
              <Table.Td>
                <Usd exact={factor.amount} />
              </Table.Td>
            </Table.Tr>
          )),
        ])}
        <Table.Tr fw={700}>
          <Table.Td>Total</Table.Td>
          <Table.Td>{log.price_version ?? ''}</Table.Td>
          <Table.Td>
            <Usd exact={log.cost} />
          </Table.Td>
        </Table.Tr>
      </Table.Tbody>
    </Wide>
  );
}

function Wide({ label, head, children }: { label: string; head?: readonly string[]; children: ReactNode }) {
  return (
    <section aria-label={label}>
      <Title order={2} size="h4" mb="xs">
        {label}
      </Title>
      <ScrollArea type="auto" viewportProps={{ tabIndex: 0, role: 'group', 'aria-label': label }}>
        <Table className={head ? 'figures' : 'figures facts'} miw={head ? 560 : 0}>
          {head && (
            <Table.Thead>
              <Table.Tr>
                {head.map((name) => (
                  <Table.Th key={name}>{name}</Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
          )}
          {children}
        </Table>
      </ScrollArea>
    </section>
  );
}
