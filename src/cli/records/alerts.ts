import type { AlertRecord } from '#app';
import type { Command } from 'commander';
import { AlertStore, loadSettings } from '#app';
import { formatCount, formatFirst, formatTime, systemClock } from '#base';
import { type CommonOptions, defineCommand, defineGroup, toOrigin } from '../terminal/command.ts';
import { print, remark } from '../terminal/output.ts';
import { readWhole } from '../terminal/read-amount.ts';
import { formatTable } from '../terminal/table.ts';
import { withStores } from '../terminal/with-stores.ts';

const DAY_MS = 86_400_000;

export function createAlertsCommand(): Command {
  return defineGroup('alerts', 'Show alerts (`alerts` of the configuration), and send one to try.', [
    createList(),
    createTest(),
  ]);
}

function createList(): Command {
  return defineCommand({
    name: 'list',
    summary: 'List alerts and whether they were delivered, the latest first.',
    examples: ['alerts list', 'alerts list --limit 100 --json'],
  })
    .option('--limit <alerts>', 'how many alerts', readWhole(1, 1_000), 20)
    .action(async ({ limit, ...options }: CommonOptions & { limit: number }) => {
      const records = await withStores(options, ({ database }) => new AlertStore(database).list(limit));
      const data = records.map(({ createdAt, ...record }) => ({
        object: 'alert',
        ...record,
        created_at: new Date(createdAt).toISOString(),
      }));
      print(options, { object: 'list', data }, () =>
        records.length === 0 ? ['no alerts; docs/alerts.md describes `alerts`'] : formatRecords(records),
      );
    });
}

function createTest(): Command {
  return defineCommand({
    name: 'test',
    summary: 'Send an alert of the type `test`: the running gateway delivers it.',
    examples: ['alerts test'],
  }).action(async (options: CommonOptions) => {
    // The gateway may have another configuration than this command, or variables that it lacks.
    const settings = await loadSettings(toOrigin(options)).catch(() => undefined);
    if (settings && !settings.alerts)
      remark('warning: no `alerts` are configured here; only a gateway that has them delivers one');
    const now = systemClock.now();
    const subject = `test/${now}`;
    await withStores(options, ({ database }) =>
      new AlertStore(database).add([
        { subject, type: 'test', data: { message: 'Alerts work.' }, expiresAt: new Date(now + DAY_MS) },
      ]),
    );
    print(options, { queued: true }, () => [
      'queued; `npx sluice alerts list` shows whether it was delivered',
    ]);
  });
}

function formatRecords(records: readonly AlertRecord[]): string[] {
  return formatTable(
    ['time', 'type', 'about', 'attempts', 'outcome'],
    records.map(({ createdAt, type, data, attempts, outcome }) => [
      formatTime(createdAt),
      type,
      describe(data),
      String(attempts),
      outcome,
    ]),
  );
}

/** Names in the data of an alert, the most telling first. */
const NAMES = ['subject_name', 'subject_id', 'provider', 'export', 'session_id', 'reason'];

/** What an alert is about. */
export function describe(data: AlertRecord['data']): string {
  const name = NAMES.map((field) => data[field]).find((value) => typeof value === 'string') ?? '';
  const { threshold_percent: percent, count, names, models } = data;
  if (typeof data['budget'] === 'string')
    return [name, describeBudget(data), ...(typeof percent === 'number' ? [`${percent} %`] : [])].join(', ');
  if (Array.isArray(models) && models.length > 0)
    return `${name}: ${models.filter((model) => typeof model === 'string').join(', ')}`;
  if (typeof count === 'number') return formatCount(count, 'difference');
  if (!Array.isArray(names) || typeof names[0] !== 'string') return name;
  return formatFirst(names.map(String), 1);
}

const DAY = 10;

/** `member recurring of 5 USD since 2026-11-01` */
function describeBudget({ budget, limit, period_start: start }: AlertRecord['data']): string {
  const kind = typeof budget === 'string' ? budget.replaceAll('_', ' ') : '';
  const amount = typeof limit === 'string' ? ` of ${limit} USD` : '';
  const since = typeof start === 'string' ? ` since ${start.slice(0, DAY)}` : '';
  return `${kind}${amount}${since}`;
}
