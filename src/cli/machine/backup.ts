import { formatCount, toSnakeCaseMembers } from '#base';
import type { Command } from 'commander';
import { createCommandLog, loadStoreSettings, takeBackup } from '#app';
import { type CommonOptions, defineCommand, toOrigin } from '../terminal/command.ts';
import { interruptible } from '../terminal/interruption.ts';
import { print, remark } from '../terminal/output.ts';
import { formatSize } from '../terminal/size.ts';

export function createBackupCommand(): Command {
  return defineCommand({
    name: 'backup',
    summary:
      'Write the whole database to one file, as of one moment, while gateways run. The secret of the installation is not ' +
      'part of it: keep that separately.',
    examples: ['backup sluice-2026-11-24.backup'],
  })
    .argument('<file>', 'a file that does not exist yet')
    .action(async (file: string, options: CommonOptions) => {
      const settings = loadStoreSettings(toOrigin(options));
      const report = await interruptible((signal) =>
        takeBackup(settings, { file, log: createCommandLog(), onProgress: remark, signal }),
      );
      if (!report.complete)
        remark(
          'warning: a running gateway did not report in time; requests it settled in the last tenth of a second may be missing',
        );
      print(options, toSnakeCaseMembers(report), () => [
        `${report.path}: ${formatCount(report.rows, 'row')}, ${formatSize(report.bytes)}, as of ${report.createdAt}`,
      ]);
    });
}
