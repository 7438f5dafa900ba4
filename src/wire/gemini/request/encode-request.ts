import type { Block } from '#canonical';
import { listInstructions } from '../../request/instructions.ts';
import { refusePrefill } from '../../errors/refuse-feature.ts';
import type { EncodeContext } from '../../request/encode-context.ts';
import { encodeGenerationConfig, findInstruction } from './encode-generation-config.ts';
import { encodeTurns } from './encode-turns.ts';
import { encodeToolConfig, encodeTools } from './encode-tools.ts';
import type { GeminiBody, GeminiPart } from '../schema.ts';
import type { Members } from '../../body/unchecked.ts';
import { translateTier } from '../../request/processing-tier.ts';

/** Encodes another format's request as a `generateContent` body. */
export function encodeRequest(context: EncodeContext): Members<GeminiBody> {
  const { request, target, dialect } = context;
  const isPrefilled = request.turns.findLast((turn) => turn.blocks.length > 0)?.role === 'assistant';
  if (isPrefilled && !dialect.prefill) {
    refusePrefill();
  }
  const body: Members<GeminiBody> = { contents: encodeTurns(request.turns, context) };
  const system = encodeSystem(request.system, findInstruction(request.output, target));
  if (system.length > 0) body.systemInstruction = { parts: system };
  const tools = encodeTools(context);
  if (tools.length > 0) body.tools = tools;
  const hasFunctions = tools.some((tool) => tool.functionDeclarations !== undefined);
  const config = request.toolChoice && hasFunctions && encodeToolConfig(request.toolChoice, context);
  if (config) body.toolConfig = config;
  const generation = encodeGenerationConfig(request, target);
  if (Object.keys(generation).length > 0) body.generationConfig = generation;
  const tier = translateTier(request, 'gemini');
  if (tier !== undefined) body.serviceTier = tier;
  return body;
}

function encodeSystem(system: readonly Block[], instruction: string | undefined): Members<GeminiPart>[] {
  const texts = listInstructions(system).map((block) => block.text);
  if (instruction !== undefined) texts.push(instruction);
  return texts.filter((text) => text !== '').map((text) => ({ text }));
}
