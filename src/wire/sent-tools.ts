import type { CanonicalRequest, FormatId, Tool } from '#canonical';
import { FORMAT_FACTS } from './facts.ts';
import type { RequestedTool } from './requested-tools.ts';
import { findBuiltInTool } from './tools/built-in-tools.ts';

/** The tools that remain after translation to a format: encoders drop or refuse the others. */
export function listSentTools(
  requested: readonly RequestedTool[],
  request: CanonicalRequest,
  format: FormatId,
): readonly RequestedTool[] {
  return request.origin.format === format ? requested : translate(requested, request, format);
}

function translate(
  requested: readonly RequestedTool[],
  { origin, tools }: CanonicalRequest,
  format: FormatId,
): RequestedTool[] {
  const rule = FORMAT_FACTS[format].translatedSearch;
  if (rule?.of !== origin.format || (rule.isAlone && tools.some(isDeclared))) return [];
  const search = requested.find(({ tool }) => tool === rule.asked);
  return search ? [rename(search, rule.sent)] : [];
}

function rename(requested: RequestedTool, tool: string): RequestedTool {
  const renamed = { ...requested, tool, type: tool, answers: [tool] };
  delete renamed.kind;
  return renamed;
}

/** Whether a tool becomes a function. */
function isDeclared(tool: Tool): boolean {
  if (tool.type !== 'native') return tool.type === 'function';
  try {
    return findBuiltInTool(tool) !== undefined;
  } catch {
    return true; // the encoder refuses it by name
  }
}
