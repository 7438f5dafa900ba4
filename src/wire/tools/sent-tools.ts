import type { CanonicalRequest, FormatId, Tool } from '#canonical';
import { type RequestedTool, SEARCH_FIELD } from './requested-tools.ts';
import { findBuiltInTool } from './built-in-tools.ts';

/** The tools that remain after translation to a format: encoders drop or refuse the others. */
export function listSentTools(
  requested: readonly RequestedTool[],
  request: CanonicalRequest,
  format: FormatId,
): readonly RequestedTool[] {
  return request.origin.format === format ? requested : TRANSLATED[format](requested, request);
}

type ToolTranslation = (
  requested: readonly RequestedTool[],
  request: CanonicalRequest,
) => readonly RequestedTool[];

const NO_TOOLS: ToolTranslation = () => [];
/** How encoders translate the hosted tools of other formats. */
const TRANSLATED: Readonly<Record<FormatId, ToolTranslation>> = {
  chat: NO_TOOLS,
  messages: NO_TOOLS,
  responses: (requested) =>
    requested.filter(({ tool }) => tool === SEARCH_FIELD).map((search) => rename(search, 'web_search')),
  gemini: toGoogleSearch,
  converse: NO_TOOLS,
};

function toGoogleSearch(requested: readonly RequestedTool[], request: CanonicalRequest): RequestedTool[] {
  if (request.origin.format !== 'messages' || request.tools.some(isDeclared)) return [];
  const search = requested.find(({ tool }) => tool === 'web_search');
  return search ? [rename(search, 'google_search')] : [];
}

function rename(requested: RequestedTool, tool: string): RequestedTool {
  const renamed = { ...requested, tool, type: tool, answers: [tool] };
  delete renamed.kind;
  return renamed;
}

/** Whether a tool becomes a function; Google refuses its search together with functions. */
function isDeclared(tool: Tool): boolean {
  if (tool.type !== 'native') return tool.type === 'function';
  try {
    return findBuiltInTool(tool) !== undefined;
  } catch {
    return true; // the encoder refuses it by name
  }
}
