import type { JsonObject } from '#base';
import type { GenerationEvent, GenerationResult } from '#canonical';
import type { ReplyContext, StreamEncoder } from '#wire';
import type { Arrival } from '../request/arrival.ts';
import type { GatewayError } from '#errors';
import { formatSse, isSmallJson, printJsonSlowly } from '#base';
import { Collector } from '#canonical';
import { inTurns } from '../request/step-scheduler.ts';
import { ReplyWriter } from './reply-writer.ts';
import { sendError } from './send-error.ts';

const PING_AFTER_MS = 10_000;
const STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
};
const JSON_TYPE = 'application/json';

/** The pace of the caller. */
export interface CallerPace {
  /** Whether the caller accepts more; if not, `onReady` runs once it does. */
  readonly isReady: boolean;
  onReady(run: () => void): void;
}

/** Where the events of an answer go. */
export interface EventSink extends CallerPace {
  /** Writes the events of one read, which belong to one of the requested choices. */
  push(events: readonly GenerationEvent[], choice?: number): void;
}

/** The end of an answer: its last group is withheld until `finish`, because the bill is settled first. */
export interface AnswerEnd {
  /** Whether anything was sent, so that the answer can only be continued. */
  readonly hasBegun: boolean;
  /** Prints an answer that takes long to print, in turn with other long work; before it is finished. */
  print?(): Promise<void> | undefined;
  /** Sends the withheld rest and ends the answer. */
  finish(): void;
  /** Ends with an error in place of the withheld rest. */
  fail(error: GatewayError): void;
  /** Ends without an answer because the caller has disconnected. */
  stop(): void;
  /** The whole answer with its withheld end, for the response cache; only complete if a transcript was requested. */
  readonly transcript: { contentType: string; body: string };
}

/** Writes one generation to the caller. */
export type Delivery = EventSink & AnswerEnd;

interface DeliveryOptions {
  /** Headers of a successful answer, created when it begins. */
  createHeaders(): Record<string, string>;
  keepTranscript: boolean;
}

/** Creates the requested delivery: a stream of events or one JSON body. */
export function createDelivery(arrival: Arrival, context: ReplyContext, options: DeliveryOptions): Delivery {
  return context.request.stream
    ? new StreamDelivery(arrival, context, options)
    : new JsonDelivery(arrival, context, options);
}

class JsonDelivery implements Delivery {
  readonly isReady = true;
  readonly hasBegun = false;
  readonly #arrival: Arrival;
  readonly #context: ReplyContext;
  readonly #options: DeliveryOptions;
  readonly #collectors: Collector[] = [];
  #body: string | Buffer = '';
  /** An answer that takes long to print. */
  #long: JsonObject | undefined;

  constructor(arrival: Arrival, context: ReplyContext, options: DeliveryOptions) {
    this.#arrival = arrival;
    this.#context = context;
    this.#options = options;
    while (this.#collectors.length < context.request.choices) this.#collectors.push(new Collector());
  }

  push(events: readonly GenerationEvent[], choice = 0): void {
    const collector = this.#collectors[choice];
    for (const event of events) collector?.push(event);
    if (!collector?.isComplete || !this.#collectors.every(({ isComplete }) => isComplete)) return;
    this.#keep(this.#encode(collector.result));
    this.#collectors.length = 0; // only what is printed waits for the settlement
  }

  #keep(answer: JsonObject): void {
    if (isSmallJson(answer)) this.#body = JSON.stringify(answer);
    else this.#long = answer;
  }

  print(): Promise<void> | undefined {
    return this.#long && this.#printSlowly(this.#long);
  }

  async #printSlowly(long: JsonObject): Promise<void> {
    this.#body = await inTurns(this.#arrival.tenant ?? '', printJsonSlowly(long, undefined));
    this.#long = undefined;
  }

