import type { Command } from 'commander';
import { type AnyReport, REPORTS, type Stores, composeReports } from '#app';
import { systemClock } from '#base';
import { type CommonOptions, defineCommand, defineGroup, toOrigin } from '../terminal/command.ts';
import { print, remark } from '../terminal/output.ts';
import { formatPart } from '../terminal/table.ts';
import { withStores } from '../terminal/with-stores.ts';
import { addInput, pickIds, readInput } from '../resources/input-options.ts';
import { explainEmptyResult } from './explain-empty-result.ts';
import { nameRecords } from './name-records.ts';

type CommandSpec = NonNullable<AnyReport['command']>;

/** Other commands in the groups of reports, and what a command does besides its report. */
interface More {
  groups?: Readonly<{ [group: string]: readonly Command[] }>;
  extend?: Readonly<{ [name: string]: (command: Command, report: AnyReport) => void }>;
}

/** The commands of the reports under a heading of the help. */
export function createReportCommands(
  heading: CommandSpec['heading'],
  { groups = {}, extend = {} }: More = {},
): Command[] {
  const all = new Map<string, Command>();
  for (const report of REPORTS) {
    const { command: spec } = report;
    if (spec?.heading !== heading) continue;
    const { name, group } = spec;
    const command = createCommand(report, spec);
    extend[name]?.(command, report);
    if (!group) all.set(name, command);
    else if (group.summary === undefined) all.get(group.name)?.addCommand(command);
    else {
      const { isDefault = false } = group;
      const created = defineGroup(group.name, group.summary, []).addCommand(command, { isDefault });
      for (const other of groups[group.name] ?? []) created.addCommand(other);
      all.set(group.name, created);
    }
  }
  return [...all.values()];
}

function createCommand(report: AnyReport, spec: CommandSpec): Command {
  const { name, summary = report.summary, examples, target } = spec;
  const command = defineCommand({ name, summary, examples });
  if (target) command.argument(target.flags, target.help);
  for (const field of Object.values(report.filters)) addInput(command, field);
  return command.action(() => runReport(command, report));
}

/** Prints what a report finds for the options of its command. */
export async function runReport(command: Command, report: AnyReport): Promise<void> {
  const { command: spec, record, output } = report;
  if (!spec) throw new Error(`${report.path} has no command`);
  const options = command.opts<CommonOptions>();
  const { found, isEmpty, ...shown } = await withStores(options, async (stores, known) => {
    const call = await readCall(command, report, { stores, known });
    const found = await report.read(call);
    if (found === undefined) throw new Error(`there is no ${record} ${call.id} (${spec.empty})`);
    const isEmpty = spec.isEmpty?.(found) ?? false;
    if (isEmpty) await explainEmptyResult(stores, call.input, options);
    const text = await spec.remark?.(found, call);
    if (text !== undefined) remark(text);
    const ids = options.json === true ? [] : (spec.listNamed?.(found) ?? []);
    return { found, isEmpty, input: call.input, names: await nameRecords(stores.accounts.directory, ids) };
  });
  print(options, output.encode(found, true), () =>
    isEmpty ? [spec.empty] : spec.format(found, shown).flatMap(formatPart),
  );
}

/** The call of a report for the options of its command. */
export async function readCall(
  command: Command,
  { filters }: AnyReport,
  { stores, known }: { stores: Stores; known: CommonOptions },
): Promise<Parameters<AnyReport['read']>[0]> {
  const input = { ...(await readInput(command, filters, [])), ...pickIds(command, filters, known) };
  const ports = composeReports(stores, toOrigin(known));
  return { ...ports, id: command.args[0] ?? '', now: systemClock.now(), input };
}
