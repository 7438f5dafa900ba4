import {
  ActionIcon,
  Container,
  Group,
  Text,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useLocation } from '@tanstack/react-router';
import { useEffect } from 'react';
import { sessionQuery } from '../api/queries.ts';
import { useCan, useIsMember, useSeesAll } from '../parts/use-can.ts';
import { AccountMenu } from './account-menu.tsx';

const PAGES = [
  { to: '/', name: 'Now' },
  { to: '/requests', name: 'Requests' },
  { to: '/sessions', name: 'Sessions' },
  { to: '/models', name: 'Models' },
  { to: '/playground', name: 'Playground' },
  { to: '/access', name: 'Access' },
  { to: '/customers', name: 'Customers' },
  { to: '/operations', name: 'Operations' },
] as const;

/** Pages of which a session would see nothing are not offered. */
function useIsSeen(): (page: string) => boolean {
  const can = useCan();
  const seesAll = useSeesAll();
  const isMember = useIsMember();
  const operates = can('operations', 'read') || can('money', 'read');
  return (page) => {
    if (page === '/operations') return can('audit', 'read') || (seesAll && operates);
    return page !== '/customers' || !isMember;
  };
}

export function Shell() {
  const { data } = useQuery(sessionQuery);
  const isSeen = useIsSeen();
  const { pathname } = useLocation();
  // On a small screen the pages scroll.
  useEffect(() => {
    document
      .querySelector('.pages [aria-current=page]')
      ?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [pathname]);
  return (
    <>
      <header className="bar">
        <Container size="xl">
          <Group justify="space-between" gap="sm" wrap="nowrap">
            <Group component="nav" aria-label="Pages" gap="md" wrap="nowrap" className="pages">
              <Text fw={700} visibleFrom="sm">
                Sluice
              </Text>
              {PAGES.filter(({ to }) => isSeen(to)).map(({ to, name }) => (
                <Link key={to} to={to} activeOptions={{ exact: to === '/', includeSearch: false }}>
                  {name}
                </Link>
              ))}
            </Group>
            <Group gap="xs" wrap="nowrap">
              <SchemeSwitch />
              {data && <AccountMenu session={data} />}
            </Group>
          </Group>
        </Container>
      </header>
      <Container component="main" size="xl" py="md">
        <Outlet />
      </Container>
    </>
  );
}

function SchemeSwitch() {
  const { setColorScheme } = useMantineColorScheme();
  const next = useComputedColorScheme('light') === 'dark' ? 'light' : 'dark';
  return (
    <ActionIcon
      variant="default"
      size="lg"
      aria-label={`Use ${next} colours`}
      onClick={() => setColorScheme(next)}
    >
      {next === 'dark' ? '☾' : '☀'}
    </ActionIcon>
  );
}
