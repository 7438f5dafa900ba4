import type { HTTPMethod } from 'find-my-way';
import { AUTH_POLICIES, type Endpoint } from './endpoint.ts';
import createFindMyWay from 'find-my-way';
import { GatewayError } from '#errors';
import { findAlternative } from './unserved.ts';

/** The most characters shown of an address that is not served. */
const MOST_SHOWN = 200;

/** The endpoint of a path, and the values of its named segments. */
interface Route {
  endpoint: Endpoint;
  params: Readonly<Record<string, string | undefined>>;
}

export interface Router {
  /** Throws `not_found` or `method_not_allowed`. */
  find(method: string, path: string): Route;
  allowedMethods(path: string): string[];
}

const METHODS: readonly HTTPMethod[] = ['DELETE', 'GET', 'HEAD', 'POST'];

/** Routes by method and path; a GET endpoint answers HEAD too. Throws if an endpoint declares no auth policy. */
export function createRouter(endpoints: readonly Endpoint[]): Router {
  const tree = createFindMyWay({ ignoreTrailingSlash: true, caseSensitive: true });
  for (const endpoint of endpoints) {
    requirePolicy(endpoint);
    const methods: HTTPMethod[] = endpoint.method === 'GET' ? ['GET', 'HEAD'] : [endpoint.method];
    for (const path of [endpoint.path, ...endpoint.aliases]) tree.on(methods, path, noHandler, endpoint);
  }
  const lookUp = (method: HTTPMethod, path: string): Route | undefined => {
    const found = tree.find(method, path);
    const endpoint = found?.store as Endpoint | undefined;
    if (!found || !endpoint || endpoint.pattern?.test(path) === false) return undefined;
    return { endpoint, params: found.params };
  };
  const allowedMethods = (path: string): string[] => METHODS.filter((method) => lookUp(method, path));
  return {
    allowedMethods,
    find(method, path) {
      if (!path.startsWith('/'))
        throw new GatewayError('malformed_http', 'the request target must be a path', { param: 'path' });
      const route = lookUp(method as HTTPMethod, path);
      if (route) return route;
      const shown = path.slice(0, MOST_SHOWN);
      const instead = findAlternative(shown);
      const allowed = allowedMethods(path);
      if (allowed.length > 0 && instead === undefined)
        throw new GatewayError('method_not_allowed', `${shown} takes ${allowed.join(', ')}`);
      const advice = instead ?? 'GET /openapi.json lists them';
      throw new GatewayError('not_found', `no such address: ${shown}; ${advice}`);
    },
  };
}

/** The compiler checks this too; this covers endpoints it did not check. */
function requirePolicy({ method, path, auth }: Endpoint): void {
  if (AUTH_POLICIES.includes(auth)) return;
  throw new Error(`${method} ${path} has no auth policy; it must be one of ${AUTH_POLICIES.join(', ')}`);
}

function noHandler(): void {
  // The tree is only used for lookups; the server runs the endpoints.
}
