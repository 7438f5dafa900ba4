import type { ComparedRequest, ReplayPlan, ReplayReport, ReplaySummary, UnsentRequest } from '#app';
import { NOT_KEPT, countReasons, formatChange, formatEstimates, summarizeReplay } from '#app';
import { formatUsd, formatCount, formatFirst } from '#base';
import { formatPart, formatTable } from '../terminal/table.ts';

const TOOLS: Readonly<Record<ComparedRequest['tools'], string>> = {
  same: 'same',
  same_tools: 'same tools',
  different: 'different',
  none: 'none',
};
const NOTHING = '–';
const SHOWN_IDS = 3;

/** What a replay would send and skip. */
export function formatPlan({ model, budget, planned, estimate = [], ...rest }: ReplayPlan): string[] {
  const total = planned.reduce((sum, { cost }) => sum + cost, 0n);
  const rows = planned.map(({ requestId, modelId, cost }) => [requestId, modelId, formatUsd(cost)]);
  return [
    ...(rows.length > 0 ? [...formatTable(['request', 'answered by', 'usd'], rows), ''] : []),
    `${formatCount(planned.length, 'request')} would be sent to ${model}. The originals cost ${formatUsd(total)} USD; the budget is ${formatUsd(budget)} USD`,
    ...formatSkipped(rest.skipped),
    ...formatRemedy(planned.length > 0, rest.skipped),
    ...formatPartial(rest.isPartial),
    ...(estimate.length > 0
      ? ['', 'With the same number of tokens:', ...formatPart(formatEstimates(estimate))]
      : []),
  ];
}

/** The compared requests, and their totals. */
export function formatReport(report: ReplayReport, hasDiffs: boolean): string[] {
  const { compared } = report;
  const summary = summarizeReplay(report);
  return [
    ...(compared.length > 0 ? [...formatTable(HEADING, compared.map(toRow)), ''] : []),
    ...(hasDiffs ? compared.flatMap(formatDiff) : []),
    ...(compared.length > 0 ? [...formatTotals(summary), '', ...formatAgreement(summary), ''] : []),
    ...formatFailed(report),
    ...formatSkipped(report.skipped),
    ...formatRemedy(report.keyId !== undefined, report.skipped),
    ...formatEnd(report),
    ...formatPartial(report.isPartial),
    ...formatPlace(report),
  ];
}

const HEADING = [
  'request',
  'was, usd',
  'now, usd',
  'was, s',
  'now, s',
  'tools',
  'words',
  'ended',
  'answered by',
];

function toRow({ was, now, tools, wordsInCommon }: ComparedRequest): string[] {
  const ended =
    was.finishReason === now.finishReason ? now.finishReason : `${was.finishReason} → ${now.finishReason}`;
  return [
    was.requestId,
    formatUsd(was.cost),
    formatUsd(now.cost),
    formatSeconds(was.durationMs),
    formatSeconds(now.durationMs),
    TOOLS[tools],
    formatPercent(wordsInCommon),
    ended,
    `${now.providerId}/${now.modelId}`,
  ];
}

function formatDiff({ was, now, diff = '' }: ComparedRequest): string[] {
  if (diff === '') return [`${was.requestId} and ${now.requestId} do not differ`, ''];
  return [...diff.trimEnd().split('\n'), ''];
}

function formatTotals({ was, now }: ReplaySummary): string[] {
  const line = (name: string, pick: (side: ReplaySummary['was']) => number | undefined): string[] => {
    const [before, after] = [pick(was), pick(now)];
    const change = before === undefined || after === undefined ? NOTHING : formatRatio(after, before);
    return [name, formatSeconds(before), formatSeconds(after), change];
  };
  return formatTable(
    ['total', 'was', 'now', 'difference'],
    [
      ['cost, usd', formatUsd(was.cost), formatUsd(now.cost), formatChange(now.cost, was.cost)],
      line('time, median s', ({ medianMs }) => medianMs),
      line('time, p95 s', ({ p95Ms }) => p95Ms),
      line('first event, median s', ({ medianFirstEventMs }) => medianFirstEventMs),
      [
        'output tokens',
        String(was.outputTokens),
        String(now.outputTokens),
        formatRatio(now.outputTokens, was.outputTokens),
      ],
    ],
  );
}

