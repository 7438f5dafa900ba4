import {
  ActionIcon,
  Button,
  Container,
  Group,
  Popover,
  Stack,
  Text,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useLocation, useNavigate, useParams } from '@tanstack/react-router';
import { Suspense, lazy, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { sessionQuery } from '../api/queries.ts';
import { Empty } from '../parts/state.tsx';
import { useCan, useIsMember, useSeesAll } from '../parts/use-can.ts';
import { AccountMenu } from './account-menu.tsx';
import { usePageFocus } from './use-page-focus.ts';
import { useShortcuts } from './use-shortcuts.ts';

const Palette = lazy(() => import('./palette.tsx'));

/** `key` follows `g` on the keyboard. */
const PAGES = [
  { to: '/', name: 'Now', key: 'n' },
  { to: '/requests', name: 'Requests', key: 'r' },
  { to: '/sessions', name: 'Sessions', key: 's' },
  { to: '/savings', name: 'Savings', key: 'v' },
  { to: '/models', name: 'Models', key: 'm' },
  { to: '/playground', name: 'Playground', key: 'p' },
  { to: '/access', name: 'Access', key: 'a' },
  { to: '/customers', name: 'Customers', key: 'c' },
  { to: '/operations', name: 'Operations', key: 'o' },
] as const;

/** Wide lists use a wide screen; lines of text are still read with ease. */
const WIDTH = '110rem';

type Page = (typeof PAGES)[number];
/** A member sees nothing there. */
const OF_ORGANIZATIONS: readonly Page['to'][] = ['/savings', '/customers'];

/** Pages of which a session would see nothing are not offered. */
function usePages(): readonly Page[] {
  const can = useCan();
  const seesAll = useSeesAll();
  const isMember = useIsMember();
  const operates = can('operations', 'read') || can('money', 'read');
  const seesOperations = can('audit', 'read') || (seesAll && operates);
  return useMemo(
    () =>
      PAGES.filter(({ to }) => {
        if (to === '/operations') return seesOperations;
        return !OF_ORGANIZATIONS.includes(to) || !isMember;
      }),
    [seesOperations, isMember],
  );
}

export function Shell() {
  const { data } = useQuery(sessionQuery);
  const pages = usePages();
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  const openPalette = useCallback(() => setPaletteOpen(true), []);
  const navigate = useNavigate();
  const go = useCallback((to: Page['to']) => void navigate({ to }), [navigate]);
  useShortcuts({ pages, go, openPalette });
  const open = useOpenPage(PAGES);
  const isRefused = open !== undefined && !pages.includes(open);
  useTitle(open);
  const scheme = useScheme();
  const main = useRef<HTMLDivElement>(null);
  usePageFocus(main);
  return (
    <>
      <header className="bar">
        <button type="button" className="skip" onClick={() => main.current?.focus()}>
          Skip to the content
        </button>
        <Container size={WIDTH}>
          <Group justify="space-between" gap="sm" wrap="nowrap">
            <Navigation pages={pages} />
            <Group gap="xs" wrap="nowrap">
              <GoTo open={openPalette} />
              <ActionIcon
                variant="default"
                size="lg"
                aria-label={`Use ${scheme.next} colours`}
                onClick={scheme.change}
              >
                {scheme.next === 'dark' ? '☾' : '☀'}
              </ActionIcon>
              {data && <AccountMenu session={data} />}
            </Group>
          </Group>
        </Container>
      </header>
      <Container component="main" size={WIDTH} py="md" ref={main} tabIndex={-1} className="content">
        {isRefused ? <NotForRole name={open.name} /> : <Outlet />}
      </Container>
      {isPaletteOpen && (
        <Suspense>
          <Palette pages={pages} switchScheme={scheme.change} onClose={() => setPaletteOpen(false)} />
        </Suspense>
      )}
    </>
  );
}

/** An address may be typed, or sent by somebody who sees more. */
function NotForRole({ name }: { name: string }) {
  return (
    <Empty title={`${name} is not for your role`}>
      <Text size="sm">What it shows cannot be seen with the rights of this sign-in.</Text>
      <Link to="/">Back to Now</Link>
    </Empty>
  );
}

function GoTo({ open }: { open: () => void }) {
  const keys = { 'aria-keyshortcuts': 'Control+K Meta+K', title: 'Ctrl+K', onClick: open };
  return (
    <>
      <Button variant="default" visibleFrom="sm" {...keys}>
        Go to…
      </Button>
      <ActionIcon variant="default" size="lg" hiddenFrom="sm" aria-label="Go to…" {...keys}>
        ⌕
      </ActionIcon>
    </>
  );
}

/** On a small screen the pages are in a menu with the name of the one that is open. */
function Navigation({ pages }: { pages: readonly Page[] }) {
  const [isOpen, setOpen] = useState(false);
  const open = useOpenPage(pages);
  const links = pages.map(({ to, name }) => (
    <Link
      key={to}
      to={to}
      activeOptions={{ exact: to === '/', includeSearch: false }}
      onClick={() => setOpen(false)}
    >
      {name}
    </Link>
  ));
  return (
    <>
      <Group component="nav" aria-label="Pages" gap="md" wrap="nowrap" visibleFrom="lg">
        <Text fw={700}>Sluice</Text>
        {links}
      </Group>
      <Popover opened={isOpen} onChange={setOpen} position="bottom-start" trapFocus>
        <Popover.Target>
          <Button variant="default" hiddenFrom="lg" my="xs" onClick={() => setOpen(!isOpen)}>
            ☰ {open?.name ?? 'Pages'}
          </Button>
        </Popover.Target>
        <Popover.Dropdown aria-label="Pages">
          <Stack component="nav" aria-label="Pages" gap={0} className="menu">
            {links}
          </Stack>
        </Popover.Dropdown>
      </Popover>
    </>
  );
}

function useOpenPage(pages: readonly Page[]): Page | undefined {
  const { pathname } = useLocation();
  return pages.find(({ to }) => (to === '/' ? pathname === '/' : pathname.startsWith(to)));
}

/** Tabs and the history of the browser name what is shown. */
function useTitle(open: Page | undefined): void {
  const { id } = useParams({ strict: false });
  const title = [id, open?.name, 'Sluice'].filter((name) => name !== undefined).join(' · ');
  useEffect(() => void (document.title = title), [title]);
}

function useScheme() {
  const { setColorScheme } = useMantineColorScheme();
  const next = useComputedColorScheme('light') === 'dark' ? ('light' as const) : ('dark' as const);
  return { next, change: () => setColorScheme(next) };
}
