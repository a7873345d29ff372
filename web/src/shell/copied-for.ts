/** Milliseconds for which a button reports that it copied a value: long enough to read, or to be read aloud. */
export const COPIED_FOR = 10_000
