import type { Command } from 'commander';
import { composeClaudeEnvironment, hasVariable, prepareClient, runProgram } from '#app';
import { type CommonOptions, defineCommand, toOrigin } from './command.ts';
import { type Shell, createShellOption, formatExports, formatUnset, remarkAccess } from './env.ts';
import { print } from './output.ts';

interface ClaudeOptions extends CommonOptions {
  run?: boolean;
  key?: string;
  url?: string;
  model?: string;
  shell: Shell;
}

/** Sent beside the gateway's key it would make two different credentials, which the gateway refuses. */
const OTHER_CREDENTIAL = 'ANTHROPIC_API_KEY';
const NOT_INSTALLED = 127;

export function createClaudeCommand(): Command {
  return defineCommand({
    name: 'claude',
    summary: 'Print the variables that point Claude Code at this gateway, or start it with them.',
    examples: ['claude', 'claude --run', 'claude --run --model acme/acme-large -p "Explain this folder"'],
  })
    .argument('[args...]', 'passed on to Claude Code')
    .option('--run', 'start Claude Code')
    .option('--model <name>', 'the model for everything (default: the Claude models, where they are served)')
    .option('--key <key>', 'the API key (SLUICE_API_KEY; else one is made)')
    .option('--url <url>', 'the gateway’s address (default: the running one’s)')
    .addOption(createShellOption())
    .allowUnknownOption()
    .action(async (args: string[], options: ClaudeOptions) => {
      const { key, url } = options;
      const access = await prepareClient(toOrigin(options), {
        label: 'claude-code',
        ...(key !== undefined && { key }),
        ...(url !== undefined && { url }),
      });
      remarkAccess(access);
      const model = options.model ?? access.claudeModel;
      const variables = composeClaudeEnvironment({
        url: access.url,
        apiKey: access.apiKey,
        ...(model !== undefined && { model }),
      });
      if (options.run === true) await runClaude(args, variables);
      else
        print(options, variables, () => [
          ...forgetOther(options.shell),
          ...formatExports(variables, options.shell),
        ]);
    });
}

function forgetOther(shell: Shell): string[] {
  return hasVariable(OTHER_CREDENTIAL) ? [formatUnset(OTHER_CREDENTIAL, shell)] : [];
}

async function runClaude(args: readonly string[], variables: Record<string, string>): Promise<void> {
  const code = await runProgram('claude', args, { set: variables, unset: [OTHER_CREDENTIAL] });
  if (code === undefined) {
    process.exitCode = NOT_INSTALLED;
    process.stderr.write('error: Claude Code is not installed; npm install -g @anthropic-ai/claude-code\n');
    return;
  }
  process.exitCode = code;
}
