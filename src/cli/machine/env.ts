import type { Command } from 'commander';
import type { ClientAccess } from '#app';
import { composeClaudeEnvironment, prepareClient } from '#app';
import { Argument, Option } from 'commander';
import { type CommonOptions, defineCommand, toOrigin } from '../terminal/command.ts';
import { print, remark } from '../terminal/output.ts';
import { createUrlOption } from '../terminal/url-option.ts';

export type Shell = 'sh' | 'fish' | 'powershell';

interface EnvOptions extends CommonOptions {
  key?: string;
  url?: string;
  shell: Shell;
}

export function createEnvCommand(): Command {
  return defineCommand({
    name: 'env',
    summary: 'Print the variables that point an SDK at this gateway.',
    examples: ['env openai', 'env anthropic --shell fish'],
  })
    .addArgument(new Argument('<format>', 'the SDK to set up').choices(['openai', 'anthropic']))
    .option('--key <key>', 'the API key (SLUICE_API_KEY; else there is one for this command)')
    .addOption(createUrlOption())
    .addOption(createShellOption())
    .action(async (format: 'openai' | 'anthropic', options: EnvOptions) => {
      const access = await prepareClient(toOrigin(options), {
        label: `${format} sdk`,
        ...(options.key !== undefined && { key: options.key }),
        ...(options.url !== undefined && { url: options.url }),
      });
      remarkAccess(access);
      const variables = composeVariables(format, access);
      print(options, variables, () => formatExports(variables, options.shell));
    });
}

export function createShellOption(): Option {
  return new Option('--shell <shell>', 'for which shell').choices(['sh', 'fish', 'powershell']).default('sh');
}

function composeVariables(
  format: 'openai' | 'anthropic',
  { url, apiKey }: ClientAccess,
): Record<string, string> {
  if (format === 'openai') return { OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: apiKey };
  return composeClaudeEnvironment({ url, apiKey });
}

/** Notes printed with the variables. */
export function remarkAccess({ createdKeyId, running, url }: ClientAccess): void {
  if (createdKeyId !== undefined)
    remark(`created the API key ${createdKeyId}; limit it with: npx sluice keys limit ${createdKeyId} 10`);
  if (!running)
    remark(`no gateway runs on this data directory; start one with: npx sluice start (expected at ${url})`);
}

/** Lines that set variables in a shell. */
export function formatExports(variables: Readonly<Record<string, string>>, shell: Shell): string[] {
  return Object.entries(variables).map(([name, value]) => {
    if (shell === 'fish') return `set -gx ${name} '${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
    if (shell === 'powershell') return `$env:${name} = '${value.replaceAll("'", "''")}'`;
    return `export ${name}=${/^[\w./:@%+,-]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`}`;
  });
}

/** A line that unsets a variable in a shell. */
export function formatUnset(name: string, shell: Shell): string {
  if (shell === 'fish') return `set -e ${name}`;
  return shell === 'powershell' ? `Remove-Item Env:${name}` : `unset ${name}`;
}
