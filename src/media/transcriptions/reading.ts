/** What a file says of its length, in seconds; absent where its format or codec is unknown. */
export interface Reading {
  /** Of all frames or packets in it, each as long as it may be. */
  counted?: number;
  /** In a header, which decoders need not believe: anybody can write any length there. Absent where the count is exact. */
  stated?: number;
}
