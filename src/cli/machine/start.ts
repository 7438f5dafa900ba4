import type { Command } from 'commander';
import type { LaunchedGateway } from '#app';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { type CommonOptions, defineCommand, toOrigin } from '../terminal/command.ts';
import { composeAnnouncement, composeShortAnnouncement, launch } from '#app';
import { reasonOf, toSnakeCaseMembers } from '#base';
import { INTERRUPTED, Interrupted, listenToSignals } from '../terminal/interruption.ts';
import { printLines, remark, toJson } from '../terminal/output.ts';

interface StartOptions extends CommonOptions {
  port?: string;
  host?: string;
  public?: boolean;
  reusePort?: boolean;
}

const REMARK_EVERY_MS = 5_000;
/** Node hangs if it exits while V8 still compiles in the background and waits for memory (nodejs/node#54918). */
const COMPILED_MS = 50;

export function createStartCommand(): Command {
  return defineCommand({
    name: 'start',
    summary: 'Start the gateway.',
    examples: ['start', 'start --port 9000 --data-dir /srv/sluice', 'start --host 0.0.0.0 --public'],
  })
    .option('--port <port>', 'where to listen (SLUICE_PORT, default 8787; 0 takes any free port)')
    .option('--host <address>', 'the address to listen on (SLUICE_HOST, default 127.0.0.1)')
    .option('--public', 'allow an address that other machines can reach (SLUICE_PUBLIC_BIND)')
    .option('--reuse-port', 'share the port with other gateways of this machine (SLUICE_REUSE_PORT)')
    .action(async (options: StartOptions) => start(options));
}

/**
 * V8 promotes allocation sites whose objects often survive a young collection; under load that is half of every request,
 * because requests wait for two commits. Promoted garbage is kept until the next full collection.
 */
function keepRequestsYoung(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}

async function start(options: StartOptions): Promise<void> {
  keepRequestsYoung();
  const { port, host, reusePort } = options;
  const origin = toOrigin(options);
  const flags = {
    ...origin.flags,
    ...(port !== undefined && { port }),
    ...(host !== undefined && { host }),
    ...(options.public !== undefined && { public: options.public }),
    ...(reusePort !== undefined && { reusePort }),
  };
  const interactive = process.stdout.isTTY && options.json !== true;
  const early = awaitEarlySignal();
  const { signal } = early;
  const launched = await launch({ ...origin, flags, interactive, signal }).catch((error: unknown) => {
    if (error instanceof Interrupted) process.exit(0);
    throw error;
  });
  announce(launched, { json: options.json === true, interactive });
  early.handOver(createStopper(launched));
}

function announce({ gateway, facts }: LaunchedGateway, to: { json: boolean; interactive: boolean }): void {
  if (to.json) {
    const { organizationId, projectId, dataDir, firstRun } = gateway;
    const { url, metricsUrl } = facts;
    const line = {
      url,
      ...firstRun,
      organizationId,
      projectId,
      dataDir,
      ...(metricsUrl !== undefined && { metricsUrl }),
    };
    printLines([toJson(toSnakeCaseMembers(line))]);
    return;
  }
  // The first keys are printed even without a terminal: they cannot be shown again.
  const lines =
    to.interactive || facts.firstRun ? composeAnnouncement(facts) : [composeShortAnnouncement(facts)];
  process.stdout.write(lines.map((line) => `${line}\n`).join(''));
}

/**
 * Remembers a signal that arrives while the gateway starts, and aborts what it waits for; a second one ends the process at
 * once. The listener is never replaced: a signal that arrives in between would be lost.
 */
function awaitEarlySignal(): { signal: AbortSignal; handOver(next: () => void): void } {
  const stop = new AbortController();
  let count = 0;
  let listener = (): void => {
    count += 1;
    if (count > 1) process.exit(INTERRUPTED);
    remark('stopping when the start has finished; repeat to stop at once');
    stop.abort(new Interrupted());
  };
  listenToSignals(() => listener());
  return {
    signal: stop.signal,
    handOver: (next) => {
      listener = next;
      if (count > 0) next();
    },
  };
}

/** First signal: drain and stop. Second: exit at once; open settlements are written at the next start. */
function createStopper(launched: LaunchedGateway): () => void {
  let isStopping = false;
  return () => {
    if (isStopping) {
      remark('stopping at once');
      process.exit(INTERRUPTED);
    }
    isStopping = true;
    void stop(launched);
  };
}

async function stop({ gateway, drainMs, stop }: LaunchedGateway): Promise<void> {
  const report = (): void => {
    const open = gateway.openRequests;
    if (open > 0) remark(`draining ${open} ${open === 1 ? 'request' : 'requests'}…`);
  };
  const limit = `open requests get up to ${drainMs / 1_000} s to end; once more to stop at once`;
  remark(gateway.openRequests === 0 ? 'stopping' : `stopping: ${limit}`);
  report();
  setInterval(report, REMARK_EVERY_MS);
  try {
    await stop();
    await sleep(COMPILED_MS);
    process.exit(0);
  } catch (error) {
    remark(`error: the stop failed: ${reasonOf(error)}`);
    process.exit(1);
  }
}
