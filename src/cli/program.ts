import { Command } from 'commander';
import { claudeCode, codex, geminiCli, opencode, version } from '#app';
import { createAdminKeysCommand } from './accounts/admin-keys.ts';
import { createApplyCommand } from './accounts/apply.ts';
import { createAuditCommand } from './records/audit.ts';
import { createCacheCommand } from './accounts/cache.ts';
import { createClientCommand } from './machine/client.ts';
import { createConfigCommand } from './machine/config.ts';
import { createCreditsCommand } from './accounts/credits.ts';
import { createCustomModelsCommand } from './models/custom-models.ts';
import { createCustomProvidersCommand } from './models/custom-providers.ts';
import { createDoctorCommand } from './machine/doctor.ts';
import { createEnvCommand } from './machine/env.ts';
import { createExportCommand } from './accounts/export.ts';
import { createLedgerCommand } from './records/ledger.ts';
import { createLogsCommand } from './records/logs.ts';
import { createMembersCommand } from './accounts/members.ts';
import { createModelsCommand } from './models/models.ts';
import { createOrgsCommand } from './accounts/orgs.ts';
import { createPayloadsCommand } from './accounts/payloads.ts';
import { createPlansCommand } from './accounts/plans.ts';
import { createProjectsCommand } from './accounts/projects.ts';
import { createProviderKeysCommand } from './models/provider-keys.ts';
import { createProvidersCommand } from './models/providers.ts';
import { createRulesCommand } from './accounts/rules.ts';
import { createResourceGroups } from './resources/resource-commands.ts';
import { createSecretsCommand } from './machine/secrets.ts';
import { createSessionsCommand } from './accounts/sessions.ts';
import { createStartCommand } from './machine/start.ts';
import { createUsageCommand } from './records/usage.ts';
import { createVersionCommand } from './machine/version.ts';
import { createVideosCommand } from './records/videos.ts';

/** The whole command line. */
export function createProgram(): Command {
  const program = new Command('sluice')
    .description('One base URL for every language model.')
    .version(version)
    .showHelpAfterError('(add --help for the list of commands)')
    .addHelpText('after', '\nStart here:\n  $ npx sluice start\n  $ npx sluice doctor')
    .exitOverride();
  const commands = [
    createStartCommand(),
    ...createResourceGroups({}),
    createSessionsCommand(),
    createMembersCommand(),
    createOrgsCommand(),
    createProjectsCommand(),
    createRulesCommand(),
    createPlansCommand(),
    createCreditsCommand(),
    createCacheCommand(),
    createApplyCommand(),
    createExportCommand(),
    createProvidersCommand(),
    createModelsCommand(),
    createProviderKeysCommand(),
    createCustomProvidersCommand(),
    createCustomModelsCommand(),
    createSecretsCommand(),
    createLogsCommand(),
    createUsageCommand(),
    createPayloadsCommand(),
    createLedgerCommand(),
    createAdminKeysCommand(),
    createAuditCommand(),
    createVideosCommand(),
    createConfigCommand(),
    createDoctorCommand(),
    createClientCommand(claudeCode, ({ claudeModel }) => claudeModel),
    createClientCommand(codex, ({ model }) => model),
    createClientCommand(opencode, ({ model }) => model),
    createClientCommand(geminiCli, ({ model }) => model),
    createEnvCommand(),
    createVersionCommand(),
  ];
  for (const command of commands) program.addCommand(command);
  return program;
}
