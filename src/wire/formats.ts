import type { ClientFormatId, FormatId } from '#canonical';
import type { InboundFormat, OutboundFormat } from './contract.ts';
import { inCallersWords } from './caller-words.ts';
import { chatInbound, chatOutbound, refusingChatOnly } from './chat/index.ts';
import { converseOutbound } from './converse/index.ts';
import { withCustomTools } from './custom-tools.ts';
import { geminiInbound, geminiOutbound, refusingGeminiOnly } from './gemini/index.ts';
import { withoutHostedTools } from './hosted-tools.ts';
import { messagesInbound, messagesOutbound } from './messages/index.ts';
import { responsesInbound, responsesOutbound } from './responses/index.ts';
import { withStopSequences } from './stop-sequences.ts';

const INBOUND: Partial<Record<ClientFormatId, InboundFormat>> = {
  chat: chatInbound,
  gemini: geminiInbound,
  messages: messagesInbound,
  responses: responsesInbound,
};

const OUTBOUND: Partial<Record<FormatId, OutboundFormat>> = {
  chat: inCallersWords(
    refusingGeminiOnly(withStopSequences(withCustomTools(withoutHostedTools(chatOutbound)))),
  ),
  converse: inCallersWords(
    refusingChatOnly(refusingGeminiOnly(withCustomTools(withoutHostedTools(converseOutbound)))),
  ),
  gemini: inCallersWords(refusingChatOnly(withCustomTools(withoutHostedTools(geminiOutbound)))),
  messages: inCallersWords(
    refusingChatOnly(refusingGeminiOnly(withCustomTools(withoutHostedTools(messagesOutbound)))),
  ),
  responses: inCallersWords(refusingGeminiOnly(withStopSequences(withCustomTools(responsesOutbound)))),
};

export function getInboundFormat(id: ClientFormatId): InboundFormat {
  return found(id, INBOUND[id]);
}

export function getOutboundFormat(id: FormatId): OutboundFormat {
  return found(id, OUTBOUND[id]);
}

function found<Format>(id: FormatId, format: Format | undefined): Format {
  if (!format) throw new Error(`the format ${id} is not built`);
  return format;
}
