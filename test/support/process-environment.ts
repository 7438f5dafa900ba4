import { fileURLToPath } from 'node:url';

/** Halves the start time of a process; tests start hundreds. */
const COMPILE_CACHE = fileURLToPath(new URL('../../node_modules/.cache/compile', import.meta.url));

/**
 * The minimal environment: provider keys of the machine must not turn a test into a real call. Rows are there at once
 * (`SLUICE_LEASES`), but in tests of leases, however fast this machine makes a key busy.
 */
export function createEnvironment(extra: Record<string, string> = {}): NodeJS.ProcessEnv {
  const { PATH = '', HOME = '', TMPDIR } = process.env;
  return {
    PATH,
    HOME,
    SLUICE_LEASES: 'off',
    NODE_COMPILE_CACHE: COMPILE_CACHE,
    ...(TMPDIR !== undefined && { TMPDIR }),
    ...extra,
  };
}
