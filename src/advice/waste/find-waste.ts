import type { Catalogue } from '#catalogue';
import type { BilledRequests, PromptReader, PromptProject, PromptRow } from '#logs';
import { findLoops } from './find-loops.ts';
import { findRepeats } from './find-repeats.ts';
import { findShares } from './find-shares.ts';
import { findUnusedTools } from './find-unused-tools.ts';
import { createCostOf } from './price-waste.ts';
import { type CostOf, WASTE_KINDS, type Waste, type WasteKind } from './waste.ts';

interface WastePorts {
  prompts: PromptReader;
  catalogue: Catalogue;
  now: number;
}

export interface WasteQuestion extends BilledRequests {
  /** All kinds by default. */
  kinds?: readonly WasteKind[];
}

export interface ProjectWaste extends Waste, PromptProject {}

/** The most findings of each kind and project; the largest savings are kept. */
const MOST_FINDINGS = 20;

const FINDERS: Readonly<Record<WasteKind, (rows: readonly PromptRow[], costOf: CostOf) => Waste[]>> = {
  runaway_loop: findLoops,
  repeated_reads: findRepeats,
  unused_tools: findUnusedTools,
  prompt_share: findShares,
};

/** Waste in the prompts of sessions, project by project, the largest savings first. */
export async function findWaste(ports: WastePorts, question: WasteQuestion): Promise<ProjectWaste[]> {
  const { filter, tenants, kinds = WASTE_KINDS } = question;
  const costOf = createCostOf(ports);
  const found: ProjectWaste[] = [];
  await ports.prompts.forEachProject({ filter, tenants }, (project, rows) => {
    for (const kind of kinds) {
      const wastes = FINDERS[kind](rows, costOf).filter(({ saved }) => saved > 0n);
      const most = wastes.toSorted(bySaved).slice(0, MOST_FINDINGS);
      found.push(...most.map((waste) => ({ ...waste, ...project })));
    }
  });
  return found.toSorted(bySaved);
}

const bySaved = (a: Waste, b: Waste): number => Number(b.saved - a.saved);
