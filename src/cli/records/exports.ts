import type { ExportRecord } from '#app';
import type { Command } from 'commander';
import { formatTime } from '#base';
import { CursorStore, encodeExport } from '#app';
import { type CommonOptions, defineCommand, defineGroup } from '../terminal/command.ts';
import { print } from '../terminal/output.ts';
import { formatTable } from '../terminal/table.ts';
import { withStores } from '../terminal/with-stores.ts';

export function createExportsCommand(): Command {
  return defineGroup('exports', 'Show exports of log rows (`exports` of the configuration).', [
    createList(),
    createReset(),
  ]);
}

function createList(): Command {
  return defineCommand({
    name: 'list',
    summary: 'Show the progress of each export, and why one fails.',
    examples: ['exports list', 'exports list --json'],
  }).action(async (options: CommonOptions) => {
    const records = await withStores(options, ({ database }) => new CursorStore(database).list());
    print(options, { object: 'list', data: records.map(encodeExport) }, () =>
      records.length === 0 ? ['no exports; docs/exports.md describes `exports`'] : formatRecords(records),
    );
  });
}

function createReset(): Command {
  return defineCommand({
    name: 'reset',
    summary:
      'Reset the progress of an export: while it is configured, it starts over where its `from` says. ' +
      'Use it to send everything again, and after an export was removed from the configuration.',
    examples: ['exports reset archive'],
  })
    .argument('<name>', 'its name')
    .action(async (name: string, options: CommonOptions) => {
      const isReset = await withStores(options, ({ database }) => new CursorStore(database).reset(name));
      if (!isReset) throw new Error(`there is no export ${name} (npx sluice exports list shows all)`);
      print(options, { name, reset: true }, () => [`${name} was reset`]);
    });
}

function formatRecords(records: readonly ExportRecord[]): string[] {
  const lines = formatTable(
    ['name', 'type', 'rows', 'waiting', 'lag', 'last batch', 'failures'],
    records.map(({ name, type, exportedRows, waiting, lagMs, exportedAt, failures }) => [
      name,
      type,
      String(exportedRows),
      String(waiting),
      `${Math.round(lagMs / 1_000)} s`,
      formatTime(exportedAt),
      String(failures),
    ]),
  );
  const faults = records.filter(({ lastError }) => lastError !== undefined);
  return [
    ...lines,
    ...faults.map(
      ({ name, failingSince, lastError = '' }) =>
        `${name} fails since ${formatTime(failingSince)}: ${lastError}`,
    ),
  ];
}
