import type { ToolChoice } from '#canonical';
import type { EncodeContext } from './encode-context.ts';

/** What differs between the tool choices of the OpenAI formats. */
interface ChoiceFormat<Choice> {
  /** The choice of a tool by its encoded name; `auto` if that tool is not sent. */
  nameTool(name: string): Choice | 'auto';
  encodeNative(choice: ToolChoice & { type: 'native' }): Choice | undefined;
}

/** Encodes the choice among the tools sent for an OpenAI format; an unsupported choice becomes `auto`. */
export function encodeOpenaiChoice<Choice>(
  choice: ToolChoice,
  { dialect, names }: EncodeContext,
  { nameTool, encodeNative }: ChoiceFormat<Choice>,
): Choice | 'auto' | 'none' | 'required' | undefined {
  const canForce = dialect.forcedToolChoice;
  switch (choice.type) {
    case 'auto':
    case 'none':
      return choice.type;
    case 'any':
      return canForce ? 'required' : 'auto';
    case 'tool':
      return canForce ? nameTool(names.encode(choice.name)) : 'auto';
    case 'native':
      return encodeNative(choice);
  }
}
