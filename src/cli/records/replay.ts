import type { ReplayProgress, ReplayQuestion } from '#app';
import type { PicoUsd } from '#base';
import { encodeReplay, encodeReplayPlan, planReplay, runReplay } from '#app';
import { formatUsd, parseUsd, systemClock, formatCount } from '#base';
import { type Command, Option } from 'commander';
import { type CommonOptions, defineCommand, toOrigin } from '../terminal/command.ts';
import { type FilterOptions, addFilters, toFilter } from './filters.ts';
import { formatPlan, formatReport } from './format-replay.ts';
import { INTERRUPTED } from '../terminal/interruption.ts';
import { print, remark } from '../terminal/output.ts';
import { readAmount, readWhole } from '../terminal/read-amount.ts';
import { createStartOption, readSince } from '../terminal/read-time.ts';
import { createUrlOption } from '../terminal/url-option.ts';
import { untilInterrupted, withStores } from '../terminal/with-stores.ts';
import { Misuse } from '../terminal/misuse.ts';

interface ReplayCommandOptions extends CommonOptions, FilterOptions {
  model: string;
  request?: readonly string[];
  from?: string;
  budget: PicoUsd;
  most: number;
  concurrency: number;
  dryRun?: boolean;
  diff?: boolean;
  url?: string;
}

const FILTERS = [
  'sessionId',
  'agentId',
  'runId',
  'turnId',
  'clientName',
  'endUserId',
  'tag',
  'organizationId',
  'projectId',
  'keyId',
  'memberId',
  'providerId',
] as const;

const USUAL_BUDGET = parseUsd('1') ?? 0n;
const PROGRESS_MS = 1_000;

export function createReplayCommand(): Command {
  const command = defineCommand({
    name: 'replay',
    summary:
      'Send recorded requests to another model, within a budget of its own, and compare cost, time, tool calls and text. ' +
      'For projects that keep payloads (payloads set). The requests count for no customer.',
    examples: [
      'replay --session 5f6c… --model gpt-5-mini --dry-run',
      'replay --project prj_… --from claude-opus-5-5 --last 7d --model claude-haiku-5-5 --budget 0.50',
      'replay --request req_… --model openai/gpt-5-mini --diff',
    ],
  })
    .requiredOption('--model <name>', 'the other model, or provider/model')
    .option('--request <id>', 'this request; can be repeated', collect);
  return addFilters(command, FILTERS)
    .option('--from <model>', 'only requests that this model answered')
    .addOption(createStartOption())
    .option('--until <time>', 'only requests before then', readSince)
    .addOption(
      new Option('--budget <usd>', 'the most that the replay may cost')
        .argParser(readAmount)
        .default(USUAL_BUDGET, '1'),
    )
    .option('--most <n>', 'the most requests to send, the newest ones', readWhole(1, 1_000), 50)
    .option('--concurrency <n>', 'how many are under way at once', readWhole(1, 32), 4)
    .option('--dry-run', 'show what would be sent and skipped, and an estimate; send nothing')
    .option('--diff', 'show how the answers differ')
    .addOption(createUrlOption())
    .action((options: ReplayCommandOptions) => {
      toQuestion(options); // refuses misuse before anything is opened
      return options.dryRun === true ? showPlan(options) : replay(options);
    });
}

function collect(id: string, ids: readonly string[] = []): string[] {
  return [...ids, id];
}

function toQuestion(options: ReplayCommandOptions): ReplayQuestion {
  const { model, budget, most, request: requestIds = [], from } = options;
  const filter = toFilter({ ...options, model: from });
  const hasFilter = Object.keys(filter).length > 0;
  if (!hasFilter && requestIds.length === 0)
    throw new Misuse('name what to replay: --session, --request, --project, --last 1d or another filter');
  if (hasFilter && requestIds.length > 0)
    throw new Misuse('--request names requests by themselves; leave out the other filters');
  return { model, budget, most, filter, requestIds: [...new Set(requestIds)] };
}

async function showPlan(options: ReplayCommandOptions): Promise<void> {
  const plan = await withStores(options, (stores, named) =>
    planReplay(stores, toOrigin(options), toQuestion(named)),
  );
  if (plan.planned.length === 0) process.exitCode = 1;
  print(options, encodeReplayPlan(plan), () => formatPlan(plan));
}

async function replay(options: ReplayCommandOptions): Promise<void> {
  const { concurrency, url } = options;
  const report = await untilInterrupted(options, ({ stores, signal, options: named }) =>
    runReplay({ stores, origin: toOrigin(options) }, toQuestion(named), {
      concurrency,
      ...(url !== undefined && { url }),
      hasDiffs: options.diff === true || options.json === true,
      signal,
      onProgress: createProgress(),
    }),
  );
  if (report.end?.reason === 'interrupted') process.exitCode = INTERRUPTED;
  else if (report.compared.length === 0) process.exitCode = 1;
  print(options, encodeReplay(report), () => formatReport(report, options.diff === true));
}

/** Reports the progress on a terminal once a second. */
function createProgress(): (progress: ReplayProgress) => void {
  let lastMs = systemClock.monotonicMs();
  return ({ done, total, spent }) => {
    const nowMs = systemClock.monotonicMs();
    if (!process.stderr.isTTY || nowMs - lastMs < PROGRESS_MS) return;
    lastMs = nowMs;
    remark(`${done} of ${formatCount(total, 'request')}, ${formatUsd(spent)} USD`);
  };
}
