import { Command } from 'commander';
import { claudeCode, codex, geminiCli, opencode, version } from '#app';
import { createAdminKeysCommand } from './admin-keys.ts';
import { createApplyCommand } from './apply.ts';
import { createAuditCommand } from './audit.ts';
import { createCacheCommand } from './cache.ts';
import { createClientCommand } from './client.ts';
import { createConfigCommand } from './config.ts';
import { createCreditsCommand } from './credits.ts';
import { createCustomModelsCommand } from './custom-models.ts';
import { createCustomProvidersCommand } from './custom-providers.ts';
import { createDoctorCommand } from './doctor.ts';
import { createEnvCommand } from './env.ts';
import { createExportCommand } from './export.ts';
import { createKeysCommand } from './keys.ts';
import { createLedgerCommand } from './ledger.ts';
import { createLogsCommand } from './logs.ts';
import { createMembersCommand } from './members.ts';
import { createModelsCommand } from './models.ts';
import { createOrgsCommand } from './orgs.ts';
import { createPayloadsCommand } from './payloads.ts';
import { createPlansCommand } from './plans.ts';
import { createProjectsCommand } from './projects.ts';
import { createProviderKeysCommand } from './provider-keys.ts';
import { createProvidersCommand } from './providers.ts';
import { createRulesCommand } from './rules.ts';
import { createSecretsCommand } from './secrets.ts';
import { createSessionsCommand } from './sessions.ts';
import { createStartCommand } from './start.ts';
import { createUsageCommand } from './usage.ts';
import { createVersionCommand } from './version.ts';
import { createVideosCommand } from './videos.ts';

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
    createKeysCommand(),
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
