import { Command } from 'commander';
import { claudeCode, codex, geminiCli, opencode, version } from '#app';
import { createApplyCommand } from './accounts/apply.ts';
import { createBackupCommand } from './machine/backup.ts';
import { createClientCommand } from './machine/client.ts';
import { createConfigCommand } from './machine/config.ts';
import { createDashboardCommand } from './machine/dashboard.ts';
import { createDatabaseCommand } from './machine/database.ts';
import { createDoctorCommand } from './machine/doctor.ts';
import { createEnvCommand } from './machine/env.ts';
import { createExportCommand } from './accounts/export.ts';
import { createLedgerCommand } from './records/ledger.ts';
import { createLogsCommand } from './records/logs.ts';
import { createCatalogueCommand } from './models/catalogue.ts';
import { createModelsCommand } from './models/models.ts';
import { createRouteCommand } from './models/route.ts';
import { createProvidersCommand } from './models/providers.ts';
import { createCustomProviderTest, createProviderKeyTest } from './models/own-provider-tests.ts';
import { createResourceGroups } from './resources/resource-commands.ts';
import { createRestoreCommand } from './machine/restore.ts';
import { createSecretsCommand } from './machine/secrets.ts';
import { createStartCommand } from './machine/start.ts';
import { createExperimentsCommand } from './records/experiments.ts';
import { createAlertsCommand } from './records/alerts.ts';
import { createExportsCommand } from './records/exports.ts';
import { createAdviseCommand } from './records/advise.ts';
import { createReplayCommand } from './records/replay.ts';
import { createReconcileCommand } from './records/reconcile.ts';
import { createWhatIfCommand } from './records/what-if.ts';
import { createCacheMissesCommand } from './records/cache-misses.ts';
import { createSessionsCommand } from './records/sessions.ts';
import { createSupportBundleCommand } from './machine/support-bundle.ts';
import { CommandGroup } from './terminal/command.ts';
import { createUsageCommand } from './records/usage.ts';
import { createVersionCommand } from './machine/version.ts';
import { createVideosCommand } from './records/videos.ts';

/** The whole command line. */
export function createProgram(): Command {
  const program = new CommandGroup('sluice')
    .description('One base URL for every language model.')
    .version(version)
    .showHelpAfterError('(add --help for the list of commands)')
    .configureHelp({
      subcommandTerm: (command) => command.name(),
      subcommandDescription: (command) => firstClause(command.description()),
    })
    .addHelpCommand(
      new Command('help')
        .argument('[command]')
        .description('Show the help of a command.')
        .helpGroup(`${OPERATION}:`),
    )
    .addHelpText('after', '\nStart here:\n  $ npx sluice start\n  $ npx sluice doctor')
    .exitOverride();
  for (const [heading, commands] of Object.entries(createGroups()))
    for (const command of commands) program.addCommand(command.helpGroup(`${heading}:`));
  return program;
}

const OPERATION = 'Operation';

/** The first clause, which fits beside the name of a command; its own help has the rest. */
const firstClause = (text: string): string => text.replace(/[.;:] .*/s, '.');

/** All commands, by their heading in the help. */
function createGroups(): Record<string, Command[]> {
  return {
    'Start and look': [createStartCommand(), createDashboardCommand(), createDoctorCommand()],
    Clients: [
      createClientCommand(claudeCode, ({ claudeModel }) => claudeModel),
      createClientCommand(codex, ({ model }) => model),
      createClientCommand(opencode, ({ model }) => model),
      createClientCommand(geminiCli, ({ model }) => model),
      createEnvCommand(),
    ],
    'Organizations, keys and limits': [
      ...createResourceGroups({
        'provider-keys': [createProviderKeyTest()],
        'custom-providers': [createCustomProviderTest()],
      }),
      createApplyCommand(),
      createExportCommand(),
    ],
    'Models and providers': [
      createModelsCommand(),
      createProvidersCommand(),
      createRouteCommand(),
      createCatalogueCommand(),
      createVideosCommand(),
    ],
    'Usage and cost': [
      createLogsCommand(),
      createUsageCommand(),
      createSessionsCommand(),
      createCacheMissesCommand(),
      createAdviseCommand(),
      createWhatIfCommand(),
      createReplayCommand(),
      createExperimentsCommand(),
      createLedgerCommand(),
      createReconcileCommand(),
    ],
    [OPERATION]: [
      createConfigCommand(),
      createDatabaseCommand(),
      createBackupCommand(),
      createRestoreCommand(),
      createSecretsCommand(),
      createExportsCommand(),
      createAlertsCommand(),
      createSupportBundleCommand(),
      createVersionCommand(),
    ],
  };
}
