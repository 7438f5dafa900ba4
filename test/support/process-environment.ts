import { fileURLToPath } from 'node:url';

/** Halves the start time of a process; tests start hundreds. */
const COMPILE_CACHE = fileURLToPath(new URL('../../node_modules/.cache/compile', import.meta.url));

/** Rows are there at once, and a provider is called as often as the test says; tests of leases and routing differ. */
export const PREDICTABLE = { SLUICE_LEASES: 'off', SLUICE_ADAPTIVE_ROUTING: 'off' };

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
