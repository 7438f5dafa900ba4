import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { latencyQuery } from '../api/queries.ts';
import { useCan } from '../parts/use-can.ts';

const HOUR_MS = 3_600_000;
const WEEK_HOURS = 168;
const REFRESH_MS = 60_000;

/** Median times to the first token in the last seven days, in milliseconds by model. */
export function useMeasured(): ReadonlyMap<string, number> {
  const [since] = useState(() =>
    new Date((Math.floor(Date.now() / HOUR_MS) - WEEK_HOURS) * HOUR_MS).toISOString(),
  );
  const canRead = useCan()('logs', 'read');
  const { data } = useQuery({
    ...latencyQuery({ by: 'model', since, refetchMs: REFRESH_MS }),
    enabled: canRead,
  });
  return new Map(
    data?.data.flatMap(({ group, time_to_first_token: first }) =>
      group['model'] !== undefined && first ? [[group['model'], first.p50] as const] : [],
    ),
  );
}
