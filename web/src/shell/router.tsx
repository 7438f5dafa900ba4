import {
  createHashHistory,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
} from '@tanstack/react-router';
import { readAccessSearch } from '../access/access-search.ts';
import { readOperationsSearch } from '../operations/operations-search.ts';
import { readCustomersSearch } from '../customers/customers-search.ts';
import { readCalculatorSearch } from '../models/calculator-search.ts';
import { readModelsSearch } from '../models/models-search.ts';
import { readPlaygroundSearch } from '../playground/playground-search.ts';
import { NowScreen } from '../now/now-screen.tsx';
import { readNowSearch } from '../now/now-search.ts';
import { readRequestsSearch } from '../requests/requests-search.ts';
import { readSavingsSearch } from '../savings/savings-search.ts';
import { readSessionSearch, readSessionsSearch } from '../sessions/session-search.ts';
import { Failure, Loading } from '../parts/state.tsx';
import { NotFound } from './not-found.tsx';
import { onlyKnown } from './only-known.ts';
import { Shell } from './shell.tsx';

const root = createRootRoute({ component: Shell });
const now = createRoute({
  getParentRoute: () => root,
  path: '/',
  validateSearch: onlyKnown(readNowSearch),
  component: NowScreen,
});
const requests = createRoute({
  getParentRoute: () => root,
  path: '/requests',
  validateSearch: onlyKnown(readRequestsSearch),
  component: lazyRouteComponent(() => import('../requests/requests-screen.tsx'), 'RequestsScreen'),
});
const request = createRoute({
  getParentRoute: () => root,
  path: '/requests/$id',
  component: lazyRouteComponent(() => import('../requests/request-screen.tsx'), 'RequestScreen'),
});
const sessions = createRoute({
  getParentRoute: () => root,
  path: '/sessions',
  validateSearch: onlyKnown(readSessionsSearch),
  component: lazyRouteComponent(() => import('../sessions/sessions-screen.tsx'), 'SessionsScreen'),
});
const session = createRoute({
  getParentRoute: () => root,
  path: '/sessions/$id',
  validateSearch: onlyKnown(readSessionSearch),
  component: lazyRouteComponent(() => import('../sessions/session-screen.tsx'), 'SessionScreen'),
});
const savings = createRoute({
  getParentRoute: () => root,
  path: '/savings',
  validateSearch: onlyKnown(readSavingsSearch),
  component: lazyRouteComponent(() => import('../savings/savings-screen.tsx'), 'SavingsScreen'),
});
const operations = createRoute({
  getParentRoute: () => root,
  path: '/operations',
  validateSearch: onlyKnown(readOperationsSearch),
  component: lazyRouteComponent(() => import('../operations/operations-screen.tsx'), 'OperationsScreen'),
});
const models = createRoute({
  getParentRoute: () => root,
  path: '/models',
  validateSearch: onlyKnown(readModelsSearch),
  component: lazyRouteComponent(() => import('../models/models-screen.tsx'), 'ModelsScreen'),
});
const model = createRoute({
  getParentRoute: () => root,
  path: '/models/$id',
  component: lazyRouteComponent(() => import('../models/model-screen.tsx'), 'ModelScreen'),
});
const calculator = createRoute({
  getParentRoute: () => root,
  path: '/models/calculator',
  validateSearch: onlyKnown(readCalculatorSearch),
  component: lazyRouteComponent(() => import('../models/calculator-screen.tsx'), 'CalculatorScreen'),
});
const playground = createRoute({
  getParentRoute: () => root,
  path: '/playground',
  validateSearch: onlyKnown(readPlaygroundSearch),
  component: lazyRouteComponent(() => import('../playground/playground-screen.tsx'), 'PlaygroundScreen'),
});
const customers = createRoute({
  getParentRoute: () => root,
  path: '/customers',
  validateSearch: onlyKnown(readCustomersSearch),
  component: lazyRouteComponent(() => import('../customers/customers-screen.tsx'), 'CustomersScreen'),
});
const access = createRoute({
  getParentRoute: () => root,
  path: '/access',
  validateSearch: onlyKnown(readAccessSearch),
  component: lazyRouteComponent(() => import('../access/access-screen.tsx'), 'AccessScreen'),
});

/** Addresses are in the fragment: they work behind any path prefix, and no server sees them. */
export const router = createRouter({
  routeTree: root.addChildren([
    now,
    requests,
    request,
    sessions,
    session,
    savings,
    models,
    model,
    calculator,
    playground,
    customers,
    access,
    operations,
  ]),
  history: createHashHistory(),
  defaultPendingComponent: () => <Loading what="the page" />,
  defaultNotFoundComponent: NotFound,
  defaultErrorComponent: ({ error, reset }) => (
    <Failure error={error instanceof Error ? error : new Error(String(error))} retry={reset} />
  ),
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
