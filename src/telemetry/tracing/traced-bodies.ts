/** The bodies of a request as its client sent and received them, without credentials; incomplete ones are left out. */
export interface TracedBodies {
  request?: Buffer;
  answer?: Buffer;
  /** The content type of the answer. */
  contentType: string;
}

/** The content of a request as JSON of the GenAI conventions; what could not be read is absent. */
interface TracedContent {
  systemInstructions?: string;
  inputMessages?: string;
  outputMessages?: string;
  /** Whether long parts are shortened, or the first messages left out. */
  isCut: boolean;
}

/** Reads the content of bodies in a client's format. */
export type ReadContent = (
  request: { endpoint: string; requestedModel: string; stream: boolean },
  bodies: TracedBodies,
) => TracedContent | undefined;

export function sizeOfBodies(bodies: TracedBodies | undefined): number {
  return (bodies?.request?.length ?? 0) + (bodies?.answer?.length ?? 0);
}
