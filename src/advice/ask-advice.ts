import { type Saving, type SavingKind, type SavingPorts, SAVING_KINDS, findSavings } from './advise.ts';
import { type ProjectWaste, type WasteQuestion, findWaste } from './waste/find-waste.ts';
import { WASTE_KINDS, type WasteKind } from './waste/waste.ts';
import type { PromptReader } from '#logs';

export const ADVICE_KINDS = [...WASTE_KINDS, ...SAVING_KINDS] as const;

export type AdviceKind = WasteKind | SavingKind;

export type AdviceFinding = Saving | ProjectWaste;

interface AdviceQuestion extends Omit<WasteQuestion, 'kinds'> {
  /** All kinds by default. */
  kinds?: readonly AdviceKind[];
}

/** Savings, the largest first. */
export async function askAdvice(
  ports: SavingPorts & { prompts: PromptReader },
  { kinds = ADVICE_KINDS, ...question }: AdviceQuestion,
): Promise<AdviceFinding[]> {
  const wasteKinds = WASTE_KINDS.filter((kind) => kinds.includes(kind));
  const wastes = wasteKinds.length === 0 ? [] : await findWaste(ports, { ...question, kinds: wasteKinds });
  const isPriced = SAVING_KINDS.some((kind) => kinds.includes(kind));
  const savings = isPriced ? await findSavings(ports, question) : [];
  const findings = [...wastes, ...savings.filter(({ kind }) => kinds.includes(kind))];
  return findings.toSorted((a, b) => Number(b.saved - a.saved));
}

export function isWaste(finding: AdviceFinding): finding is ProjectWaste {
  return 'facts' in finding;
}

export function describeFinding(finding: AdviceFinding): string {
  if (isWaste(finding)) return finding.text;
  return finding.kind === 'cheaper_provider'
    ? `${finding.detail} bills less for the same tokens`
    : `prompts of more than ${finding.detail} tokens cost more per token`;
}
