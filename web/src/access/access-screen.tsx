import { NativeSelect, Stack, Tabs, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Empty, Failure, Loading } from '../parts/state.tsx';
import { findFault } from '../parts/find-fault.ts';
import { useCan, useSeesAll } from '../parts/use-can.ts';
import { recordQuery, useRecords } from './access-queries.ts';
import type { Part } from './access-search.ts';
import { AdminKeys } from './admin-keys.tsx';
import { BrowserSessions } from './browser-sessions.tsx';
import { CustomProviders } from './custom-providers.tsx';
import { Keys } from './keys.tsx';
import { Members } from './members.tsx';
import { Money } from './money.tsx';
import { OrganizationBar } from './organization-bar.tsx';
import { OrganizationLimits } from './organization-limits.tsx';
import { Projects } from './projects.tsx';
import { ProviderKeys } from './provider-keys.tsx';
import { type Scope, useAccessNavigate, useAccessSearch, useRights } from './scope.ts';

/** Who may use the gateway, for what and how much: one organization at a time. */
export function AccessScreen() {
  const { isMember, ...rights } = useRights();
  return (
    <Stack>
      <Title>Access</Title>
      {isMember ? <Keys canWrite={false} /> : <Organizations rights={rights} />}
    </Stack>
  );
}

function Organizations({ rights }: { rights: Omit<Scope, 'organization'> }) {
  const { organization: chosen } = useAccessSearch();
  const navigate = useAccessNavigate();
  const seesAll = useSeesAll();
  const { records, error, retry, more } = useRecords('/admin/v1/organizations');
  const listed = records?.find(({ id }) => id === chosen);
  const other = useQuery({
    ...recordQuery('/admin/v1/organizations/{id}', chosen ?? ''),
    enabled: records !== undefined && chosen !== undefined && !listed,
  });
  const choose = (organization?: string): void =>
    void navigate({
      search: ({ part }) => ({
        ...(part && { part }),
        ...(organization !== undefined && { organization }),
      }),
    });
  const failed = error ?? findFault(other);
  const failure = failed && <Failure error={failed} retry={retry} isOld={records !== undefined} />;
  if (!records || (chosen !== undefined && !listed && !other.data))
    return failure ?? <Loading what="organizations" />;
  const shown = listed ?? other.data ?? records[0];
  if (!shown) return <Empty title="No organizations yet">Add one with “npx sluice orgs create”.</Empty>;
  return (
    <>
      {failure}
      <OrganizationBar
        listed={listed || !other.data ? records : [...records, other.data]}
        shown={shown}
        more={more}
        choose={choose}
        canAdd={seesAll && rights.canWrite}
      />
      <Parts key={shown.id} scope={{ ...rights, organization: shown }} />
    </>
  );
}

interface Tab {
  part: Part;
  name: string;
  isSeen: boolean;
  content: () => ReactNode;
}

function Parts({ scope }: { scope: Scope }) {
  const search = useAccessSearch();
  const navigate = useAccessNavigate();
  const tabs = useTabs(scope).filter(({ isSeen }) => isSeen);
  const shown = tabs.find(({ part }) => part === search.part) ?? tabs[0];
  if (!shown) return <Empty title="Nothing to see with these rights">Sign in with accounts:read.</Empty>;
  const open = (part: string | null): void =>
    void navigate({
      search: ({ organization }) => ({
        ...(organization !== undefined && { organization }),
        part: tabs.find((tab) => tab.part === part)?.part ?? shown.part,
      }),
    });
  return (
    <Tabs value={shown.part} onChange={open} keepMounted={false}>
      <NativeSelect
        hiddenFrom="sm"
        aria-label="Part of the page"
        mb="md"
        value={shown.part}
        onChange={({ currentTarget }) => open(currentTarget.value)}
        data={tabs.map(({ part, name }) => ({ value: part, label: name }))}
      />
      <Tabs.List mb="md" visibleFrom="sm">
        {tabs.map(({ part, name }) => (
          // A tab that is open leads back from a record to the list.
          <Tabs.Tab key={part} value={part} onClick={() => open(part)}>
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {tabs.map(({ part, content }) => (
        <Tabs.Panel key={part} value={part}>
          {content()}
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

function useTabs(scope: Scope): Tab[] {
  const can = useCan();
  const accounts = can('accounts', 'read');
  const admins = can('admin_keys', 'read');
  const ofAdmins = { canWrite: scope.canManageAdmins, organization: scope.organization };
  const tab =
    (part: Part, name: string, isSeen: boolean) =>
    (content: () => ReactNode): Tab => ({
      part,
      name,
      isSeen,
      content,
    });
  return [
    tab('keys', 'Keys', accounts)(() => <Keys {...scope} />),
    tab('members', 'Members', accounts)(() => <Members {...scope} />),
    tab('projects', 'Projects', accounts)(() => <Projects {...scope} />),
    tab('limits', 'Limits & rules', accounts)(() => <OrganizationLimits {...scope} />),
    tab('money', 'Credits & plan', can('money', 'read'))(() => <Money {...scope} />),
    tab('provider-keys', 'Provider keys', accounts)(() => <ProviderKeys {...scope} />),
    tab('custom-providers', 'Custom providers', accounts)(() => <CustomProviders {...scope} />),
    tab('admin-keys', 'Admin keys', admins)(() => <AdminKeys {...ofAdmins} />),
    tab('sessions', 'Dashboard sessions', admins)(() => <BrowserSessions {...ofAdmins} />),
  ];
}
