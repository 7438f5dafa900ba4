import type { CommandGroup, ResourceCommand } from '../resource/resource.ts';
import { type NamePorts, noteUnmatchedNames } from '../rules/note-unmatched-names.ts';
import type { RoutingChange } from './routing-choice.ts';

/** `keys routing` and `projects routing`: sets the members that are given, and shows all. */
export function routingCommand({
  group,
  what,
  sample,
}: CommandGroup): ResourceCommand<NamePorts, { id: string; routing: RoutingChange }, never> {
  return {
    name: 'routing',
    operation: 'update',
    inputs: ['routing'],
    summary: `Set or show how requests of ${what} choose among providers and fallback models.`,
    examples: [
      `${group} routing ${sample}`,
      `${group} routing ${sample} --sort latency --ignore deepseek`,
      `${group} routing ${sample} --weights anthropic=3,amazon-bedrock=1`,
      `${group} routing ${sample} --order anthropic,amazon-bedrock --sort none`,
      `${group} routing ${sample} --fallback-models gpt-5.4,claude-haiku-4-5`,
    ],
    format: ({ id, routing }) => [`${id}: ${describeRouting(routing)}`],
    remarks: ({ routing }, ports) => noteUnmatchedNames(ports, listNames(routing)),
  };
}

/** The names of a choice, as rules that have such names. */
function listNames(choice: RoutingChange): { type: string; values: readonly string[] }[] {
  const { order, only, ignore, weights, regions, fallback_models: models } = choice;
  const providers = [order, only, ignore, Object.keys(weights ?? {})].flatMap((names) => names ?? []);
  return [
    { type: 'allow-providers', values: providers },
    { type: 'regions', values: regions ?? [] },
    { type: 'allow-models', values: models ?? [] },
  ];
}

function describeRouting(routing: RoutingChange): string {
  const parts = Object.entries(routing).map(([member, value]) => `${member} ${describeValue(value)}`);
  return parts.length > 0 ? parts.join('; ') : 'as the gateway routes';
}

function describeValue(value: unknown): string {
  if (Array.isArray(value)) return value.join(', ');
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([member, price]) => `${member} ${String(price)}`)
    .join(', ');
}
