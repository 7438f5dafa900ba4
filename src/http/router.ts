import type { HTTPMethod } from 'find-my-way';
import type { Endpoint } from './endpoint.ts';
import createFindMyWay from 'find-my-way';
import { GatewayError } from '#errors';

export interface Router {
  /** Throws `not_found` or `method_not_allowed`. */
  find(method: string, path: string): Endpoint;
  allowedMethods(path: string): string[];
}

const METHODS: readonly HTTPMethod[] = ['DELETE', 'GET', 'HEAD', 'POST'];

/** Routes by method and path; a GET endpoint answers HEAD too. */
export function createRouter(endpoints: readonly Endpoint[]): Router {
  const tree = createFindMyWay({ ignoreTrailingSlash: true, caseSensitive: true });
  for (const endpoint of endpoints) {
    const methods: HTTPMethod[] = endpoint.method === 'GET' ? ['GET', 'HEAD'] : [endpoint.method];
    for (const path of [endpoint.path, ...endpoint.aliases]) tree.on(methods, path, noHandler, endpoint);
  }
  const lookUp = (method: HTTPMethod, path: string): Endpoint | undefined => {
    const endpoint = tree.find(method, path)?.store as Endpoint | undefined;
    return endpoint?.pattern?.test(path) === false ? undefined : endpoint;
  };
  const allowedMethods = (path: string): string[] => METHODS.filter((method) => lookUp(method, path));
  return {
    allowedMethods,
    find(method, path) {
      if (!path.startsWith('/'))
        throw new GatewayError('malformed_http', 'the request target must be a path');
      const endpoint = lookUp(method as HTTPMethod, path);
      if (endpoint) return endpoint;
      const allowed = allowedMethods(path);
      if (allowed.length > 0)
        throw new GatewayError('method_not_allowed', `${path.slice(0, 200)} takes ${allowed.join(', ')}`);
      throw new GatewayError(
        'not_found',
        `no such address: ${path.slice(0, 200)}; GET /openapi.json lists them`,
      );
    },
  };
}

function noHandler(): void {
  // The tree only finds; endpoints are served by the server.
}
