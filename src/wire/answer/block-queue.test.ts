import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { GenerationEvent } from '#canonical';
import { BlockQueue } from './block-queue.ts';

function describe(event: GenerationEvent): string {
  if (event.type === 'block-delta') return `${event.index} ${event.text}`;
  return 'index' in event ? `${event.index} ${event.type}` : event.type;
}

test('lanes that grow side by side leave the queue one after the other', () => {
  const queue = new BlockQueue();
  const [first, second] = [queue.addLane(), queue.addLane()];
  second.open({ type: 'text', text: '' });
  second.addText('later');
  first.open({ type: 'text', text: '' });
  first.addText('at once');
  assert.deepEqual(queue.drain().map(describe), ['0 block-start', '0 at once']);
  second.finish();
  assert.deepEqual(queue.drain(), []);
  first.finish();
  assert.deepEqual(queue.drain().map(describe), ['0 block-end', '1 block-start', '1 later', '1 block-end']);
});

test('a lane that never opened a block takes no index', () => {
  const queue = new BlockQueue();
  const [silent, speaking] = [queue.addLane(), queue.addLane()];
  speaking.put({ type: 'text', text: 'words' });
  silent.finish();
  assert.deepEqual(queue.drain().map(describe), ['0 block-start', '0 block-end']);
});

test('opening a block closes the one before it in its lane', () => {
  const queue = new BlockQueue();
  const lane = queue.addLane();
  lane.open({ type: 'reasoning', text: '' });
  lane.open({ type: 'text', text: '' });
  assert.equal(lane.openType, 'text');
  assert.deepEqual(queue.drain().map(describe), ['0 block-start', '0 block-end', '1 block-start']);
});
