import { Stack, Tabs, Title } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Empty } from '../parts/state.tsx';
import { useCan, useSeesAll } from '../parts/use-can.ts';
import { Alerts } from './alerts.tsx';
import { AuditLog } from './audit-log.tsx';
import { Exports } from './exports.tsx';
import { GatewayState } from './gateway-state.tsx';
import { LedgerCheck } from './ledger-check.tsx';
import { type Part, readOperationsSearch } from './operations-search.ts';
import { Providers } from './providers.tsx';
import { Settings } from './settings.tsx';

const route = getRouteApi('/operations');

interface Tab {
  part: Part;
  name: string;
  isSeen: boolean;
  content: () => ReactNode;
}

/** How the gateway runs: stores, providers, settings, books and changes. */
export function OperationsScreen() {
  const tabs = useTabs().filter(({ isSeen }) => isSeen);
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const shown = tabs.find(({ part }) => part === search.part) ?? tabs[0];
  return (
    <Stack>
      <Title>Operations</Title>
      {shown ? (
        <Tabs
          value={shown.part}
          onChange={(part) => void navigate({ search: readOperationsSearch({ part }) })}
          keepMounted={false}
        >
          <Tabs.List mb="md">
            {tabs.map(({ part, name }) => (
              <Tabs.Tab key={part} value={part}>
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
      ) : (
        <Empty title="Nothing to see with these rights">
          Sign in with the scopes operations:read or audit:read.
        </Empty>
      )}
    </Stack>
  );
}

function useTabs(): Tab[] {
  const can = useCan();
  const seesAll = useSeesAll();
  const operates = seesAll && can('operations', 'read');
  return [
    { part: 'state', name: 'State', isSeen: operates, content: () => <GatewayState /> },
    {
      part: 'providers',
      name: 'Providers',
      isSeen: operates,
      content: () => <Providers canTest={can('operations', 'write')} />,
    },
    {
      part: 'exports',
      name: 'Exports',
      isSeen: seesAll && can('logs', 'read'),
      content: () => <Exports />,
    },
    { part: 'alerts', name: 'Alerts', isSeen: operates, content: () => <Alerts /> },
    { part: 'settings', name: 'Settings', isSeen: operates, content: () => <Settings /> },
    {
      part: 'ledger',
      name: 'Ledger',
      isSeen: seesAll && can('money', 'read'),
      content: () => <LedgerCheck />,
    },
    { part: 'audit', name: 'Audit log', isSeen: can('audit', 'read'), content: () => <AuditLog /> },
  ];
}
