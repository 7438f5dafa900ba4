import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type TestFacts, observe } from './coverage.ts';
import { type Mutant, plant } from './find-mutants.ts';
import { refusesLostAwait } from './linter.ts';
import { NearTests } from './near-tests.ts';
import type { Sandbox } from './sandbox.ts';
import type { TypeChecker } from './type-checker.ts';

/** What one process of a sweep does: runs a test file once for each variant of one source file. */
export interface SweepJob {
  root: string;
  test: string;
  path: string;
  /** The file's texts by name. */
  variants: Record<string, string>;
  /** The file and all that import it, directly or through others: loaded again for each variant. */
  affected: readonly string[];
}

/** How many faults share a process: what it loads for each is never unloaded. */
const TOGETHER = 40;
const OBSERVED_WITHIN_MS = 120_000;
/** A test that takes this many times longer with a fault counts as not ending. */
const SLOWER = 10;
const LEAST_LIMIT_MS = 20_000;
/** The name of the text without a fault. */
const SOUND = 'sound';

const WORKER = fileURLToPath(new URL('sweep-worker.ts', import.meta.url));
const REPORTER = fileURLToPath(new URL('sweep-reporter.ts', import.meta.url));

type Types = Pick<TypeChecker, 'accepts' | 'findPlaces'>;

/** Finds the faults of a file that its nearest tests do not notice, many faults per process. */
export class Sweep {
  readonly #sandbox: Sandbox;
  readonly #types: Types;
  readonly #near: NearTests;
  readonly #facts = new Map<string, TestFacts>();
  #jobs = 0;

  constructor(sandbox: Sandbox, types: Types) {
    this.#sandbox = sandbox;
    this.#types = types;
    this.#near = new NearTests(sandbox.path);
  }

  /** Of faults of one file. */
  async findUnnoticed(path: string, mutants: readonly Mutant[]): Promise<readonly Mutant[]> {
    const text = this.#sandbox.read(path);
    let left = mutants;
    for (const test of this.#near.findNearest(path)) {
      if (left.length === 0) break;
      const facts = await this.#observe(test);
      const run = facts.isSound ? left.filter((mutant) => this.#runs(facts, mutant)) : [];
      if (run.length === 0) continue;
      const noticed = new Set<Mutant>();
      for (let at = 0; at < run.length; at += TOGETHER)
        await this.#ask(test, run.slice(at, at + TOGETHER), noticed);
      left = left.filter((mutant) => !noticed.has(mutant));
    }
    // The compiler last: it takes longer for a fault than most tests do.
    const compiled = left.filter((mutant) => this.#types.accepts(path, plant(text, mutant)));
    const survivors: Mutant[] = [];
    for (const mutant of compiled)
      if (!(await refusesLostAwait(mutant, this.#sandbox))) survivors.push(mutant);
    return survivors;
  }

  async #observe(test: string): Promise<TestFacts> {
    const facts = this.#facts.get(test) ?? (await observe(this.#sandbox, test, OBSERVED_WITHIN_MS));
    this.#facts.set(test, facts);
    return facts;
  }

  #runs(facts: TestFacts, mutant: Mutant): boolean {
    return this.#types.findPlaces(mutant).some((place) => facts.runs(place.path, place.at));
  }

  async #ask(test: string, mutants: readonly Mutant[], noticed: Set<Mutant>): Promise<void> {
    const passed = await this.#run(test, mutants);
    if (passed.get(SOUND) === false) return;
    const lost: Mutant[] = [];
    for (const [number, mutant] of mutants.entries()) {
      const result = passed.get(nameOf(number));
      if (result === false) noticed.add(mutant);
      if (result === undefined) lost.push(mutant);
    }
    const [first, ...others] = lost;
    if (!first) return;
    // The first that has no result ended or held up the process; if not so when alone, another did.
    if (mutants.length === 1) noticed.add(first);
    else await this.#ask(test, [first], noticed);
    if (others.length > 0) await this.#ask(test, others, noticed);
  }

  /** Runs a test without a fault and with each; reports whether each completed run passed. */
  async #run(test: string, mutants: readonly Mutant[]): Promise<Map<string, boolean>> {
    const path = mutants[0]?.path ?? '';
    const text = this.#sandbox.read(path);
    const variants: SweepJob['variants'] = { [SOUND]: text };
    for (const [number, mutant] of mutants.entries()) variants[nameOf(number)] = plant(text, mutant);
    const affected = this.#near.findImporters(path);
    const job: SweepJob = { root: this.#sandbox.path, test, path, variants, affected };
    const file = join(this.#sandbox.temporary, `sweep-${(this.#jobs += 1)}.json`);
    const report = `${file}.report`;
    writeFileSync(file, JSON.stringify(job));
    const eachMs = Math.max(LEAST_LIMIT_MS, SLOWER * (this.#facts.get(test)?.tookMs ?? 0));
    await this.#sandbox.run(WORKER, {
      limitMs: eachMs + (eachMs * mutants.length) / SLOWER,
      options: [
        `--test-reporter=${REPORTER}`,
        `--test-reporter-destination=${report}`,
        `--test-timeout=${eachMs}`,
      ],
      args: [file],
    });
    const lines = existsSync(report) ? readFileSync(report, 'utf8').split('\n') : [];
    rmSync(file);
    rmSync(report, { force: true });
    return new Map(lines.filter(Boolean).map((line) => [line.split(' ')[0] ?? '', line.endsWith('pass')]));
  }
}

/** Not a number: those would come first among the names of an object. */
function nameOf(number: number): string {
  return `fault-${number}`;
}
