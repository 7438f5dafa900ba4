import type { Command } from 'commander';
import type { SettingsExplanation } from '#app';
import { explainSettings } from '#app';
import { type CommonOptions, defineCommand, defineGroup, toOrigin } from '../terminal/command.ts';
import { print } from '../terminal/output.ts';
import { formatTable } from '../terminal/table.ts';

export function createConfigCommand(): Command {
  const check = defineCommand({
    name: 'check',
    summary: 'Explain the effective configuration. Exit code 1 where it is wrong.',
    examples: ['config check', 'config check --config /etc/sluice.yaml'],
  }).action(async (options: CommonOptions) => {
    const explanation = await explainSettings(toOrigin(options));
    if (!explanation.ok) process.exitCode = 1;
    print(options, explanation, () => formatExplanation(explanation));
  });
  return defineGroup('config', 'Check the configuration.', [check]);
}

function formatExplanation({ ok, file, problems, settings, providers }: SettingsExplanation): string[] {
  if (!ok) return problems.map(({ place, message }) => `${place}: ${message}`);
  return [
    file.found ? `read ${file.path}` : `no file ${file.path}: flags, environment and defaults only`,
    '',
    ...formatTable(
      ['setting', 'value', 'from'],
      settings.map(({ name, value, source }) => [name, value, source]),
    ),
    '',
    ...(providers.length === 0
      ? ['no provider has a key; only local/echo answers']
      : formatTable(
          ['provider', 'format', 'models', 'key from', 'address'],
          providers.map((provider) => [
            provider.id,
            provider.format,
            String(provider.models),
            provider.credential ?? '–',
            provider.baseUrl ?? 'built in',
          ]),
        )),
  ];
}
