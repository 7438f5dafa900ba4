import { existsSync, readFileSync, rmSync } from 'node:fs';
import { type IncomingMessage, type ServerResponse, get } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { createVideoConfig, startMockVideoProvider } from '../support/mock-video-provider.ts';
import { createTemporaryFolder } from '../support/temporary.ts';
import { finishVideo, orderVideo } from '../support/video-client.ts';
import type { LongRun } from './long-run.ts';

const READERS = 100;
const VIDEO_BYTES = 200 * 1024 * 1024;
/** Bytes each reader takes before it pauses. */
const SIP_BYTES = 1024 * 1024;
const STANDING_MS = 15_000;
const MOST_MB = 40;
/** The gateway lets a video be read 16 times at once. */
const READERS_PER_VIDEO = 15;
const MB = 1024 * 1024;
const PROBE = fileURLToPath(new URL('../support/memory-probe.ts', import.meta.url));
/** Long limits, because the readers are silent on purpose. */
const TIMEOUTS = 'timeouts: { firstEventMs: 60000, idleMs: 300000, totalMs: 600000 }';
const PIECE = Buffer.alloc(64 * 1024, 'v');

export const runReaders: LongRun = {
  name: 'readers',
  summary: `${READERS} readers of ${VIDEO_BYTES / MB} MB each through the content proxy, who stop after a sip; --count gives other readers`,
  async run({ count = READERS, report }) {
    await using mock = await startMockVideoProvider();
    const folder = createTemporaryFolder('sluice-readers-');
    const probe = `${folder.path}/memory.json`;
    await using gateway = await startGateway({
      config: createVideoConfig(mock.origin).replace(/timeouts: .*/, TIMEOUTS),
      nodeOptions: ['--expose-gc', '--import', PROBE],
      env: { MEMORY_PROBE: probe },
    });
    const links = await orderVideos(gateway, Math.ceil(count / READERS_PER_VIDEO));
    mock.intercept = (request, response) => {
      if (!/\/content$/.test(request.path)) return false;
      void sendVideo(response);
      return true;
    };
    const first = new Reader(`${gateway.url}${links[0] ?? ''}`);
    await first.drink(VIDEO_BYTES); // memory that any reading takes is now allocated
    const before = await measure(gateway, probe);
    report(`one reader has read it all: ${describe(before)}`);
    using peak = watchRss(gateway.pid);
    const readers = Array.from(
      { length: count },
      (_, at) => new Reader(`${gateway.url}${links[at % links.length] ?? ''}`),
    );
    await Promise.all(readers.map((reader) => reader.drink(SIP_BYTES)));
    await sleep(STANDING_MS);
    const standingPeakMb = peak.read() - before.rssMb;
    const standing = await measure(gateway, probe);
    report(`${count} readers stand still: ${describe(standing)}, most ${standingPeakMb.toFixed(1)} MB more`);
    await Promise.all(readers.map((reader) => reader.drink(VIDEO_BYTES)));
    const drainedPeakMb = peak.read() - before.rssMb;
    const after = await measure(gateway, probe);
    report(`all have read it all: ${describe(after)}, most ${drainedPeakMb.toFixed(1)} MB more`);
    folder.remove();
    const most = Math.max(standingPeakMb, drainedPeakMb);
    if (most > MOST_MB) throw new Error(`the gateway grew by ${most.toFixed(1)} MB`);
    return `${count} readers of ${VIDEO_BYTES / MB} MB took ${standingPeakMb.toFixed(1)} MB more while they stood still (${(standing.rssMb - before.rssMb).toFixed(1)} MB without garbage), ${drainedPeakMb.toFixed(1)} MB more while they read`;
  },
};

async function orderVideos(gateway: Gateway, count: number): Promise<string[]> {
  const links: string[] = [];
  for (let at = 0; at < count; at += 1) {
    const { id } = await orderVideo(gateway);
    links.push((await finishVideo(gateway, id)).content?.[0]?.url ?? '');
  }
  return links;
}

/** Generates the bytes as they are read. */
async function sendVideo(response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': VIDEO_BYTES });
  await pipeline(createPieces(), response).catch(() => undefined);
}

function* createPieces(): Iterable<Buffer> {
  for (let sent = 0; sent < VIDEO_BYTES; sent += PIECE.length) yield PIECE;
}

/** Reads as much as it is asked to, then pauses. */
class Reader {
  readonly #answer: Promise<IncomingMessage>;
  #taken = 0;

  constructor(url: string) {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    get(url, { agent: false }, resolve).on('error', reject);
    this.#answer = promise;
  }

  /** Reads until this many bytes were read in total. */
  async drink(bytes: number): Promise<void> {
    const answer = await this.#answer;
    if (answer.statusCode !== 200) throw new Error(`the content answered ${String(answer.statusCode)}`);
    const { promise, resolve, reject } = Promise.withResolvers<undefined>();
    const take = (piece: Buffer): void => {
      this.#taken += piece.length;
      if (this.#taken < bytes) return;
      answer.pause();
      answer.off('data', take);
      resolve(undefined);
    };
    answer.on('data', take);
    answer.on('error', reject);
    answer.resume();
    await promise;
  }
}

interface Memory {
  rssMb: number;
  externalMb: number;
  heapMb: number;
}

const describe = ({ rssMb, externalMb, heapMb }: Memory): string =>
  `RSS ${rssMb.toFixed(1)} MB, buffers ${externalMb.toFixed(1)} MB, heap ${heapMb.toFixed(1)} MB after a collection`;

/** The gateway's memory after garbage collection. */
async function measure(gateway: Gateway, probe: string): Promise<Memory> {
  rmSync(probe, { force: true });
  gateway.process.kill('SIGUSR2');
  while (!existsSync(probe)) await sleep(20);
  const { rss, external, heapUsed } = JSON.parse(readFileSync(probe, 'utf8')) as NodeJS.MemoryUsage;
  return { rssMb: rss / MB, externalMb: external / MB, heapMb: heapUsed / MB };
}

/** The peak resident size since, sampled ten times a second. */
function watchRss(pid: number): Disposable & { read(): number } {
  let most = 0;
  const look = (): void => {
    const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    most = Math.max(most, Number(kilobytes) / 1024);
  };
  const timer = setInterval(look, 100);
  return {
    read: () => {
      look();
      return most;
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
