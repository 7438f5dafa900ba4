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
import { createCatalogueCommand } from './models/catalogue.ts';
import { createModelsCommand } from './models/models.ts';
import { createRouteCommand } from './models/route.ts';
import { createProvidersCommand } from './models/providers.ts';
import { createCustomProviderTest, createProviderKeyTest } from './models/own-provider-tests.ts';
import { createResourceGroups } from './resources/resource-commands.ts';
import { createRestoreCommand } from './machine/restore.ts';
import { createSecretsCommand } from './machine/secrets.ts';
import { createStartCommand } from './machine/start.ts';
import { createReplayCommand } from './records/replay.ts';
import { createReconcileCommand } from './records/reconcile.ts';
import { extendLogs } from './records/logs.ts';
import { createAlertTest } from './records/alert-test.ts';
import { createExportReset } from './records/export-reset.ts';
import { createReportCommands } from './reports/report-commands.ts';
import { createSupportBundleCommand } from './machine/support-bundle.ts';
import { CommandGroup } from './terminal/command.ts';
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
      ...createReportCommands('Usage and cost', { extend: { logs: extendLogs } }),
      createReplayCommand(),
      createLedgerCommand(),
      createReconcileCommand(),
    ],
    [OPERATION]: [
      createConfigCommand(),
      createDatabaseCommand(),
      createBackupCommand(),
      createRestoreCommand(),
      createSecretsCommand(),
      ...createReportCommands(OPERATION, {
        groups: { alerts: [createAlertTest()], exports: [createExportReset()] },
      }),
      createSupportBundleCommand(),
      createVersionCommand(),
    ],
  };
}
