import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import type { ClientFormatId } from '#canonical';

/** The address of an official SDK's request, and a text that selects the recorded answer. */
interface SdkAddress {
  url: string;
  apiKey: string;
  model: string;
  marker: string;
  /** Replaces the network. */
  fetch?: typeof fetch;
}

/** What an official SDK returns to its user: events of a stream or one body, and the error it threw, if any. */
export interface SdkView {
  events: unknown[];
  /** What the SDK accumulated from the stream, if it does. */
  final?: unknown;
  error?: string;
}

/** Requests one recorded answer with the official SDK of its format. */
export async function viewAnswer(
  format: SdkFormat,
  kind: 'stream' | 'body',
  address: SdkAddress,
): Promise<SdkView> {
  const view: SdkView = { events: [] };
  try {
    await VIEWERS[format](kind, address, view);
  } catch (thrown) {
    view.error = thrown instanceof Error ? `${thrown.constructor.name}: ${thrown.message}` : String(thrown);
  }
  return JSON.parse(JSON.stringify(view)) as SdkView;
}

type Viewer = (kind: 'stream' | 'body', address: SdkAddress, view: SdkView) => Promise<void>;

const VIEWERS = {
  messages: viewMessages,
  chat: viewChat,
  responses: viewResponses,
  gemini: viewGemini,
} as const satisfies Partial<Record<ClientFormatId, Viewer>>;

/** The formats that have an official SDK. */
export type SdkFormat = keyof typeof VIEWERS;
export const SDK_FORMATS = Object.keys(VIEWERS) as SdkFormat[];

async function viewMessages(kind: 'stream' | 'body', address: SdkAddress, view: SdkView): Promise<void> {
  const { url, apiKey, model, marker, fetch } = address;
  const client = new Anthropic({ baseURL: url, apiKey, maxRetries: 0, ...(fetch && { fetch }) });
  const body = { model, max_tokens: 1000, messages: [{ role: 'user' as const, content: marker }] };
  if (kind === 'body') {
    view.events.push(await client.beta.messages.create(body));
    return;
  }
  const stream = client.beta.messages.stream(body);
  stream.on('streamEvent', (event) => void view.events.push(structuredClone(event)));
  view.final = await stream.finalMessage();
}

async function viewChat(kind: 'stream' | 'body', address: SdkAddress, view: SdkView): Promise<void> {
  const client = createOpenAi(address);
  const body = { model: address.model, messages: [{ role: 'user' as const, content: address.marker }] };
  if (kind === 'body') {
    view.events.push(await client.chat.completions.create(body));
    return;
  }
  const options = { stream: true, stream_options: { include_usage: true } } as const;
  for await (const chunk of await client.chat.completions.create({ ...body, ...options }))
    view.events.push(chunk);
}

async function viewResponses(kind: 'stream' | 'body', address: SdkAddress, view: SdkView): Promise<void> {
  const client = createOpenAi(address);
  const body = { model: address.model, input: address.marker };
  if (kind === 'body') {
    view.events.push(await client.responses.create(body));
    return;
  }
  for await (const event of await client.responses.create({ ...body, stream: true })) view.events.push(event);
}

function createOpenAi({ url, apiKey, fetch }: SdkAddress): OpenAI {
  return new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0, ...(fetch && { fetch }) });
}

async function viewGemini(kind: 'stream' | 'body', address: SdkAddress, view: SdkView): Promise<void> {
  const { url, apiKey, model, marker } = address;
  const client = new GoogleGenAI({ apiKey, httpOptions: { baseUrl: url } });
  const request = { model, contents: marker, config: { thinkingConfig: { includeThoughts: true } } };
  if (kind === 'body') {
    view.events.push(await client.models.generateContent(request));
    return;
  }
  for await (const chunk of await client.models.generateContentStream(request)) view.events.push(chunk);
}
