import { fileURLToPath } from 'node:url';
import { STORE_LIMIT_MS } from '#accounts';

/** Halves the start time of a process; tests start hundreds. */
const COMPILE_CACHE = fileURLToPath(new URL('../../node_modules/.cache/compile', import.meta.url));

/** The runner of tests has gateways wait for a slow database; measurements of outages do not. */
const { SLUICE_DATABASE_WAIT_MS: databaseWaitMs } = process.env;

/** Rows are there at once, and a provider is called as often as the test says; tests of leases and routing differ. */
export const PREDICTABLE = {
  SLUICE_LEASES: 'off',
  SLUICE_ADAPTIVE_ROUTING: 'off',
  ...(databaseWaitMs !== undefined && { SLUICE_DATABASE_WAIT_MS: databaseWaitMs }),
};

/** For tests of outages: what is the default. */
export const UNTIL_DOWN = { SLUICE_DATABASE_WAIT_MS: String(STORE_LIMIT_MS) };

/** The minimal environment: provider keys of the machine must not turn a test into a real call. */
export function createEnvironment(extra: Record<string, string> = {}): NodeJS.ProcessEnv {
  const { PATH = '', HOME = '', TMPDIR } = process.env;
  return {
    PATH,
    HOME,
    ...PREDICTABLE,
    NODE_COMPILE_CACHE: COMPILE_CACHE,
    ...(TMPDIR !== undefined && { TMPDIR }),
    ...extra,
  };
}
