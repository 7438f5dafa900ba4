import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseJsonObject } from '#base';
import { type Block, type GenerationResult, type Usage, createUsage } from '#canonical';
import { collectPayloads, decodeBody } from '../../../test/support/chat-exchange.ts';
import {
  NO_RECORDINGS,
  hasRecordings,
  readRecording,
  readRecordings,
  toMessages,
} from '../../../test/support/recordings.ts';

/** The expected decoding of a recording. */
interface Expectation {
  model: string;
  blocks: [type: string, start: string, end: string][];
  finish: string;
  usage: Partial<Usage>;
}

const NARRATED = 'sonar';

const EXPECTED: Record<string, Expectation> = {
  'openai-chat/openai-text.json': {
    model: 'gpt-4.1-nano-2025-04-14',
    blocks: [['text', '**Holiday Name:** Galaxy Day', 'dream beyond our world.']],
    finish: 'stop',
    usage: { inputUncached: 16, outputText: 363 },
  },
  'openai-chat/openai-text.chunks.txt': {
    model: 'gpt-4.1-nano-2025-04-14',
    blocks: [['text', '**Holiday Name', ' respect.']],
    finish: 'stop',
    usage: { inputUncached: 16, outputText: 300 },
  },
  'deepseek/deepseek-reasoning.json': {
    model: 'deepseek-reasoner',
    blocks: [
      ['reasoning', 'We are asked:', 'So answer is 3.'],
      ['text', 'The word "strawberry" contains', 'before the "y".'],
    ],
    finish: 'stop',
    usage: { inputUncached: 18, outputText: 30, outputReasoning: 315 },
  },
  'deepseek/deepseek-reasoning.chunks.txt': {
    model: 'deepseek-reasoner',
    blocks: [
      ['reasoning', 'We need', ''],
      ['text', '', '.'],
    ],
    finish: 'stop',
    usage: { inputUncached: 18, outputText: 14, outputReasoning: 205 },
  },
  'deepseek/deepseek-tool-call.json': {
    model: 'deepseek-reasoner',
    blocks: [
      ['reasoning', 'The user is asking', 'weather function.'],
      ['tool-call', 'weather', '{"location": "San Francisco"}'],
    ],
    finish: 'tool-calls',
    usage: { inputUncached: 19, inputCacheRead: 320, outputText: 44, outputReasoning: 48 },
  },
  'deepseek/deepseek-tool-call.chunks.txt': {
    model: 'deepseek-reasoner',
    blocks: [
      ['reasoning', 'The user is', ''],
      ['tool-call', 'weather', '{"location": "San Francisco"}'],
    ],
    finish: 'tool-calls',
    usage: { inputUncached: 19, inputCacheRead: 320, outputText: 44, outputReasoning: 39 },
  },
  'groq/groq-reasoning.json': {
    model: 'qwen/qwen3-32b',
    blocks: [
      ['reasoning', 'Okay, so the user', 'the answer should be 3.\n'],
      ['text', 'The word "strawberry"', '**Answer:** 3.'],
    ],
    finish: 'stop',
    usage: { inputUncached: 17, outputText: 79, outputReasoning: 570 },
  },
  'groq/groq-reasoning.chunks.txt': {
    model: 'qwen/qwen3-32b',
    blocks: [
      ['reasoning', 'Okay, let', ''],
      ['text', '', '{3}$'],
    ],
    finish: 'stop',
    usage: { inputUncached: 17, outputText: 144, outputReasoning: 963 },
  },
  'groq/groq-tool-call.json': {
    model: 'llama-3.3-70b-versatile',
    blocks: [['tool-call', 'weather', '{}']],
    finish: 'tool-calls',
    usage: { inputUncached: 218, outputText: 15 },
  },
  'groq/groq-tool-call.chunks.txt': {
    model: 'llama-3.3-70b-versatile',
    blocks: [['tool-call', 'weather', '{}']],
    finish: 'tool-calls',
    usage: { inputUncached: 210, outputText: 15 },
  },
  'mistral/mistral-text.json': {
    model: 'mistral-small-latest',
    blocks: [['text', '**Holiday Name: "World Kindness', 'What would you share? 😊']],
    finish: 'stop',
    usage: { inputUncached: 13, outputText: 434 },
  },
  'mistral/mistral-text.chunks.txt': {
    model: 'mistral-small-latest',
    blocks: [['text', 'Hello, world!', ' This is a test response.']],
    finish: 'stop',
    usage: { inputUncached: 13, outputText: 8 },
  },
  'mistral/mistral-reasoning.json': {
    model: 'magistral-medium-2507',
    blocks: [
      ['reasoning', 'The user is asking for 2+2.', '2+2=4.'],
      ['text', '2 + 2 = 4', '2 + 2 = 4'],
    ],
    finish: 'stop',
    usage: { inputUncached: 10, outputText: 46 },
  },
  'mistral/mistral-reasoning.chunks.txt': {
    model: 'magistral-medium-2507',
    blocks: [
      ['reasoning', 'The user is asking for 2+2.', '2+2=4.'],
      ['text', '2 + 2 = 4', '2 + 2 = 4'],
    ],
    finish: 'stop',
    usage: { inputUncached: 10, outputText: 46 },
  },
  'mistral/mistral-incremental-tool-call.chunks.txt': {
    model: 'zai-glm-5-2',
    blocks: [['tool-call', 'webSearchTool', '{"query": "current Berlin weather"}']],
    finish: 'tool-calls',
    usage: { inputUncached: 43, inputCacheRead: 128, outputText: 14 },
  },
  'alibaba/alibaba-text.json': {
    model: 'qwen3-max',
    blocks: [['text', '## The Festival of Forgotten Things', '']],
    finish: 'stop',
    usage: {},
  },
  'alibaba/alibaba-text.chunks.txt': {
    model: 'qwen3-max',
    blocks: [['text', '## The Festival of Shared', 'We are woven together."*']],
    finish: 'stop',
    usage: { inputUncached: 18, outputText: 779 },
  },
  'alibaba/alibaba-tool-call.json': {
    model: 'qwen3-max',
    blocks: [['tool-call', 'weather', '{"location": "San Francisco"}']],
    finish: 'tool-calls',
    usage: { inputUncached: 295, outputText: 22 },
  },
  'alibaba/alibaba-tool-call.chunks.txt': {
    model: 'qwen3-max',
    blocks: [['tool-call', 'weather', '{"location": "San Francisco"}']],
    finish: 'tool-calls',
    usage: { inputUncached: 295, outputText: 22 },
  },
  'perplexity/perplexity-text.json': {
    model: NARRATED,
    blocks: [['text', '**EcoVista Day** is a new', 'forward-thinking.[5]']],
    finish: 'stop',
    usage: { inputUncached: 11, outputText: 392 },
  },
  'perplexity/perplexity-text.chunks.txt': {
    model: NARRATED,
    blocks: [['text', '**EcoVista Day**', '[1][5]']],
    finish: 'stop',
    usage: { inputUncached: 11, outputText: 434 },
  },
  'openai-compatible/xai-text.json': {
    model: 'grok-3-mini',
    blocks: [
      ['reasoning', 'First, the user said', 'my response will be: Grok'],
      ['text', 'Grok', 'Grok'],
    ],
    finish: 'stop',
    usage: { inputUncached: 10, inputCacheRead: 2, outputText: 2, outputReasoning: 320 },
  },
  'openai-compatible/xai-text.chunks.txt': {
    model: 'grok-3-mini',
    blocks: [
      ['reasoning', 'First, the user', ''],
      ['text', 'Grok', 'Grok'],
    ],
    finish: 'stop',
    usage: { inputUncached: 1, inputCacheRead: 11, outputText: 2, outputReasoning: 340 },
  },
};

