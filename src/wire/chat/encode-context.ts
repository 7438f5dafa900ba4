import type { CanonicalRequest, Dialect } from '#canonical';
import { ToolIds } from '../tool-ids.ts';
import { ToolNames } from '../tool-names.ts';

/** What the parts of one request share while it is written for one upstream; a request sent as it came needs no tables. */
export class EncodeContext {
  readonly request: CanonicalRequest;
  readonly dialect: Dialect;
  #names: ToolNames | undefined;
  #ids: ToolIds | undefined;

  constructor(request: CanonicalRequest, dialect: Dialect) {
    this.request = request;
    this.dialect = dialect;
  }

  /** The names of tools come before those of history, so that a tool keeps its name where only one of two can. */
  get names(): ToolNames {
    if (this.#names) return this.#names;
    this.#names = new ToolNames(this.dialect.maxToolName);
    for (const { name } of this.request.tools) if (name !== undefined) this.#names.encode(name);
    return this.#names;
  }

  get ids(): ToolIds {
    return (this.#ids ??= new ToolIds(this.dialect.toolCallId));
  }
}
