import type { Command } from 'commander';
import { readSecretInput } from '#app';

/** How a command reads a provider's key. */
export interface KeyOptions {
  keyStdin?: boolean;
  keyEnv?: string;
}

/** For commands that cannot do without a key. */
export const DEFAULT_VARIABLE = ' (default SLUICE_PROVIDER_KEY)';

/** Adds the ways to give a provider's key; an argument is none, because other users of the machine can see those. */
export function addKeyOptions(command: Command, hint = ''): Command {
  return command
    .option('--key-stdin', 'read the key from standard input')
    .option('--key-env <name>', `read the key from this variable${hint}`);
}

export async function getKey(options: KeyOptions): Promise<string> {
  const key = await readSecretInput(options);
  if (key !== undefined) return key;
  throw new Error('no key was given: use --key-stdin, --key-env NAME, or set SLUICE_PROVIDER_KEY');
}