  #encode(last: GenerationResult): JsonObject {
    const { format } = this.#arrival;
    if (this.#collectors.length === 1 || !format.encodeChoices)
      return format.encodeResult(last, this.#context);
    const results = this.#collectors.map(({ result }) => result);
    return format.encodeChoices(results, last.usage, this.#context);
  }

  onReady(): void {
    // A JSON answer is buffered; the caller's pace does not matter until it is sent.
  }

  finish(): void {
    const headers = this.#options.createHeaders();
    headers['content-type'] = JSON_TYPE;
    this.#arrival.reply.send(200, headers, this.#body);
  }

  fail(error: GatewayError): void {
    sendError(this.#arrival.reply, this.#arrival.format, { error, requestId: this.#arrival.requestId });
  }

  stop(): void {
    // Nothing was sent yet.
  }

  get transcript(): { contentType: string; body: string } {
    return { contentType: JSON_TYPE, body: String(this.#body) };
  }
}

class StreamDelivery implements Delivery {
  readonly #arrival: Arrival;
  readonly #context: ReplyContext;
  readonly #encoders: StreamEncoder[];
  readonly #options: DeliveryOptions;
  #open: number;
  readonly #writer: ReplyWriter;
  #begun = false;
  #withheld = '';
  #transcript = '';
  #pinger: NodeJS.Timeout | undefined;

  constructor(arrival: Arrival, context: ReplyContext, options: DeliveryOptions) {
    this.#arrival = arrival;
    this.#context = context;
    this.#options = options;
    this.#open = context.request.choices;
    this.#encoders = Array.from({ length: this.#open }, (_, index) => this.#createEncoder(index));
    this.#writer = new ReplyWriter(arrival.reply);
  }

  get isReady(): boolean {
    return this.#writer.isReady;
  }

  get hasBegun(): boolean {
    return this.#begun;
  }

  get transcript(): { contentType: string; body: string } {
    return { contentType: STREAM_HEADERS['content-type'], body: this.#transcript + this.#withheld };
  }

  onReady(run: () => void): void {
    this.#writer.onReady(run);
  }

  #createEncoder(index: number): StreamEncoder {
    const { format } = this.#arrival;
    if (this.#context.request.choices === 1) return format.createStreamEncoder(this.#context);
    const choice = { index, isLast: () => this.#open === 0 };
    return format.createStreamEncoder(this.#context, choice);
  }

  push(events: readonly GenerationEvent[], choice = 0): void {
    const encoder = this.#encoders[choice];
    if (!encoder) return;
    let text = '';
    for (const event of events) {
      const isLast = event.type === 'generation-end' || event.type === 'generation-error';
      if (isLast) this.#open -= 1;
      for (const message of encoder.push(event)) {
        if (isLast) this.#withheld += formatSse(message);
        else text += formatSse(message);
      }
    }
    if (!this.#begun) this.#begin();
    if (text !== '') this.#write(text);
  }

  finish(): void {
    this.#stopTimers();
    if (!this.#begun) this.#begin();
    this.#arrival.reply.end(this.#withheld);
  }

  fail(error: GatewayError): void {
    this.#stopTimers();
    if (!this.#begun) {
      sendError(this.#arrival.reply, this.#arrival.format, { error, requestId: this.#arrival.requestId });
      return;
    }
    const failure = { kind: 'broken' as const, message: error.message };
    const frames = this.#createEncoder(0).push({ type: 'generation-error', failure });
    this.#arrival.reply.end(frames.map(formatSse).join(''));
  }

  stop(): void {
    this.#stopTimers();
  }

  #begin(): void {
    this.#begun = true;
    this.#arrival.reply.begin(200, { ...this.#options.createHeaders(), ...STREAM_HEADERS });
    this.#pinger = setInterval(() => this.#ping(), PING_AFTER_MS);
  }

  #write(text: string): void {
    this.#pinger?.refresh();
    if (this.#options.keepTranscript) this.#transcript += text;
    this.#writer.write(text);
  }

  #ping(): void {
    if (this.#arrival.reply.isOver) this.#stopTimers();
    else if (this.isReady && this.#open > 0) this.#arrival.reply.write(this.#encoders[0]?.ping() ?? '');
  }

  #stopTimers(): void {
    clearInterval(this.#pinger);
    this.#writer.stop();
  }
}
