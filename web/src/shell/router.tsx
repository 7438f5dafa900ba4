import { createHashHistory, createRootRoute, createRoute, createRouter } from '@tanstack/react-router';
import { AccessScreen } from '../access/access-screen.tsx';
import { NowScreen, readNowSearch } from '../now/now-screen.tsx';
import { RequestScreen } from '../requests/request-screen.tsx';
import { RequestsScreen, readRequestsSearch } from '../requests/requests-screen.tsx';
import { Empty, Failure } from '../parts/state.tsx';
import { Shell } from './shell.tsx';

const root = createRootRoute({ component: Shell });
const now = createRoute({
  getParentRoute: () => root,
  path: '/',
  validateSearch: readNowSearch,
  component: NowScreen,
});
const requests = createRoute({
  getParentRoute: () => root,
  path: '/requests',
  validateSearch: readRequestsSearch,
  component: RequestsScreen,
});
const request = createRoute({ getParentRoute: () => root, path: '/requests/$id', component: RequestScreen });
const access = createRoute({ getParentRoute: () => root, path: '/access', component: AccessScreen });

/** Addresses are in the fragment: they work behind any path prefix, and no server sees them. */
export const router = createRouter({
  routeTree: root.addChildren([now, requests, request, access]),
  history: createHashHistory(),
  defaultNotFoundComponent: () => <Empty title="There is no such page" />,
  defaultErrorComponent: ({ error, reset }) => (
    <Failure error={error instanceof Error ? error : new Error(String(error))} retry={reset} />
  ),
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
