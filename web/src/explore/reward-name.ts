import type { CredentialReward } from '@questboard/client'
import { number } from '../shell/numbers.ts'
import { content } from '../texts/index.ts'

/** For points, the expression contains the number. */
export function rewardName({ expression, rewardType, rewardCount }: CredentialReward): string {
  if (expression !== '' && rewardType.startsWith('LOYALTYPOINTS')) return expression
  const name = expression || (content.groups.rewardTypes[rewardType] ?? rewardType)
  return rewardCount > 1 ? `${number(rewardCount)} × ${name}` : name
}
