import { Suspense, lazy } from 'react';
import { Alert, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, getRouteApi } from '@tanstack/react-router';
import { billQuery, logQuery } from '../api/queries.ts';
import type { LogLine } from '../api/log-line.ts';
import { describeEnd } from '../parts/endings.ts';
import { countOf, formatCount, formatMs } from '../parts/format.ts';
import { Loading, Read } from '../parts/state.tsx';
import { useCan } from '../parts/use-can.ts';
import { Moment, Usd } from '../parts/values.tsx';
import { Attempts } from './attempts.tsx';
import { Bill } from './bill.tsx';
import { Facts } from './facts.tsx';

const Conversation = lazy(() => import('../conversation/conversation-section.tsx'));
const route = getRouteApi('/requests/$id');

/**
 * One request: how it ended, what was tried, its bill part by part, and what was said. What is read later is below everything
 * else: nothing moves while it loads.
 */
export function RequestScreen() {
  const { id } = route.useParams();
  const log = useQuery(logQuery(id));
  const bill = useQuery(billQuery(id));
  return (
    <Stack>
      <Link to="/requests">← All requests</Link>
      <Read query={bill.isPending ? { ...log, data: undefined } : log} what="the request">
        {(data) => <Found log={data} />}
      </Read>
    </Stack>
  );
}

function Found({ log: data }: { log: LogLine }) {
  const canRead = useCan()('payloads', 'read');
  return (
    <>
      <Title>{describe(data)}</Title>
      {data.error_message !== null && (
        <Alert color="red" variant="outline" title={describeEnd(data)}>
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
    </>
  );
}

/** The model, who answered, and how it ended. */
function describe(log: LogLine): string {
  const model = log.model_id ?? (log.requested_model || 'Request');
  const by = log.provider_id === null ? '' : ` by ${log.provider_id}`;
  return `${model}${by}: ${log.cached ? 'From the response cache' : describeEnd(log)}`;
}

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
