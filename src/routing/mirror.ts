import type { Experiment } from './experiment.ts';

/** A share of the requests for a model, or of projects, that is copied to another model or provider. */
export interface Mirror extends Pick<Experiment, 'name' | 'projects' | 'by'> {
  /** The requested model; absent for every model of the projects. */
  model?: string;
  /** A model, or one provider's offer of it. */
  to: string;
  /** The share of requests, from 0 to 100. */
  percent: number;
  /** The id of the key that pays. */
  key: string;
  /** The most copies at a time in this process, including those that wait for the end of their originals. */
  concurrency: number;
}
