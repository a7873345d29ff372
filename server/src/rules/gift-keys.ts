/** The parts of the key of a ledger entry that a rule made. */
export interface GiftKey {
  ruleId: string
  /** The version of the rules of the space. */
  version: number
  /** The event (evaluate.ts). */
  ref: string
  /** The number of the replay that entered it; undefined for an event that was counted when it happened. */
  replay?: number | undefined
}

// The tab separates these keys from keys of operators.
const PREFIX = 'rule\t'

export const giftKey = ({ ruleId, version, ref, replay }: GiftKey): string =>
  `${PREFIX}${ruleId}\t${version}\t${ref}${replay === undefined ? '' : `\t${replay}`}`

/** The prefix of the keys of the entries of a rule. */
export const giftKeysOf = (ruleId: string): string => `${PREFIX}${ruleId}\t`

/** The prefix of the keys of the entries with which a replay reverses points. */
export const REPLAY_REVERSAL = 'rule-reversal\t'

/** @returns undefined for other keys */
export function readGiftKey(key: string): GiftKey | undefined {
  if (!key.startsWith(PREFIX)) return undefined
  const [ruleId = '', version, ref = '', replay] = key.slice(PREFIX.length).split('\t')
  return { ruleId, version: Number(version), ref, replay: replay === undefined ? undefined : Number(replay) }
}
