/** The number of first places that a stream follows: the default and the maximum. */
export const DEFAULT_FIRST = 10
export const MAX_FIRST = 100

/** Streams of one token in one process, as a share of all, so that one token leaves places for others. */
export const TOKEN_SHARE = 1 / 2

/** Streams of a publishable token in one process that one network can have. */
export const MAX_OF_NETWORK = 100

/** Streams that get their event in one turn of the event loop. */
export const STREAMS_PER_TURN = 500
