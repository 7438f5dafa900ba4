import type { ClientFormatId, FormatId } from '#canonical';
import type { InboundFormat, OutboundFormat } from './contract.ts';
import { chatInbound, chatOutbound } from './chat/index.ts';
import { withCustomTools } from './custom-tools.ts';
import { messagesInbound, messagesOutbound } from './messages/index.ts';

const INBOUND: Partial<Record<ClientFormatId, InboundFormat>> = {
  chat: chatInbound,
  messages: messagesInbound,
};

const OUTBOUND: Partial<Record<FormatId, OutboundFormat>> = {
  chat: withCustomTools(chatOutbound),
  messages: withCustomTools(messagesOutbound),
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
