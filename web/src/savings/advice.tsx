import { Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type AnswerOf, call } from '../api/client.ts';
import { formatCount } from '../parts/format.ts';
import { WideTable } from '../parts/section.tsx';
import { Empty, Failure, Loading } from '../parts/state.tsx';
import { Usd } from '../parts/values.tsx';
import { ProjectLink } from './project-link.tsx';
import { RequestLinks } from './request-links.tsx';
import { KINDS } from './savings-search.ts';

type Finding = AnswerOf<'/admin/v1/advice', 'get'>['data'][number];
type Query = Readonly<Record<string, string | undefined>>;

/** What is found is the same for a while, and finding it reads many rows. */
const STALE_MS = 60_000;

/** Findings, what would have saved most first, each with the requests that show it. */
export function Advice({ query }: { query: Query }) {
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['advice', query],
    queryFn: () => call('get', '/admin/v1/advice', { query }),
    staleTime: STALE_MS,
  });
  if (isPending) return <Loading what="advice" />;
  if (error) return <Failure error={error} retry={() => void refetch()} />;
  if (data.data.length === 0)
    return (
      <Empty title="Nothing to save was found">
        Loops, repeated reads and unused tools are found in sessions of agents.
      </Empty>
    );
  return (
    <>
      <Text size="sm" mb="sm">
        Findings overlap: do not add them up.
      </Text>
      <WideTable label="Advice" head={['Finding', 'Of', 'Requests', 'Count', 'Saved']} figures={2} miw={860}>
        {data.data.map((finding, index) => (
          <FindingRow key={index} finding={finding} />
        ))}
      </WideTable>
    </>
  );
}

function FindingRow({ finding }: { finding: Finding }) {
  const { kind, text, requests, saved, request_ids: ids } = finding;
  return (
    <Table.Tr>
      <Table.Td className="name">
        {text}
        <Text size="xs" className="quiet">
          {KINDS[kind]}
        </Text>
      </Table.Td>
      <Table.Td className="name">
        <Subject of={finding} />
      </Table.Td>
      <Table.Td>
        <RequestLinks ids={ids} />
      </Table.Td>
      <Table.Td ta="end">{formatCount(requests)}</Table.Td>
      <Table.Td ta="end">
        <Usd exact={saved} />
      </Table.Td>
    </Table.Tr>
  );
}

/** The session, project or model that a finding is about. */
function Subject({ of }: { of: Finding }) {
  const { organization_id: organization, project_id: project, session_id: session, model_id: model } = of;
  if (typeof session === 'string')
    return (
      <Link
        to="/sessions/$id"
        params={{ id: session }}
        search={organization === undefined ? {} : { organization_id: organization }}
      >
        session {session}
      </Link>
    );
  if (model !== undefined && project === undefined)
    return (
      <Link to="/models/$id" params={{ id: model }}>
        {model}
      </Link>
    );
  if (project === undefined) return '–';
  return (
    <>
      project <ProjectLink organization={organization} id={project} />
    </>
  );
}