const skip = hasRecordings ? false : NO_RECORDINGS;

function decodeRecording(file: string): GenerationResult {
  const recording = readRecording(file);
  if (recording.kind === 'stream') return collectPayloads(toMessages(recording).map(({ data }) => data));
  const body = parseJsonObject(recording.text);
  assert.ok(body);
  return decodeBody(body);
}

function headOf(block: Block): string {
  if (block.type === 'tool-call') return block.name;
  return block.type === 'text' || block.type === 'reasoning' ? block.text : '';
}

function tailOf(block: Block): string {
  return block.type === 'tool-call' && 'json' in block.input ? block.input.json : headOf(block);
}

for (const [file, expected] of Object.entries(EXPECTED)) {
  test(`${file} has the expected content`, { skip }, () => {
    const result = decodeRecording(file);
    assert.equal(result.model, expected.model);
    assert.notEqual(result.id, '');
    assert.deepEqual(
      result.blocks.map((block) => block.type),
      expected.blocks.map(([type]) => type),
    );
    result.blocks.forEach((block, at) => {
      const [, start = '', end = ''] = expected.blocks[at] ?? [];
      assert.ok(headOf(block).startsWith(start), `${headOf(block).slice(0, 80)} starts with ${start}`);
      assert.ok(tailOf(block).endsWith(end), `${tailOf(block).slice(-80)} ends with ${end}`);
      assert.notEqual(tailOf(block), '');
    });
    assert.equal(result.finish.reason, expected.finish);
    if (Object.keys(expected.usage).length > 0) assert.deepEqual(result.usage, createUsage(expected.usage));
    else assert.ok(result.usage && result.usage.outputText > 0);
  });
}

test('no recording of a Chat answer is left unread', { skip }, () => {
  const answers = readRecordings()
    .filter(({ format, name }) => format === 'chat' && !name.includes('error'))
    .map(({ source, name, kind }) => `${source}/${name}${kind === 'stream' ? '.chunks.txt' : '.json'}`);
  assert.deepEqual(answers.sort(), Object.keys(EXPECTED).sort());
});

test('[D-20] recorded tool call ids are unchanged', { skip }, () => {
  const ids = ['groq/groq-tool-call.chunks.txt', 'mistral/mistral-incremental-tool-call.chunks.txt'].map(
    (file) => decodeRecording(file).blocks.map((block) => (block.type === 'tool-call' ? block.id : '')),
  );
  assert.deepEqual(ids, [['tk85n1k4m'], ['chatcmpl-tool-9f149c74c42f265b']]);
});

test('fields of a single provider are kept for a Chat client', { skip }, () => {
  const perplexity = decodeRecording('perplexity/perplexity-text.chunks.txt').extra?.chat;
  assert.ok(Array.isArray(perplexity?.['citations']) && perplexity['citations'].length === 5);
  const openai = decodeRecording('openai-chat/openai-text.json').extra?.chat;
  assert.equal(openai?.['service_tier'], 'default');
  assert.equal(openai['system_fingerprint'], 'fp_de604bd877');
});
