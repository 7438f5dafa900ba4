import { useQuery } from '@tanstack/react-query';
import { sessionQuery } from '../../api/queries.ts';
import { NamePicker } from './name-picker.tsx';
import { useNames } from './use-names.ts';

interface Scope {
  organization_id?: string;
  project_id?: string;
}

interface ScopeFiltersProps {
  scope: Scope;
  choose(change: { [Name in keyof Scope]: Scope[Name] | undefined }): void;
}

/** One organization or project instead of all that the session sees. */
export function ScopeFilters({ scope, choose }: ScopeFiltersProps) {
  const session = useQuery(sessionQuery).data;
  const seesAll = session?.organization_id === null;
  const organizations = useNames('/admin/v1/organizations', { enabled: seesAll });
  const only = organizations.hasMore ? undefined : organizations.names;
  const organization =
    scope.organization_id ?? session?.organization_id ?? (only?.length === 1 ? only[0]?.id : undefined);
  return (
    <>
      {seesAll && only?.length !== 1 && (
        <NamePicker
          label="Organization"
          path="/admin/v1/organizations"
          value={scope.organization_id}
          choose={(id) => choose({ organization_id: id, project_id: undefined })}
        />
      )}
      {organization !== undefined && (
        <NamePicker
          key={organization}
          label="Project"
          path="/admin/v1/projects"
          filter={{ organization_id: organization }}
          value={scope.project_id}
          choose={(id) => choose({ project_id: id })}
        />
      )}
    </>
  );
}
