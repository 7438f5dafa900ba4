export {
  type Estimate,
  type EventReading,
  type FormFile,
  type MediaExchange,
  type MediaInput,
  type MediaResult,
  type MediaTask,
  type Medium,
  type Quantity,
  type WholeAnswer,
  isFailure,
} from './contract.ts';
export { imageEdits } from './images/index.ts';
export { MEDIA } from './media.ts';
export { findPlace } from './protocol.ts';
export { measureAudio } from './transcriptions/audio-length.ts';
export { listAccountObjects } from './references.ts';
