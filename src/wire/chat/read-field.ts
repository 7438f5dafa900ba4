export {
  isTold,
  readMember,
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
