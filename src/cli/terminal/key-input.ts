import type { Command } from 'commander';
import { readSecretInput } from '#app';
import { Misuse } from './misuse.ts';

/** How a command reads a provider's key. */
interface KeyOptions {
  keyStdin?: boolean;
  keyEnv?: string;
}

/** For commands that require a key. */
export const DEFAULT_VARIABLE = ' (default SLUICE_PROVIDER_KEY)';

/** Adds the options for a provider's key. There is no argument for it, because other users of the machine can see arguments. */
export function addKeyOptions(command: Command, hint = ''): Command {
  return command
    .option('--key-stdin', 'read the key from standard input')
    .option('--key-env <name>', `read the key from this variable${hint}`);
}

export async function getKey(options: KeyOptions): Promise<string> {
  const key = await readSecretInput(options);
  if (key !== undefined) return key;
  throw new Misuse('no key was given: use --key-stdin, --key-env NAME, or set SLUICE_PROVIDER_KEY');
}
