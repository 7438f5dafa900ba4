import type { CanonicalRequest, Dialect, Target } from '#canonical';
import { ToolIds } from '../tools/tool-ids.ts';
import { type AnswerNames, type NameRule, SAME_NAMES, ToolNames } from '../tools/tool-names.ts';

/** State shared while a request is encoded for one upstream; the tables are created on first use. */
export class EncodeContext {
  readonly request: CanonicalRequest;
  readonly target: Target;
  readonly #nameRule: NameRule | undefined;
  #names: ToolNames | undefined;
  #ids: ToolIds | undefined;

  constructor(request: CanonicalRequest, target: Target, nameRule?: NameRule) {
    this.request = request;
    this.target = target;
    this.#nameRule = nameRule;
  }

  get dialect(): Dialect {
    return this.target.dialect;
  }

  /** Offered tools come before those of the history, so that they keep their names on a collision. */
  get names(): ToolNames {
    if (this.#names) return this.#names;
    this.#names = new ToolNames(this.dialect.maxToolName, this.#nameRule);
    for (const { name } of this.request.tools) if (name !== undefined) this.#names.encode(name);
    return this.#names;
  }

  /** Complete once the request is encoded; separate, so that an answer does not keep its prompt in memory. */
  get answerNames(): AnswerNames {
    return this.#names ?? SAME_NAMES;
  }

  get ids(): ToolIds {
    return (this.#ids ??= new ToolIds(this.dialect.toolCallId));
  }
}
