import { startExternalServer } from '../test/support/external-server.ts';
import { startServer } from './child.ts';
import { type Work, measure, median } from './measure.ts';
import { SCENARIOS, type Scenario } from './scenarios.ts';
import { type Subjects, startSubjects } from './subjects.ts';

const HELP = `Usage: node bench/least.ts

Requests per core of the gateway beside those of the least that a gateway can be (bench/least-gateway.ts), without books and
with a committed hold and a committed settlement for each request, each as a ratio to the bare pass-through, in turns.`;

const ROUNDS = 5;
const WARM_MS = 6_000;
const PACE = { warmMs: 300, measureMs: 1_500 };

interface Contender {
  name: string;
  /** Requests per second of its own processor time under this work. */
  run(scenario: Scenario, work: Omit<Work, 'path' | 'body' | 'connections'>): Promise<number>;
}

async function startContenders(subjects: Subjects, stack: AsyncDisposableStack): Promise<Contender[]> {
  const server = stack.use(await startExternalServer());
  const { gateway, passThrough, direct } = subjects;
  const withoutBooks = stack.use(await startServer('least-gateway.ts', [direct.origin]));
  process.env['DATABASE_URL'] = server.url; // inherited by processes started from here on
  const withBooks = stack.use(await startServer('least-gateway.ts', [direct.origin]));
  delete process.env['DATABASE_URL'];
  const bare = { name: 'direct', headers: {} } as const;
  const entries = [
    { name: 'bare pass-through', subject: passThrough, kind: 'direct' },
    { name: 'parses and prints', subject: { ...bare, ...withoutBooks }, kind: 'direct' },
    { name: 'and commits twice', subject: { ...bare, ...withBooks }, kind: 'direct' },
    { name: 'gateway', subject: gateway, kind: 'gateway' },
  ] as const;
  return entries.map(({ name, subject, kind }) => ({
    name,
    run: async (scenario, pace) => {
      const { connections } = scenario;
      return (await measure(subject, { ...scenario[kind], connections, ...pace })).perCore;
    },
  }));
}

async function compareAll(scenario: Scenario, contenders: readonly Contender[]): Promise<void> {
  for (const contender of contenders) await contender.run(scenario, { warmMs: 0, measureMs: WARM_MS });
  const rounds: number[][] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const figures: number[] = [];
    for (const contender of contenders) figures.push(await contender.run(scenario, PACE));
    rounds.push(figures);
  }
  console.log(`\n${scenario.name}`);
  for (const [at, { name }] of contenders.entries()) {
    const perCore = median(rounds.map((figures) => figures[at] ?? 0));
    const ratio = median(rounds.map((figures) => (figures[at] ?? 0) / (figures[0] ?? 1)));
    console.log(
      `${name.padEnd(20)}${perCore.toFixed(0).padStart(8)} req/core${ratio.toFixed(2).padStart(7)}`,
    );
  }
}

if (process.argv.includes('--help')) {
  console.log(HELP);
} else {
  await using stack = new AsyncDisposableStack();
  const subjects = stack.use(await startSubjects());
  const contenders = await startContenders(subjects, stack);
  for (const scenario of SCENARIOS.filter(({ name }) => name.startsWith('chat → chat, JSON 2 KB')))
    await compareAll(scenario, contenders);
}
