import type { CanonicalRequest } from '#canonical';
import type { HostedTool, Mapping } from '#catalogue';
import type { RequestedTool } from '#wire';
import type { Ports } from '../request/ports.ts';
import type { Trip } from '../request/trip.ts';
import { select } from '#base';
import { findHostedTool, findToolKind, quote } from '#catalogue';
import { GatewayError } from '#errors';
import { listRequestedTools, listSentTools } from '#wire';
import { type PricedTool, type ToolPlan, createToolPlan } from '../request/tool-plan.ts';

/** What the tool plans of a route are created from. */
interface ToolPlanOptions {
  request: CanonicalRequest;
  requested: readonly RequestedTool[];
  /** Whether a tool without a price may be used, at cost 0. */
  allowUnpriced: boolean;
}

/**
 * The mappings of a route with a price for every hosted tool the request would send there; throws if there is none.
 * Most requests have no such tool. With an organization's own keys the provider bills it, so no price is needed.
 */
export function planTools(
  ports: Pick<Ports, 'live'>,
  trip: Trip,
  route: readonly Mapping[],
): readonly Mapping[] {
  const request = trip.get('request');
  const requested = listRequestedTools(request);
  if (requested.length === 0 && !route.some(usesAlways)) return route;
  const { allowUnpriced } = ports.live(trip.get('caller'));
  const options = { request, requested, allowUnpriced: allowUnpriced || trip.get('credential') === 'own' };
  const plans = new Map<Mapping, ToolPlan>();
  let refusal: GatewayError | undefined;
  for (const mapping of route) {
    const plan = planMapping(options, mapping);
    if (plan instanceof GatewayError) refusal ??= plan;
    else plans.set(mapping, plan);
  }
  if (plans.size === 0 && refusal) throw refusal;
  trip.set({ toolPlans: plans });
  return select(route, (mapping) => plans.has(mapping));
}

function usesAlways({ hostedTools }: Mapping): boolean {
  return hostedTools?.some(({ always }) => always) === true;
}

function planMapping(
  { request, requested, allowUnpriced }: ToolPlanOptions,
  mapping: Mapping,
): ToolPlan | GatewayError {
  const sent = listSentTools(requested, request, mapping.format);
  const tools: PricedTool[] = listAlways(sent, mapping);
  const dropped = new Set<string>();
  for (const tool of sent) {
    const entry = findHostedTool(mapping.hostedTools, tool.tool);
    const problem = findProblem(tool, entry, mapping);
    if (entry && !problem) tools.push({ ...tool, entry, exactEntry: findExact(tool, mapping) });
    else if (problem && entry?.refused !== undefined) return problem;
    else if (allowUnpriced) continue;
    else if (canDoWithout(tool, request)) dropped.add(tool.tool);
    else if (problem) return problem;
  }
  return createToolPlan({ request, tools, dropped });
}

function findExact({ exact }: RequestedTool, { hostedTools }: Mapping): HostedTool | undefined {
  return exact === undefined ? undefined : findHostedTool(hostedTools, exact);
}

/** Tools that a model uses in every request, requested or not. */
function listAlways(sent: readonly RequestedTool[], { hostedTools = [] }: Mapping): PricedTool[] {
  return hostedTools
    .filter(({ always, tool }) => always && !sent.some((requested) => requested.tool === tool))
    .map((entry) => ({
      tool: entry.tool,
      type: entry.tool,
      answers: ['web_search', entry.tool],
      param: entry.tool,
      isDispensable: false,
      entry,
    }));
}

/**
 * Agents offer a web search to every model alongside their own tools; it is only required if forced or if it is the only
 * tool.
 */
function canDoWithout(
  { isDispensable, type }: RequestedTool,
  { tools, toolChoice }: CanonicalRequest,
): boolean {
  if (!isDispensable || tools.every((tool) => tool.type === 'native')) return false;
  return toolChoice?.type !== 'native' || toolChoice.value['type'] !== type;
}

function findProblem(
  { tool, kind, param }: RequestedTool,
  entry: HostedTool | undefined,
  { modelId, providerId }: Mapping,
): GatewayError | undefined {
  const place = `at ${providerId} for ${quote(modelId)}`;
  if (entry?.refused !== undefined)
    return new GatewayError('unsupported_feature', `the tool ${tool} is refused ${place}: ${entry.refused}`, {
      param,
    });
  if (entry && (entry.per === 'tokens' || findToolKind(entry, kind) !== undefined)) return undefined;
  const what = entry && kind !== undefined ? `${tool} (${kind})` : tool;
  return new GatewayError(
    'unpriced_option',
    `the tool ${what} has no known price ${place}; the operator can set one with hostedTools of the provider or model in sluice.yaml, or set allowUnpriced`,
    { param },
  );
}
