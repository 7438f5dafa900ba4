import { formatTime } from '#base';
import {
  anyObject,
  choice,
  count,
  derived,
  filter,
  listOf,
  number,
  objectOf,
  outputText,
  reportOf,
  tableOf,
  time,
} from '#fields';
import type { AlertRecord } from './alert-store.ts';
import { describeAlert } from './describe-alert.ts';
import type { OpenCondition } from './state-store.ts';

/** What operators are alerted to. */
interface AlertStatus {
  /** What lasts, and since when. */
  conditions: readonly OpenCondition[];
  /** The latest first. */
  alerts: readonly AlertRecord[];
}

export interface AlertPorts {
  listAlerts(limit: number): Promise<AlertStatus>;
}

const MOST = 100;

const condition = objectOf<OpenCondition>()(
  { name: outputText('Such as `provider/openai`.'), since: time, data: anyObject },
  { name: 'condition' },
);

const alert = objectOf<AlertRecord>()(
  {
    id: outputText(),
    type: outputText(),
    createdAt: time,
    attempts: number(),
    outcome: choice(['delivered', 'abandoned', 'waiting']),
    data: anyObject,
  },
  { name: 'alert' },
);

export const alertsReport = reportOf<AlertPorts>()({
  path: 'alerts',
  summary: 'List what operators are alerted to: conditions that last, and the latest alerts.',
  scope: 'operations:read',
  ofAll: 'alerts are those of all',
  filters: {
    limit: filter(count({ least: 1, most: 1_000 }), '', {
      flags: '--limit <alerts>',
      help: 'how many alerts',
      fallback: { value: 20 },
    }),
  },
  answer: `The latest first, ${MOST} of each at most.`,
  output: objectOf<AlertStatus>()(
    {
      conditions: listOf(condition),
      data: derived(listOf(alert), ({ alerts }: AlertStatus) => alerts),
    },
    { name: 'list' },
  ),
  read: ({ listAlerts, input: { limit = MOST } }) => listAlerts(limit),
  findNothing: () => ({ conditions: [], alerts: [] }),
  command: {
    heading: 'Operation',
    group: {
      name: 'alerts',
      summary: 'Show alerts (`alerts` of the configuration), and send one to try.',
    },
    name: 'list',
    summary: 'List alerts and whether they were delivered, the latest first.',
    examples: ['alerts list', 'alerts list --limit 100 --json'],
    isEmpty: ({ alerts }) => alerts.length === 0,
    empty: 'no alerts; docs/alerts.md describes `alerts`',
    format: ({ alerts }) => [
      tableOf<AlertRecord>(
        {
          time: ({ createdAt }) => formatTime(createdAt),
          type: 'type',
          about: ({ data }) => describeAlert(data),
          attempts: 'attempts',
          outcome: 'outcome',
        },
        alerts,
      ),
    ],
  },
});
