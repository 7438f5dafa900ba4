import {
  ActionIcon,
  Button,
  Container,
  Group,
  Text,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, Outlet } from '@tanstack/react-router';
import { call } from '../api/client.ts';
import { SESSION_KEY } from '../api/queries.ts';

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

export function Shell() {
  return (
    <>
      <header className="bar">
        <Container size="xl">
          <Group justify="space-between" gap="sm" wrap="nowrap">
            <Group component="nav" aria-label="Pages" gap="md" wrap="nowrap" className="pages">
              <Text fw={700} visibleFrom="sm">
                Sluice
              </Text>
              {PAGES.map(({ to, name }) => (
                <Link key={to} to={to} activeOptions={{ exact: to === '/', includeSearch: false }}>
                  {name}
                </Link>
              ))}
            </Group>
            <Group gap="xs" wrap="nowrap">
              <SchemeSwitch />
              <SignOut />
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

function SignOut() {
  const client = useQueryClient();
  const { mutate, isPending } = useMutation({
    mutationFn: () => call('delete', '/admin/v1/session'),
    onSettled: () => {
      client.clear();
      void client.invalidateQueries({ queryKey: SESSION_KEY });
      location.reload();
    },
  });
  return (
    <Button variant="default" onClick={() => mutate()} loading={isPending}>
      Sign out
    </Button>
  );
}
