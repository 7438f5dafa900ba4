import { formatCount } from '#base';
import type { Command } from 'commander';
import type { ChangePlan, DoneChange, Stores } from '#app';
import {
  ApplyFailed,
  SettingsError,
  applyChanges,
  planChanges,
  readExistingEntries,
  readManifest,
} from '#app';
import { ask } from '../terminal/ask.ts';
import { type CommonOptions, defineCommand } from '../terminal/command.ts';
import { describeFailure } from '../terminal/failure.ts';
import { formatChange, formatPlan, toJsonChange, toJsonSubject } from './format-changes.ts';
import { Interrupted, unlessInterrupted } from '../terminal/interruption.ts';
import { print, remark } from '../terminal/output.ts';
import { createPorts, untilInterrupted } from '../terminal/with-stores.ts';

interface ApplyOptions extends CommonOptions {
  file: string;
  dryRun?: boolean;
  yes?: boolean;
}

export function createApplyCommand(): Command {
  return defineCommand({
    name: 'apply',
    summary:
      'Create and update organizations, members, projects and keys, with plans, rules and limits, from a file, all or nothing; shows the changes first. What no file mentions does not change.',
    examples: ['apply -f accounts.yaml', 'apply -f accounts.yaml --dry-run', 'apply -f accounts/ --yes'],
  })
    .requiredOption('-f, --file <path>', 'a file as `export` writes it, or a folder of such files')
    .option('--dry-run', 'only show the changes')
    .option('--yes', 'do not ask for confirmation')
    .action(async (options: ApplyOptions) => {
      const desired = await readManifest(options.file);
      // A key that was created shows its secret once: changes are never made without being printed.
      await untilInterrupted(options, async ({ stores, signal }) => {
        const existing = readExistingEntries(createPorts(options, stores));
        const plan = planChanges(desired, await unlessInterrupted(signal, existing));
        if (plan.problems.length > 0) throw new SettingsError(plan.problems);
        await carryOut(options, { stores, signal }, plan);
      });
    });
}

async function carryOut(
  options: ApplyOptions,
  { stores, signal }: { stores: Stores; signal: AbortSignal },
  plan: ChangePlan,
): Promise<void> {
  const isMachine = options.json === true;
  const isOver = options.dryRun === true || plan.changes.length === 0;
  if (!isMachine) print(options, {}, () => formatPlan(plan));
  if (isOver) {
    if (isMachine) printOutcome(options, plan, []);
    return;
  }
  if (options.yes !== true) await unlessInterrupted(signal, confirm(options, plan.changes.length));
  const ports = { ...createPorts(options, stores), ...stores, signal };
  const done = await applyChanges(ports, plan.changes).catch((thrown: unknown) => {
    if (thrown instanceof Interrupted) {
      remark('interrupted: nothing was changed');
      throw thrown;
    }
    const failure = describeStop(thrown);
    if (isMachine) printOutcome(options, plan, [], failure);
    throw new Error(`${failure}\nnothing was changed`, { cause: thrown });
  });
  if (isMachine) printOutcome(options, plan, done);
  else print(options, {}, () => [...done.flatMap(formatDone), `${formatCount(done.length, 'change')} made`]);
}

/** Where the file declares the change that failed, and why it failed. */
function describeStop(thrown: unknown): string {
  const reason = describeFailure(thrown instanceof ApplyFailed ? thrown.cause : thrown).replace(
    /^error: /,
    '',
  );
  if (!(thrown instanceof ApplyFailed)) return reason;
  const { change } = thrown;
  const { place } = change.subject;
  return `${place === undefined ? '' : `${place}: `}${formatChange(change)}: ${reason}`;
}

async function confirm(options: ApplyOptions, count: number): Promise<void> {
  if (options.json === true || !process.stdin.isTTY)
    throw new Error('nothing was changed: add --yes to make these changes, or --dry-run to only show them');
  const isAgreed = await ask(`make ${count === 1 ? 'this change' : `these ${count} changes`}?`);
  if (!isAgreed) throw new Error('nothing was changed');
}

function formatDone({ change, id, secret }: DoneChange): string[] {
  const line = `done: ${formatChange(change)}`;
  if (secret !== undefined) return [line, secret, `${id}; this secret is not shown again`];
  return [change.action === 'create' ? `${line} is ${id}` : line];
}

function printOutcome(
  options: ApplyOptions,
  { changes, unmanaged }: ChangePlan,
  ...[done, failure]: [done: readonly DoneChange[], failure?: string]
): void {
  const json = {
    changes: changes.map(toJsonChange),
    unmanaged: unmanaged.map(toJsonSubject),
    done: done.map(({ change, id, secret }) => ({
      ...toJsonChange(change),
      id,
      ...(secret !== undefined && { secret }),
    })),
    ...(failure !== undefined && { failure }),
  };
  print(options, json, () => []);
}
