import fc from 'fast-check';

const SURROGATES = { first: 0xd800, count: 0x800 };
const MOST = 0x10ffff;

const character = fc
  .oneof(fc.nat(0x7f), fc.nat(MOST - SURROGATES.count))
  .map((at) => String.fromCodePoint(at < SURROGATES.first ? at : at + SURROGATES.count));

/** Texts of any characters. fast-check's unit `binary` lists all million of them first, which takes four seconds. */
export function createAnyText(lengths: fc.StringSharedConstraints = {}): fc.Arbitrary<string> {
  return fc.array(character, lengths).map((characters) => characters.join(''));
}
