import type { TestEvent } from 'node:test/reporters';

/** One line for each suite that is over: its name, and whether it passed. */
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of events) {
    if ((type === 'test:pass' || type === 'test:fail') && data.nesting === 0) yield `${data.name} ${type}\n`;
  }
}
