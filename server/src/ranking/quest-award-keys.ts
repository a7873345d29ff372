// The tab keeps these keys apart from the keys of operators.
const PREFIX = 'claim\t'

export const awardKey = (questId: string, claimId: string): string => `${PREFIX}${questId}\t${claimId}`

/** The id of the quest; undefined for other keys. */
export const questOfAward = (key: string): string | undefined =>
  key.startsWith(PREFIX) ? key.slice(PREFIX.length).split('\t')[0] : undefined
