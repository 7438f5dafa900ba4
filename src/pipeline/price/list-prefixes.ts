import { randomInt } from 'node:crypto';
import type { JsonValue } from '#base';
import type { Block, CanonicalRequest, Tool } from '#canonical';
import { inputJsonOf } from '#canonical';
import { withoutAttribution } from '#wire';
import { listToolTexts } from '../misses/tool-texts.ts';
import type { PromptPrefix } from '../request/prompt-size.ts';

/** Clients add a few turns to each request. */
const MOST_PREFIXES = 64;
/** From one character that is read to the next: a digest of all text takes a quarter of the time of a request of 200 KB. */
const MOST_STRIDE = 64;
/** Random places, so that a text with the same characters there cannot be constructed. */
const [SECRET_A, SECRET_B] = [randomInt(2 ** 32), randomInt(2 ** 32)];

type Prompt = Pick<CanonicalRequest, 'system' | 'tools' | 'output' | 'turns'>;

/**
 * A prompt up to each of its last turns, as a hash of characters at secret places, so that the count of one prompt is not
 * taken for that of another with the same length and beginning. Images, recordings and documents are compared elsewhere.
 */
export function listPrefixes({ system, tools, output, turns }: Prompt): PromptPrefix[] {
  const reader = new PromptReader();
  for (const tool of tools) reader.addTool(tool);
  reader.addBlocks(withoutAttribution(system));
  if (output) reader.addValue(output);
  const prefixes: PromptPrefix[] = [];
  for (const [at, { blocks }] of turns.entries()) {
    reader.addBlocks(blocks);
    if (at >= turns.length - MOST_PREFIXES) prefixes.push(reader.toPrefix(at + 1));
  }
  return prefixes;
}

class PromptReader {
  #bytes = 0;
  #a = SECRET_A;
  #b = SECRET_B;

  toPrefix(turns: number): PromptPrefix {
    return { turns, bytes: this.#bytes, hash: (this.#a >>> 11) * 2 ** 32 + (this.#b >>> 0) };
  }

  addBlocks(blocks: readonly Block[]): void {
    for (const block of blocks) this.#addBlock(block);
  }

  addTool(tool: Tool): void {
    for (const text of listToolTexts(tool)) this.#addText(text);
  }

  addValue(value: JsonValue | object): void {
    this.#addText(JSON.stringify(value));
  }

  #addBlock(block: Block): void {
    switch (block.type) {
      case 'text':
        this.#addText(block.text);
        break;
      case 'reasoning':
        this.#addText(block.text);
        this.#addText(block.signature ?? block.redacted ?? '');
        break;
      case 'tool-call':
        this.#addText(block.name);
        this.#addText(inputJsonOf(block));
        break;
      case 'tool-result':
        this.addBlocks(block.blocks);
        break;
      case 'native':
        this.addValue(block.value);
        for (const picture of block.pictures ?? []) this.#bytes -= picture.length;
        break;
      case 'media':
        if ('text' in block.source) this.#addText(block.source.text);
        else if ('blocks' in block.source) this.addBlocks(block.source.blocks);
    }
  }

  #addText(text: string): void {
    this.#bytes += Buffer.byteLength(text);
    this.#mix(text.length);
    for (let at = 0; at < text.length; at += 1 + ((this.#b >>> 8) % MOST_STRIDE))
      this.#mix(text.charCodeAt(at));
  }

  /** The steps and constants of MurmurHash3, in two lanes. */
  #mix(value: number): void {
    this.#a = (Math.imul(rotate(this.#a ^ Math.imul(value, 0xcc9e2d51), 13), 5) + 0xe6546b64) | 0;
    this.#b = (Math.imul(rotate(this.#b ^ Math.imul(value + this.#a, 0x1b873593), 15), 5) + 0x561ccd1b) | 0;
  }
}

const rotate = (bits: number, by: number): number => (bits << by) | (bits >>> (32 - by));
