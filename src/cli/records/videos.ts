import type { Command } from 'commander';
import type { Stores, VideoSummary } from '#app';
import { cancelVideo, listVideos, removeVideoWebhook, setVideoWebhook } from '#app';
import { encodeMembers, encodeTime, formatTime, formatUsd } from '#base';
import { InvalidArgumentError } from 'commander';
import { type CommonOptions, defineCommand, defineGroup } from '../terminal/command.ts';
import { follow } from '../terminal/follow.ts';
import { print, printLines, printTexts, toJson } from '../terminal/output.ts';
import { readWhole } from '../terminal/read-amount.ts';
import { formatTable } from '../terminal/table.ts';
import { getProjectId, untilInterrupted, withStores } from '../terminal/with-stores.ts';
import { Misuse } from '../terminal/misuse.ts';

interface ListOptions extends CommonOptions {
  limit: number;
  open?: boolean;
  follow?: boolean;
}

interface WebhookOptions extends CommonOptions {
  project?: string;
  url?: string;
  rotate?: boolean;
  off?: boolean;
}

export function createVideosCommand(): Command {
  const list = defineCommand({
    name: 'list',
    summary: 'Show video jobs and their progress, newest first.',
    examples: ['videos list', 'videos list --open --follow'],
  })
    .option('--open', 'only those that are under way')
    .option('--follow', 'keep printing what changes')
    .option('--limit <jobs>', 'how many', readWhole(1, 1_000), 20)
    .action((options: ListOptions) =>
      options.follow === true
        ? untilInterrupted(options, ({ stores, signal }) => followVideos(stores, options, signal))
        : withStores(options, (stores) => show(stores, options)),
    );
  const cancel = defineCommand({
    name: 'cancel',
    summary: 'Cancel a video in progress, at no cost to the customer.',
    examples: ['videos cancel video_…'],
  })
    .argument('<id>', 'as `videos list` shows it')
    .action(async (id: string, options: CommonOptions) => {
      const status = await withStores(options, (stores) => cancelVideo(stores, id));
      if (status === undefined)
        throw new Error(`there is no video ${id} (npx sluice videos list shows the latest)`);
      print(options, { id, status }, () => [`${id} is ${status}`]);
    });
  return defineGroup('videos', 'List and cancel video jobs, and set their webhook.', [
    list,
    cancel,
    createWebhook(),
  ]);
}

function createWebhook(): Command {
  return defineCommand({
    name: 'webhook',
    summary: 'Set the webhook for finished videos of a project; prints the secret that signs its requests.',
    examples: ['videos webhook --url https://example.com/hook', 'videos webhook --off'],
  })
    .option('--project <id>', 'the project (default: the first of the first organization)')
    .option('--url <url>', 'where to send events', readUrl)
    .option('--rotate', 'sign with a new secret from now on')
    .option('--off', 'remove the webhook')
    .action(async (options: WebhookOptions) => {
      const { url, rotate = false, off } = options;
      if ((off === true) === (url !== undefined)) throw new Misuse('give either --url or --off');
      const result = await withStores(options, async (stores, { project }) => {
        const wanted = await getProjectId(stores.accounts.directory, project);
        const { id: projectId } = await stores.accounts.directory.getProject(wanted);
        if (url === undefined) {
          await removeVideoWebhook(stores, projectId);
          return { project_id: projectId, url: null, secret: null };
        }
        const secret = await setVideoWebhook(stores, { projectId, url, rotate });
        return { project_id: projectId, url, secret };
      });
      print(options, result, () =>
        result.secret === null
          ? [`${result.project_id} has no webhook`]
          : [`${result.project_id} calls ${result.url}`, `secret: ${result.secret}`],
      );
    });
}

function readUrl(text: string): string {
  const url = URL.parse(text);
  if (url && /^https?:$/.test(url.protocol) && url.username + url.password === '') return url.href;
  throw new InvalidArgumentError('Write an address such as https://example.com/hook.');
}

async function show(stores: Stores, options: ListOptions): Promise<void> {
  const videos = await listVideos(stores, { limit: options.limit, openOnly: options.open === true });
  print(options, { object: 'list', data: videos.map(encodeVideo) }, () =>
    videos.length === 0 ? ['no videos'] : formatVideos(videos),
  );
}

/** Prints each video again when its state changes, until the process is interrupted. */
async function followVideos(stores: Stores, options: ListOptions, signal: AbortSignal): Promise<void> {
  const shown = new Map<string, string>();
  let isFirst = true;
  await follow(signal, async () => {
    const videos = await listVideos(stores, { limit: options.limit, openOnly: options.open === true });
    const changed = videos.toReversed().filter((video) => shown.get(video.id) !== stateOf(video));
    for (const video of changed) shown.set(video.id, stateOf(video));
    if (options.json === true) printLines(changed.map((video) => toJson(encodeVideo(video))));
    else printTexts(formatVideos(changed).slice(isFirst ? 0 : 1));
    isFirst = false;
  });
}

const encodeVideo = (video: VideoSummary): object => ({
  object: 'video',
  ...encodeMembers(video, ['id', 'requestId', 'projectId', 'status', 'progress', 'model', 'provider']),
  ...encodeMembers(video, ['seconds', 'size', 'cost']),
  created_at: encodeTime(video.createdAt),
  error: video.error ?? null,
});

function stateOf({ status, progress }: VideoSummary): string {
  return `${status} ${progress}`;
}

function formatVideos(videos: readonly VideoSummary[]): string[] {
  return formatTable(
    ['ordered', 'status', '%', 'model', 'provider', 'seconds', 'size', 'usd', 'id'],
    videos.map((video) => [
      formatTime(video.createdAt),
      video.status,
      String(video.progress),
      video.model,
      video.provider,
      String(video.seconds),
      video.size,
      formatUsd(video.cost),
      video.id,
    ]),
  );
}
