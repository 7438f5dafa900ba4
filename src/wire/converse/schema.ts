import type { JsonSchema } from '../body/json-schema.ts';

// The only description of the format. No client uses it, so no OpenAPI document contains it and types suffice.

/** The body of `Converse` and `ConverseStream`. */
export interface ConverseBody {
  system: ConverseBlock[];
  messages: ConverseMessage[];
  toolConfig: { tools: ConverseTool[]; toolChoice: ConverseToolChoice };
  inferenceConfig: ConverseInference;
  additionalModelRequestFields: ConverseModelFields;
  outputConfig: { textFormat: { type: string; structure: { jsonSchema: ConverseJsonSchema } } };
}

export interface ConverseMessage {
  role: string;
  content: ConverseBlock[];
}

export interface ConverseInference {
  maxTokens: number;
  temperature: number;
  topP: number;
  stopSequences: string[];
}

/** The model's own options: Claude's in the Messages format, Nova's and those of other models. */
export interface ConverseModelFields {
  top_k: number;
  thinking: { type: string; budget_tokens: number };
  output_config: { effort: string };
  reasoning_effort: string;
  reasoningConfig: { type: string; maxReasoningEffort: string };
}

export interface ConverseJsonSchema {
  name: string;
  description: string;
  /** JSON text. */
  schema: string;
}

/** A block of a message or the instructions; it has one of these members. */
export interface ConverseBlock {
  text: string;
  image: { format: ConverseImageFormat; source: { bytes: string } };
  document: { format: ConverseDocumentFormat; name: string; source: { bytes: string } };
  toolUse: ConverseCall;
  toolResult: { toolUseId: string; content: ConverseBlock[]; status: string };
  reasoningContent: ConverseReasoning;
  citationsContent: ConverseCited;
  cachePoint: { type: string; ttl: string };
}

export type ConverseImageFormat = 'png' | 'jpeg' | 'gif' | 'webp';
export type ConverseDocumentFormat = 'pdf' | 'csv' | 'doc' | 'docx' | 'xls' | 'xlsx' | 'html' | 'txt' | 'md';

export interface ConverseCall {
  toolUseId: string;
  name: string;
  input: object;
}

export interface ConverseReasoning {
  reasoningText: { text: string; signature: string };
  redactedContent: string;
}

export interface ConverseCited {
  content: { text: string }[];
  citations: object[];
}

export interface ConverseTool {
  toolSpec: ConverseToolSpec;
  cachePoint: ConverseBlock['cachePoint'];
}

export interface ConverseToolSpec {
  name: string;
  description: string;
  inputSchema: { json: JsonSchema };
  strict: boolean;
}

export interface ConverseToolChoice {
  auto: object;
  any: object;
  tool: { name: string };
}
