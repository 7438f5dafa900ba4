import { Alert, Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, getRouteApi } from '@tanstack/react-router';
import { useMemo } from 'react';
import { logQuery, payloadQuery } from '../api/queries.ts';
import { readAsked } from '../conversation/conversation.ts';
import { countOf } from '../parts/format.ts';
import { toQuestion } from '../conversation/to-question.ts';
import type { Message, Question } from './compose-request.ts';
import { readPlaygroundSearch } from './playground-search.ts';

/** The request that the playground continues. */
interface Source {
  from: string | undefined;
  history: readonly Message[];
  /** Absent until it is read, and where none is kept. */
  question: Question | undefined;
  /** Why it cannot be continued. */
  fault: string | undefined;
}

const NONE: readonly Message[] = [];

/** Reads what a kept request asked. */
export function useSource(from: string | undefined): Source {
  const log = useQuery({ ...logQuery(from ?? ''), enabled: from !== undefined });
  const row = log.data ?? { id: from ?? '', started_at: new Date(0).toISOString(), duration_ms: 0 };
  const payload = useQuery({ ...payloadQuery(row), enabled: log.data !== undefined });
  const read = useMemo(() => {
    const asked = log.data && payload.data && readAsked(log.data.format, payload.data);
    return asked && toQuestion(asked);
  }, [log.data, payload.data]);
  const error = log.error ?? payload.error;
  const isMissing = payload.data !== undefined && read === undefined;
  return {
    from,
    history: read?.history ?? NONE,
    question: read?.question,
    fault: error?.message ?? (isMissing ? 'What it asked is not kept, or only its beginning.' : undefined),
  };
}

export function SourceNote({ source: { from, history, fault } }: { source: Source }) {
  const navigate = getRouteApi('/playground').useNavigate();
  if (from === undefined) return null;
  const leave = (): void => void navigate({ search: ({ models }) => readPlaygroundSearch({ models }) });
  if (fault !== undefined)
    return (
      <Alert color="red" variant="outline" title={`The request ${from} cannot be continued`}>
        {fault}
      </Alert>
    );
  return (
    <Group gap="sm">
      <Text size="sm">
        From the request{' '}
        <Link to="/requests/$id" params={{ id: from }}>
          {from}
        </Link>
        {history.length > 0 && `, after ${countOf(history.length, 'earlier message')}`}.
      </Text>
      <Button variant="default" size="xs" onClick={leave}>
        Start anew
      </Button>
    </Group>
  );
}
