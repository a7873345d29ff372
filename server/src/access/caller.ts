/** The account, areas and limits of a token. */
export interface Caller {
  readonly tokenId: string
  readonly accountId: string
  readonly areas: readonly string[]
  /** The limits of the plan; null means unlimited. */
  readonly perSecond: number | null
  readonly perDay: number | null
  /** Set for a publishable token. */
  readonly publishable?: {
    readonly spaces: readonly number[]
    readonly network: NetworkShare
  }
}

/** The limits of one network that uses a publishable token. */
export interface NetworkShare {
  /** A UUID derived from the token and the network: the key of their quota. */
  readonly id: string
  readonly perSecond: number | null
  readonly perDay: number | null
}
