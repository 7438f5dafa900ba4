import type { SettingsOrigin } from '#app';
import { formatTime } from '#base';
import { Command, type HelpContext, Option } from 'commander';

/** Options that every command has. */
export interface CommonOptions {
  json?: boolean;
  dataDir?: string;
  config?: string;
}

/** Wraps descriptions next to long terms too; at 80 columns commander does not by default. */
const HELP = { showGlobalOptions: false, minWidthToWrap: 20 };

interface CommandFacts {
  name: string;
  summary: string;
  /** Complete command lines. */
  examples: readonly string[];
}

/** A command with the common options and examples in its help. */
export function defineCommand({ name, summary, examples }: CommandFacts): Command {
  const lines = examples.map((example) => `  $ npx sluice ${example}`).join('\n');
  return new Command(name)
    .description(summary)
    .addOption(new Option('--json', 'write JSON for machines'))
    .addOption(new Option('--data-dir <dir>', 'the data directory (SLUICE_DATA_DIR, default ./data)'))
    .addOption(new Option('--config <file>', 'the configuration file (SLUICE_CONFIG, default ./sluice.yaml)'))
    .addHelpText('after', `\n${examples.length === 1 ? 'Example' : 'Examples'}:\n${lines}`)
    .configureHelp(HELP)
    .showHelpAfterError('(add --help for how to use it)')
    .hook('preAction', (_parent, command) => checkSpan(command))
    .exitOverride();
}

/** Refuses a time that ends before it starts, for which a command would find nothing. */
function checkSpan(command: Command): void {
  const { since, until } = command.opts<{ since?: unknown; until?: unknown }>();
  if (typeof since !== 'number' || typeof until !== 'number' || since <= until) return;
  const { defaultValueDescription: usual } = command.options.find(({ long }) => long === '--since') ?? {};
  const isUsual = command.getOptionValueSource('since') === 'default';
  command.error(
    isUsual
      ? `error: --until (${formatTime(until)}) is before the usual start, ${usual} ago; name one with --since (times are UTC)`
      : `error: --since (${formatTime(since)}) is after --until (${formatTime(until)}); times are UTC`,
  );
}

/** A command with subcommands. */
export class CommandGroup extends Command {
  /** For `help NAME` with an unknown name, commander prints the help of the group and does not say why. */
  override help(context?: unknown): never {
    const [first, name] = this.args;
    const isFault = (context as HelpContext | undefined)?.error === true;
    if (isFault && first === 'help' && name !== undefined) this.error(`error: unknown command '${name}'`);
    return super.help(context as HelpContext);
  }
}

/** A command with only subcommands. */
export function defineGroup(name: string, summary: string, commands: readonly Command[]): Command {
  const group = new CommandGroup(name)
    .description(summary)
    .configureHelp(HELP)
    .showHelpAfterError('(add --help for how to use it)')
    .exitOverride();
  for (const command of commands) group.addCommand(command);
  return group;
}

/** Where the settings of a command come from. */
export function toOrigin({ dataDir, config }: CommonOptions): SettingsOrigin {
  return { flags: { ...(dataDir !== undefined && { dataDir }), ...(config !== undefined && { config }) } };
}
