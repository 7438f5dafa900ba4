import type { JsonObject } from '#base';
import type { Catalogue, Mapping } from '#catalogue';
import {
  choice,
  derived,
  described,
  filter,
  nullableOutput,
  number,
  objectOf,
  optionalOutput,
  outputText,
  reportOf,
  tableOf,
  textList,
  usd,
  wholeList,
} from '#fields';
import { type BillReader, type PromptReader, periodOf, requestFilters, toTenants } from '#logs';
import { ADVICE_KINDS, type AdviceFinding, askAdvice, describeFinding, isWaste } from './ask-advice.ts';

export interface AdvicePorts {
  bills: BillReader;
  prompts: PromptReader;
  catalogue(): Catalogue | Promise<Catalogue>;
  /** Which mappings requests of an organization, or of a project’s, can use now. */
  findUsable(of: { organizationId?: string; projectId?: string }): Promise<(mapping: Mapping) => boolean>;
}

const optionalText = optionalOutput(outputText());

const members = objectOf<AdviceFinding>()(
  {
    kind: choice(ADVICE_KINDS),
    organizationId: derived(optionalText, (one: AdviceFinding) =>
      isWaste(one) ? one.organizationId : undefined,
    ),
    projectId: derived(optionalText, (one: AdviceFinding) => (isWaste(one) ? one.projectId : undefined)),
    sessionId: derived(optionalOutput(nullableOutput(outputText())), (one: AdviceFinding) =>
      isWaste(one) ? (one.sessionId ?? null) : undefined,
    ),
    modelId: derived(optionalText, (one: AdviceFinding) => (isWaste(one) ? undefined : one.modelId)),
    providerId: derived(optionalText, (one: AdviceFinding) => (isWaste(one) ? undefined : one.providerId)),
    text: derived(outputText('The finding as a sentence.'), describeFinding),
    requests: number(),
    saved: described('What would have been saved.', usd),
    requestIds: described('Some of the requests that show it.', textList('')),
  },
  { name: 'finding', description: 'With further members of its kind.' },
);

const finding: typeof members = {
  ...members,
  encode: (one) => ({ ...members.encode(one), ...listFacts(one) }),
};

function listFacts(one: AdviceFinding): JsonObject {
  if (isWaste(one)) return one.facts;
  return one.kind === 'cheaper_provider'
    ? { other_provider_id: one.detail }
    : { above_input_tokens: Number(one.detail) };
}

export const adviceReport = reportOf<AdvicePorts>()({
  path: 'advice',
  summary: 'List what would have cost less: loops, repeated reads, unused tools, large prompts and prices.',
  scope: 'logs:read',
  filters: {
    ...requestFilters('organizationId', 'projectId'),
    kind: filter(choice(ADVICE_KINDS), `Only findings of this kind: ${ADVICE_KINDS.join(', ')}.`, {
      flags: '--kind <kind>',
      help: 'only findings of this kind',
    }),
    ...periodOf(7),
  },
  answer: 'The findings, what would have saved most first. They overlap.',
  output: wholeList(finding),
  read: async ({ bills, prompts, catalogue, findUsable, now, input }) =>
    askAdvice(
      { bills, prompts, catalogue: await catalogue(), now, canUse: await findUsable(input) },
      {
        filter: input,
        tenants: toTenants(input),
        ...(input.kind !== undefined && { kinds: [input.kind] }),
      },
    ),
  findNothing: () => [],
  command: {
    heading: 'Usage and cost',
    name: 'advise',
    summary:
      'Find what would have cost less: loops, repeated reads, unused tools, large prompts, other providers, price steps.',
    examples: ['advise', 'advise --last 30d --project prj_…', 'advise --kind unused_tools', 'advise --json'],
    isEmpty: (findings) => findings.length === 0,
    empty: 'nothing found',
    format: (findings) => [tableOf<AdviceFinding>(COLUMNS, findings)],
  },
});

const SHOWN_IDS = 3;

const COLUMNS = {
  usd: 'saved',
  requests: 'requests',
  of: (one: AdviceFinding) =>
    isWaste(one) ? (one.sessionId ?? one.projectId) : `${one.providerId}/${one.modelId}`,
  finding: (one: AdviceFinding) =>
    `${describeFinding(one)}; such as ${one.requestIds.slice(0, SHOWN_IDS).join(', ')}`,
} as const;
