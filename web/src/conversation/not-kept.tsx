import { Code, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { recordQuery } from '../access/access-queries.ts';
import type { LogLine } from '../api/log-line.ts';
import { Fold } from '../parts/fold.tsx';
import { countOf } from '../parts/format.ts';
import { ProjectLink } from '../parts/names/project-link.tsx';
import { useCan, useSeesAll } from '../parts/use-can.ts';
import { READERS } from './conversation.ts';

const DAY_MS = 86_400_000;
/** So long after the answer a payload may still be on its way to the database. */
const LATE_MS = 10_000;

type Line = Pick<LogLine, 'project_id' | 'organization_id' | 'format' | 'started_at' | 'duration_ms'>;

/** Why a request has no payload, as far as the session may know. */
export function NotKept({ log }: { log: Line }) {
  const { project_id: id, organization_id: organization } = log;
  const canRead = useCan()('accounts', 'read');
  const isOperator = useSeesAll() && canRead;
  const { data } = useQuery({
    ...recordQuery('/admin/v1/projects/{id}', id),
    enabled: canRead,
    retry: false,
  });
  if (READERS[log.format] === undefined)
    return (
      <Text>Only requests for text are kept, not those for images, audio, embeddings and the like.</Text>
    );
  if (!data) return <Text>The conversation is not kept.</Text>;
  const project = <ProjectLink organization={organization} id={id} />;
  if (data.payload_days !== null)
    return (
      <Text>
        The project {project} keeps what is said for {countOf(data.payload_days, 'day')}.{' '}
        {explainMissing(log, data.payload_days)}
      </Text>
    );
  return (
    <>
      <Text>The project {project} does not keep what is said.</Text>
      {isOperator && (
        <Fold title="How to keep it">
          <Text size="sm">
            On the machine of the gateway, this keeps it for 30 days, from the next request of the project:{' '}
            <Code>npx sluice payloads set --project {id} --days 30</Code>
          </Text>
        </Fold>
      )}
    </>
  );
}

/** Why nothing is there of a project that keeps payloads. */
function explainMissing(
  { started_at: start, duration_ms: took }: Pick<Line, 'started_at' | 'duration_ms'>,
  days: number,
  now = Date.now(),
): string {
  const age = now - Date.parse(start);
  if (age - took < LATE_MS) return 'That of this request is being stored.';
  if (age > days * DAY_MS) return 'That of this request has expired.';
  return 'Nothing is stored of this request: it came before that was set, or what it said was deleted.';
}
