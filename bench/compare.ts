import { type Round, measure, median } from './measure.ts';
import { SCENARIOS, type Scenario } from './scenarios.ts';
import type { Subjects } from './subjects.ts';

export interface Pace {
  warmMs: number;
  measureMs: number;
  rounds: number;
  /** How long a single connection sends sequential requests, for latency. */
  latencyMs: number;
}

interface Latency {
  p50: number;
  p99: number;
}

/** The results of a scenario. */
export interface Comparison {
  scenario: string;
  /** Medians over the rounds. */
  gateway: {
    requestsPerSecond: number;
    perCore: number;
    cpuMsPerRequest: number;
    databaseMsPerRequest: number;
  };
  passThrough: { requestsPerSecond: number; perCore: number; cpuMsPerRequest: number };
  /** Gateway requests per core divided by the pass-through's; median of the rounds' ratios. */
  perCoreRatio: number;
  requestsRatio: number;
  /** Added to calling the provider directly, at one request at a time. */
  addedMs: { gateway: Latency; passThrough: Latency };
  addedFirstByteMs: { gateway: Latency; passThrough: Latency };
}

/** Lets both compile their code before the measurement: a stream and a JSON answer through each. */
export async function warmUp(subjects: Subjects, pace: Pace): Promise<void> {
  const kinds = [SCENARIOS[0], SCENARIOS.find(({ name }) => name.includes('stream'))];
  for (const scenario of kinds) {
    if (!scenario) continue;
    const pacing = { connections: 32, warmMs: 0, measureMs: pace.warmMs * 2 };
    await measure(subjects.gateway, { ...scenario.gateway, ...pacing });
    await measure(subjects.passThrough, { ...scenario.direct, ...pacing });
  }
}

/** Alternates between the gateway and the pass-through, so that background load affects both. */
export async function compare(scenario: Scenario, subjects: Subjects, pace: Pace): Promise<Comparison> {
  const { connections } = scenario;
  const gatewayWork = { ...scenario.gateway, connections, measureMs: pace.measureMs, warmMs: 300 };
  const directWork = { ...scenario.direct, connections, measureMs: pace.measureMs, warmMs: 300 };
  await measure(subjects.gateway, { ...gatewayWork, warmMs: 0, measureMs: pace.warmMs });
  await measure(subjects.passThrough, { ...directWork, warmMs: 0, measureMs: pace.warmMs });
  const pairs: { gateway: Round; passThrough: Round }[] = [];
  for (let round = 0; round < pace.rounds; round += 1) {
    const gateway = await measure(subjects.gateway, gatewayWork);
    const passThrough = await measure(subjects.passThrough, directWork);
    pairs.push({ gateway, passThrough });
  }
  return {
    scenario: scenario.name,
    gateway: summarize(pairs.map((pair) => pair.gateway)),
    passThrough: summarize(pairs.map((pair) => pair.passThrough)),
    perCoreRatio: median(pairs.map((pair) => pair.gateway.perCore / pair.passThrough.perCore)),
    requestsRatio: median(
      pairs.map((pair) => pair.gateway.requestsPerSecond / pair.passThrough.requestsPerSecond),
    ),
    ...(await compareLatency(scenario, subjects, pace)),
  };
}

function summarize(rounds: Round[]): Comparison['gateway'] {
  return {
    requestsPerSecond: median(rounds.map((round) => round.requestsPerSecond)),
    perCore: median(rounds.map((round) => round.perCore)),
    cpuMsPerRequest: median(rounds.map((round) => round.cpuMsPerRequest)),
    databaseMsPerRequest: median(rounds.map((round) => round.databaseMsPerRequest)),
  };
}

async function compareLatency(
  scenario: Scenario,
  subjects: Subjects,
  pace: Pace,
): Promise<Pick<Comparison, 'addedMs' | 'addedFirstByteMs'>> {
  const alone = { connections: 1, warmMs: 200, measureMs: pace.latencyMs };
  const direct = await measure(subjects.direct, { ...scenario.direct, ...alone });
  const gateway = await measure(subjects.gateway, { ...scenario.gateway, ...alone });
  const passThrough = await measure(subjects.passThrough, { ...scenario.direct, ...alone });
  const added = (round: Round, key: 'latencyMs' | 'firstByteMs'): Latency => ({
    p50: round.load[key].p50 - direct.load[key].p50,
    p99: round.load[key].p99 - direct.load[key].p99,
  });
  return {
    addedMs: { gateway: added(gateway, 'latencyMs'), passThrough: added(passThrough, 'latencyMs') },
    addedFirstByteMs: {
      gateway: added(gateway, 'firstByteMs'),
      passThrough: added(passThrough, 'firstByteMs'),
    },
  };
}
