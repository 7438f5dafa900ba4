import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type AnswerOf, call } from '../api/client.ts';
import { type Column, DataTable } from '../parts/lists/data-table.tsx';
import { formatCount } from '../parts/format.ts';
import { Empty, Read } from '../parts/state.tsx';
import { Usd } from '../parts/values.tsx';
import { ProjectLink } from '../parts/names/project-link.tsx';
import { RequestLinks } from './request-links.tsx';
import { KINDS } from './savings-search.ts';

type Finding = AnswerOf<'/admin/v1/advice', 'get'>['data'][number];
type Query = Readonly<Record<string, string | undefined>>;

const COLUMNS: readonly Column<Finding>[] = [
  { head: 'Finding', kind: 'name', cell: ({ text }) => text, note: ({ kind }) => KINDS[kind] },
  { head: 'About', kind: 'name', cell: (finding) => <Subject of={finding} /> },
  { head: 'Examples', cell: ({ request_ids: ids }) => <RequestLinks ids={ids} /> },
  { head: 'Requests', kind: 'figure', cell: ({ requests }) => formatCount(requests) },
  { head: 'Savings', kind: 'figure', cell: ({ saved }) => <Usd exact={saved} /> },
];

/** What is found is the same for a while, and finding it reads many rows. */
const STALE_MS = 60_000;

/** Findings, what would have saved most first, each with the requests that show it. */
export function Advice({ query }: { query: Query }) {
  const advice = useQuery({
    queryKey: ['advice', query],
    queryFn: () => call('get', '/admin/v1/advice', { query }),
    staleTime: STALE_MS,
  });
  return (
    <Read query={advice} what="advice">
      {({ data }) => <Findings of={data} />}
    </Read>
  );
}

function Findings({ of }: { of: readonly Finding[] }) {
  if (of.length === 0)
    return (
      <Empty title="No savings found">
        Loops, repeated reads and unused tools are found in sessions of agents.
      </Empty>
    );
  return (
    <>
      <Text size="sm" mb="sm">
        Findings overlap: do not add them up.
      </Text>
      <DataTable label="Advice" columns={COLUMNS} rows={of} keyOf={(_finding, index) => index} />
    </>
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
