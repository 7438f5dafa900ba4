import { Code, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { call } from '../api/client.ts';
import { countOf } from '../parts/format.ts';
import { Read } from '../parts/state.tsx';
import { Moment, Usd } from '../parts/values.tsx';
import { type Project, recordQuery, useSearchedRecords } from './access-queries.ts';
import { ConfirmAction } from './forms/confirm-action.tsx';
import { Spent } from './keys.tsx';
import { useMakeNew } from './forms/make-new.tsx';
import { NEW_PROJECT_FIELDS, PROJECT_FIELDS } from './fields/project-fields.ts';
import { type Column, RecordList, RecordName } from './record-list.tsx';
import { FactList } from '../parts/fact-list.tsx';
import { RecordPage } from './record-page.tsx';
import { routingFields } from './fields/routing-fields.ts';
import { Rules } from './rules.tsx';
import { type Scope, useAccessSearch, useClose } from './scope.ts';
import { SettingsSection } from './forms/settings-section.tsx';
import { PeriodCell, listPeriod } from './this-period.tsx';
import { useSuggestions } from './suggestions.ts';

/** Projects of the organization, or one that is open. */
export function Projects(scope: Scope) {
  const { open } = useAccessSearch();
  return open === undefined ? <ProjectList {...scope} /> : <ProjectPage key={open} id={open} {...scope} />;
}

const COLUMNS: readonly Column<Project>[] = [
  { name: 'Project', cell: ({ id, name }) => <RecordName id={id} name={name} /> },
  { name: 'Spent', isFigure: true, cell: (project) => <Spent of={{ ...project, recurring_limit: null }} /> },
  { name: 'Spent in this period', isFigure: true, cell: (project) => <PeriodCell of={project} /> },
  {
    name: 'Response cache',
    isWide: true,
    cell: ({ cache_ttl_seconds: ttl }) => (ttl === null ? 'off' : countOf(ttl, 'second')),
  },
  { name: 'Payloads', isWide: true, cell: ({ payload_days: days }) => describeDays(days) },
  { name: 'Created', isWide: true, cell: ({ created_at: at }) => <Moment iso={at} /> },
];

const describeDays = (days: number | null): string =>
  days === null ? 'not kept' : `kept for ${countOf(days, 'day')}`;

function ProjectList({ organization: { id }, canWrite }: Scope) {
  const { list, search } = useSearchedRecords('/admin/v1/projects', { organization_id: id });
  const added = useMakeNew({
    name: 'Add a project',
    fields: NEW_PROJECT_FIELDS,
    path: '/admin/v1/projects',
    fixed: { organization_id: id },
    verb: 'Add',
  });
  const advice = canWrite ? 'Keys belong to a project; add one.' : 'An administrator can add one.';
  return (
    <RecordList
      title="Projects"
      what="projects"
      list={list}
      search={search}
      columns={COLUMNS}
      action={canWrite && added.button}
      empty={{ title: 'No projects yet', advice }}
    >
      {added.form}
    </RecordList>
  );
}

const PATH = '/admin/v1/projects/{id}';

/** One project: its response cache, rules and routing. */
function ProjectPage({ id, ...scope }: Scope & { id: string }) {
  return (
    <Read query={useQuery(recordQuery(PATH, id))} what="the project">
      {(project) => <FoundProject project={project} {...scope} />}
    </Read>
  );
}

function FoundProject({ project: data, canWrite, organization }: Scope & { project: Project }) {
  const { id, name } = data;
  const close = useClose();
  const routing = routingFields(useSuggestions());
  const settings = { record: data, path: PATH, id, canWrite } as const;
  const remove = (
    <ConfirmAction
      name="Remove"
      about={name}
      explains={`All keys of ${name} and their session tokens are refused at once, and nothing brings them back. Requests and what they cost stay in reports.`}
      run={() => call('delete', PATH, { id }).then(close)}
    />
  );
  return (
    <RecordPage id={id} name={name} back="All projects" filter="project_id" actions={canWrite && remove}>
      <FactList of={[['Total spent', <Usd exact={data.usage} />], ...listPeriod(data)]} />
      <SettingsSection title="Settings" fields={PROJECT_FIELDS} {...settings} />
      <Rules layer="project" subject={{ id }} canWrite={canWrite} organization={organization} />
      <SettingsSection title="Routing" fields={routing} {...settings} isBrief />
      <FactList of={[['Payloads', describeDays(data.payload_days)]]} />
      {canWrite && (
        <Text size="sm">
          Whether payloads are kept is decided on the machine of the gateway:{' '}
          <Code>npx sluice payloads set --project {id} --days 30</Code>
        </Text>
      )}
    </RecordPage>
  );
}
