import type { Logs, LogRow, Payloads } from '#logs';
import type { GatewayClient } from '#providers';
import type { ReplayOutcome } from './ask-gateway.ts';
import type {
  LoggedAnswer,
  ComparedRequest,
  EarlyEnd,
  FailedRequest,
  ReplayProgress,
  UnsentRequest,
} from './report.ts';
import type { ReplayCandidate } from './select-requests.ts';
import { formatUsd } from '#base';
import { outputTokensOf } from '#canonical';
import { askGateway } from './ask-gateway.ts';
import { compareAnswers, diffAnswers } from './compare-answers.ts';
import { composeReplay } from './compose-replay.ts';
import { decodeAnswer } from '../payloads/decode-answer.ts';
import { type KeptRequest, readKeptRequest } from './read-kept-request.ts';

interface RunPorts {
  client: GatewayClient;
  logs: Pick<Logs, 'find'>;
  payloads: Pick<Payloads, 'find'>;
  signal: AbortSignal;
  onProgress(progress: ReplayProgress): void;
}

interface RunTerms {
  replayId: string;
  model: string;
  apiKey: string;
  concurrency: number;
  hasDiffs: boolean;
}

/** Refusals that every other request would get too. */
const GENERAL_REFUSALS: ReadonlySet<string> = new Set([
  'model_not_found',
  'model_deactivated',
  'provider_not_configured',
  'unpriced_model',
  'wrong_operation',
]);

/** Sends requests to a gateway until all are answered, or the budget or the operator ends it. */
export class ReplayRun {
  readonly compared: ComparedRequest[] = [];
  readonly failed: FailedRequest[] = [];
  readonly skipped: UnsentRequest[] = [];
  readonly unsent: UnsentRequest[] = [];
  spent = 0n;
  end: EarlyEnd | undefined;
  readonly #ports: RunPorts;
  readonly #terms: RunTerms;
  readonly #total: number;
  readonly #sequences: ReplayCandidate[][];
  #open = 0;
  /** Resolved when a request under way has released what it held, or the replay ends. */
  #released = Promise.withResolvers<undefined>();

  constructor(ports: RunPorts, terms: RunTerms, candidates: readonly ReplayCandidate[]) {
    this.#ports = ports;
    this.#terms = terms;
    this.#total = candidates.length;
    this.#sequences = toSequences(candidates);
  }

  async run(): Promise<void> {
    const sequences = this.#sequences.values();
    const work = async (): Promise<void> => {
      for (const sequence of sequences) for (const candidate of sequence) await this.#replay(candidate);
    };
    await Promise.all(Array.from({ length: this.#terms.concurrency }, work));
  }

  async #replay({ row, providerIds }: ReplayCandidate): Promise<void> {
    const { requestId } = row;
    if (this.#checkEnded()) {
      this.unsent.push({ requestId, reason: this.end?.reason ?? 'interrupted' });
      return;
    }
    const kept = readKeptRequest(row, await this.#ports.payloads.find(requestId, 'all'));
    if ('reason' in kept) {
      this.skipped.push({ requestId, reason: kept.reason });
      return;
    }
    const asked = await this.#ask(kept, providerIds);
    this.#record(kept, asked);
    const done = this.compared.length + this.failed.length;
    this.#ports.onProgress({ done, total: this.#total, spent: this.spent });
  }

  #checkEnded(): boolean {
    if (this.#ports.signal.aborted) this.#endBy('interrupted', 'interrupted');
    return this.end !== undefined;
  }

  /** A request that only lacks what others hold is sent again when one of them has ended. */
  async #ask(kept: KeptRequest, providerIds: readonly string[]): Promise<ReplayOutcome> {
    const request = composeReplay(kept, { ...this.#terms, providerIds });
    for (;;) {
      this.#open += 1;
      const asked = await askGateway(this.#ports, request).finally(() => (this.#open -= 1));
      if (asked.kind !== 'unaffordable') this.#release();
      if (asked.kind !== 'unaffordable' || this.#open === 0 || this.#checkEnded()) return asked;
      await this.#released.promise;
      if (this.#checkEnded()) return asked;
    }
  }

  #release(): void {
    this.#released.resolve(undefined);
    this.#released = Promise.withResolvers<undefined>();
  }

  #record(kept: KeptRequest, asked: ReplayOutcome): void {
    const { requestId } = kept.row;
    const leave = (reason: EarlyEnd['reason'], message: string): void => {
      this.#endBy(reason, message);
      this.unsent.push({ requestId, reason });
    };
    switch (asked.kind) {
      case 'answered':
        this.#compare(kept, asked);
        break;
      case 'cut':
        this.#fail(kept, {
          ...asked,
          code: asked.row.errorCode ?? '',
          message: 'the budget ended the answer',
        });
        this.#endBy('budget', asked.row.errorMessage ?? '');
        break;
      case 'failed':
        this.#fail(kept, asked);
        if (GENERAL_REFUSALS.has(asked.code)) this.#endBy('refused', asked.message);
        break;
      case 'unaffordable':
        leave('budget', asked.message);
        break;
      case 'unreachable':
        leave('unreachable', asked.message);
        break;
      case 'interrupted':
        leave('interrupted', 'interrupted');
    }
  }

  #endBy(reason: EarlyEnd['reason'], message: string): void {
    this.end ??= { reason, message };
    this.#release();
  }

  #compare(kept: KeptRequest, asked: ReplayOutcome & { kind: 'answered' }): void {
    const { row } = asked;
    const answer = decodeAnswer(kept.format, asked);
    if (!answer) {
      this.#fail(kept, { code: 'unreadable', message: 'its new answer is not readable', row });
      return;
    }
    const [was, now] = [toSide(kept.row), toSide(row)];
    const names = { was: describe(was), now: describe(now) };
    this.spent += BigInt(row.customer);
    this.compared.push({
      was,
      now,
      ...compareAnswers(kept.answer, answer),
      ...(this.#terms.hasDiffs && { diff: diffAnswers(kept.answer, answer, names) }),
    });
  }

  #fail({ row: { requestId } }: KeptRequest, failure: Failure): void {
    const { code, message, row } = failure;
    const cost = BigInt(row?.provider ?? 0);
    this.spent += BigInt(row?.customer ?? 0);
    this.failed.push({ requestId, ...(row && { replayId: row.requestId }), code, message, cost });
  }
}

interface Failure {
  code: string;
  message: string;
  row: LogRow | undefined;
}

/**
 * The requests of one agent of a session, in their order: sent one after another, each finds in the provider's cache
 * what the one before has put there, as its original did.
 */
function toSequences(candidates: readonly ReplayCandidate[]): ReplayCandidate[][] {
  const sequences = Map.groupBy(candidates, ({ row: { sessionId, agentId = '', requestId, keyId } }) =>
    sessionId === undefined ? requestId : JSON.stringify([keyId, sessionId, agentId]),
  );
  return [...sequences.values()];
}

function toSide(row: LogRow): LoggedAnswer {
  const { requestId, modelId = row.requestedModel, providerId = '', durationMs, firstEventMs } = row;
  return {
    requestId,
    modelId,
    providerId,
    durationMs,
    finishReason: row.finishReason,
    cost: BigInt(row.provider),
    outputTokens: outputTokensOf(row.usage),
    ...(firstEventMs !== undefined && { firstEventMs }),
  };
}

function describe({ requestId, modelId, providerId, cost }: LoggedAnswer): string {
  return `${requestId} ${providerId}/${modelId} ${formatUsd(cost)} USD`;
}
