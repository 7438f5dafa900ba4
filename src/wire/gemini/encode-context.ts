import type { CanonicalRequest, Dialect, Target } from '#canonical';
import { ToolIds } from '../tool-ids.ts';
import { ToolNames } from '../tool-names.ts';
import { GEMINI_NAMES } from './tool-names.ts';

/** What the parts of one request share while it is written for one upstream. */
export interface EncodeContext {
  request: CanonicalRequest;
  target: Target;
  dialect: Dialect;
  names: ToolNames;
  ids: ToolIds;
}

/** The names of tools come before those of history, so that a tool keeps its name where only one of two can. */
export function createEncodeContext(request: CanonicalRequest, target: Target): EncodeContext {
  const { dialect } = target;
  const names = new ToolNames(dialect.maxToolName, GEMINI_NAMES);
  for (const tool of request.tools) if (tool.name !== undefined) names.encode(tool.name);
  return { request, target, dialect, names, ids: new ToolIds(dialect.toolCallId) };
}
