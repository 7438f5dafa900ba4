import type { ReplayProgress, ReplayQuestion } from '#app';
import type { PicoUsd } from '#base';
import { encodeReplay, anyPeriod, encodeReplayPlan, planReplay, requestFilters, runReplay } from '#app';
import { formatUsd, parseUsd, systemClock, formatCount } from '#base';
import { type Command, Option } from 'commander';
import { type CommonOptions, defineCommand, toOrigin } from '../terminal/command.ts';
import { filter, text } from '#fields';
import { addInput, pickIds, readInput } from '../resources/input-options.ts';
import { formatPlan, formatReport } from './format-replay.ts';
import { INTERRUPTED } from '../terminal/interruption.ts';
import { print, remark } from '../terminal/output.ts';
import { readAmount, readWhole } from '../terminal/read-amount.ts';
import { createUrlOption } from '../terminal/url-option.ts';
import { untilInterrupted, withStores } from '../terminal/with-stores.ts';
import { Misuse } from '../terminal/misuse.ts';

interface ReplayOptions extends CommonOptions {
  model: string;
  request?: readonly string[];
  budget: PicoUsd;
  most: number;
  concurrency: number;
  dryRun?: boolean;
  diff?: boolean;
  url?: string;
}

const FILTERS = {
  ...requestFilters('sessionId', 'agentId', 'runId', 'turnId', 'clientName', 'endUserId', 'tag'),
  ...requestFilters('organizationId', 'projectId', 'keyId', 'memberId', 'providerId'),
  model: filter(text(), '', { flags: '--from <model>', help: 'only requests that this model answered' }),
  ...anyPeriod(),
};

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
  for (const field of Object.values(FILTERS)) addInput(command, field);
  return command
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
    .action(async (options: ReplayOptions) => {
      const given: ReplayQuestion['filter'] = await readInput(command, FILTERS, []);
      toQuestion(options, given); // refuses misuse before anything is opened
      const ask = (known: object): ReplayQuestion =>
        toQuestion(options, { ...given, ...pickIds(command, FILTERS, known) });
      return options.dryRun === true ? showPlan(options, ask) : replay(options, ask);
    });
}

function collect(id: string, ids: readonly string[] = []): string[] {
  return [...ids, id];
}

function toQuestion(options: ReplayOptions, filter: ReplayQuestion['filter']): ReplayQuestion {
  const { model, budget, most, request: requestIds = [] } = options;
  const hasFilter = Object.keys(filter).length > 0;
  if (!hasFilter && requestIds.length === 0)
    throw new Misuse('name what to replay: --session, --request, --project, --last 1d or another filter');
  if (hasFilter && requestIds.length > 0)
    throw new Misuse('--request names requests by themselves; leave out the other filters');
  return { model, budget, most, filter, requestIds: [...new Set(requestIds)] };
}

/** The question, of options with ids in place of names. */
type Ask = (known: object) => ReplayQuestion;

async function showPlan(options: ReplayOptions, ask: Ask): Promise<void> {
  const plan = await withStores(options, (stores, named) =>
    planReplay(stores, toOrigin(options), ask(named)),
  );
  if (plan.planned.length === 0) process.exitCode = 1;
  print(options, encodeReplayPlan(plan), () => formatPlan(plan));
}

async function replay(options: ReplayOptions, ask: Ask): Promise<void> {
  const { concurrency, url } = options;
  const report = await untilInterrupted(options, ({ stores, signal, options: named }) =>
    runReplay({ stores, origin: toOrigin(options) }, ask(named), {
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
