import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Mapping } from '#catalogue';
import type { AnswerSink, Provider, UpstreamRequest } from '#providers';
import { NO_BILL } from '../../request/trip.ts';
import type { Ports } from '../../request/ports.ts';
import { createTrip } from '../../../../test/support/create-trip.ts';
import type { DispatchTools, ExpectedAnswer } from './dispatch.ts';
import { SingleAttempt } from './single-attempt.ts';

const REQUEST: UpstreamRequest = { path: '/x', headers: {}, body: Buffer.from('{}') };
const TIMED_OUT = { kind: 'timed-out', message: 'silent' } as const;

/** An attempt whose request is printed when the test says so. */
class LateAttempt extends SingleAttempt<object> {
  readonly printed = Promise.withResolvers<UpstreamRequest>();
  readonly meter = {
    hasDelivered: false,
    bill: NO_BILL,
    finish: undefined,
    send: () => undefined,
    leave: () => undefined,
    stop: () => undefined,
  };

  protected open(): object {
    return {};
  }

  protected print(): Promise<UpstreamRequest> {
    return this.printed.promise;
  }

  protected expectAnswer(): ExpectedAnswer {
    return { awaited: 'event', isStream: true };
  }

  protected createReader(): AnswerSink & { status: number } {
    return { status: 0 } as AnswerSink & { status: number };
  }

  protected cut(): void {
    assert.fail('nothing was sent to the caller');
  }
}

test('a provider that was not called yet is not given up: its caller would be left without an answer', async () => {
  const sent = Promise.withResolvers<UpstreamRequest>();
  const transport = {
    send: (request: UpstreamRequest) => {
      sent.resolve(request);
      return { abort: () => undefined };
    },
  };
  const timeouts = { firstEventMs: 60_000, totalMs: 60_000 };
  const ports = {
    clock: { monotonicMs: () => 0 },
    live: () => ({ timeouts }),
    unattended: { remove: () => undefined },
  };
  const tools = {
    ports: ports as unknown as Ports,
    trip: createTrip(),
  } as DispatchTools;
  const attempt = new LateAttempt(tools, {
    mapping: {} as Mapping,
    provider: { id: 'p', transport, redact: (text: string) => text } as unknown as Provider,
    listener: { onBegin: () => undefined, onSpeed: () => undefined },
  });
  const ending = attempt.run();
  attempt.giveUp(TIMED_OUT);
  attempt.printed.resolve(REQUEST);
  await Promise.race([sent.promise, ending]);
  attempt.giveUp(TIMED_OUT);
  const { type } = await ending;
  assert.equal(type, 'failed');
});
