export {
  type Range,
  describeKind,
  readNullable,
  refuse,
  requireArray,
  requireBoolean,
  requireInteger,
  requireNumber,
  requireObject,
  requireString,
  requireText,
  requireWord,
} from '../read-field.ts';