function formatAgreement({ tools, toolAgreement, wordsInCommon }: ReplaySummary): string[] {
  const calling = tools.same + tools.same_tools + tools.different;
  const calls =
    toolAgreement === undefined
      ? 'no answer calls tools'
      : `tool calls: the same in ${tools.same} of ${formatCount(calling, 'request')} with tool calls (${formatPercent(toolAgreement)}); ` +
        `other arguments in ${tools.same_tools}, other tools in ${tools.different}`;
  const words =
    wordsInCommon === undefined ? [] : [`words in common: ${formatPercent(wordsInCommon)} (median)`];
  return [calls, ...words];
}

function formatFailed({ failed }: ReplayReport): string[] {
  const groups = Map.groupBy(failed, ({ code }) => code);
  return [...groups].flatMap(([code, some]) => [
    `failed: ${some.length} × ${code}: ${some[0]?.message ?? ''}${listIds(some)}`,
  ]);
}

function formatSkipped(requests: readonly UnsentRequest[]): string[] {
  return countReasons(requests).map(([reason, size]) => {
    const some = requests.filter((one) => one.reason === reason);
    return `skipped: ${size} × ${reason}${listIds(some)}`;
  });
}

/** What to do so that there is something to replay. */
function formatRemedy(isAnySent: boolean, skipped: readonly UnsentRequest[]): string[] {
  if (skipped.some(({ reason }) => reason === NOT_KEPT))
    return ['keep those of further requests with: npx sluice payloads set --project PROJECT --days 30'];
  return !isAnySent && skipped.length === 0
    ? ['no request matches; npx sluice logs shows what there is']
    : [];
}

/** The first ids; all are in the JSON. */
function listIds(requests: readonly { requestId: string }[]): string {
  const ids = requests.map(({ requestId }) => requestId);
  return ` (${formatFirst(ids, SHOWN_IDS)})`;
}

const ENDS: Readonly<Record<NonNullable<ReplayReport['end']>['reason'], string>> = {
  budget: 'the budget is used up (--budget)',
  interrupted: 'interrupted; requests that were under way may have cost something',
  refused: 'the gateway refuses the model',
  unreachable: 'the gateway does not answer',
};

function formatEnd({ end, unsent }: ReplayReport): string[] {
  if (!end) return [];
  const why = end.reason === 'interrupted' ? '' : `: ${end.message}`;
  return [
    `ended early, with ${formatCount(unsent.length, 'request')} not sent${unsent.length > 0 ? listIds(unsent) : ''}: ${ENDS[end.reason]}${why}`,
  ];
}

function formatPartial(isPartial: boolean): string[] {
  return isPartial ? ['older requests of the filter were not looked at (--most)'] : [];
}

function formatPlace(report: ReplayReport): string[] {
  const { id, keyId, compared, failed, spent, budget } = report;
  if (keyId === undefined) return ['nothing was sent'];
  const sides = [...compared.map(({ now }) => now), ...failed];
  const billed = sides.reduce((sum, { cost }) => sum + cost, 0n);
  // A key is never charged beyond what was held for its requests; the operator pays the rest.
  const more = billed === spent ? '' : `; the providers bill ${formatUsd(billed)} USD`;
  return [
    `${formatCount(sides.length, 'request')} sent, ${formatUsd(spent)} of ${formatUsd(budget)} USD spent${more}`,
    `their rows: npx sluice logs --tag replay=${id}`,
  ];
}

function formatSeconds(ms: number | undefined): string {
  return ms === undefined ? NOTHING : (ms / 1_000).toFixed(ms < 9_950 ? 2 : 1);
}

function formatPercent(share: number | undefined): string {
  return share === undefined ? NOTHING : `${Math.round(share * 100)} %`;
}

function formatRatio(now: number, was: number): string {
  if (was === 0) return NOTHING;
  const percent = ((now - was) / was) * 100;
  return `${percent > 0 ? '+' : ''}${percent.toFixed(1)} %`;
}
