import type { CanonicalRequest, FormatId, Tool } from '#canonical';
import { type AskedTool, SEARCH_FIELD } from './asked-tools.ts';
import { findBuiltInTool } from './built-in-tools.ts';

/** The tools that remain after translation to a format: encoders drop or refuse the others. */
export function listSentTools(
  asked: readonly AskedTool[],
  request: CanonicalRequest,
  format: FormatId,
): readonly AskedTool[] {
  return request.origin.format === format ? asked : TRANSLATED[format](asked, request);
}

type ToolTranslation = (asked: readonly AskedTool[], request: CanonicalRequest) => readonly AskedTool[];

const NO_TOOLS: ToolTranslation = () => [];
/** How encoders translate the hosted tools of other formats. */
const TRANSLATED: Readonly<Record<FormatId, ToolTranslation>> = {
  chat: NO_TOOLS,
  messages: NO_TOOLS,
  responses: (asked) =>
    asked.filter(({ tool }) => tool === SEARCH_FIELD).map((search) => rename(search, 'web_search')),
  gemini: toGoogleSearch,
  converse: NO_TOOLS,
};

function toGoogleSearch(asked: readonly AskedTool[], request: CanonicalRequest): AskedTool[] {
  if (request.origin.format !== 'messages' || request.tools.some(isDeclared)) return [];
  const search = asked.find(({ tool }) => tool === 'web_search');
  return search ? [rename(search, 'google_search')] : [];
}

function rename(asked: AskedTool, tool: string): AskedTool {
  const renamed = { ...asked, tool, type: tool, answers: [tool] };
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
