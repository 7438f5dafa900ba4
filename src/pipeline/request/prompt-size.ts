import type { UsagePart } from '#canonical';

/** The text of a prompt up to the end of one of its turns. */
export interface PromptPrefix {
  turns: number;
  /** The bytes of its texts alone, without the syntax of the body. */
  bytes: number;
  /** A hash of characters at secret places. */
  hash: number;
}

/** The size of a prompt, and what its price depends on; kept when the prompt itself is released. */
export interface PromptSize {
  /**
   * In tokens: one per byte of text, because no tokenizer yields more, and those of recordings; images and documents are not
   * in it. Infinite if the provider fetches part of the prompt itself (documents by URL or file, its own search tools): then
   * only the model's context bounds it.
   */
  bound: number;
  /** Bytes of the body without its images and recordings. */
  textBytes: number;
  images: number;
  /** The most tokens of recordings in the body. */
  recordingTokens: number;
  /** A hash of its images and recordings up to each of them; absent for short prompts. */
  shown?: readonly string[];
  /** Whether it has documents in the body: a compressed page takes a few bytes, so only a provider's count bounds them. */
  hasDocuments: boolean;
  /** An estimate in tokens for uses that precede the provider's count. */
  estimate: number;
  /** The parts of a usage its tokens may be billed as. */
  parts: readonly UsagePart[];
  /** The same for all requests of a conversation; absent for short prompts. */
  conversation?: string;
  /** Its text up to each of its last turns; absent for short prompts. */
  prefixes?: readonly PromptPrefix[];
}
