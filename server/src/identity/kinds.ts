import type { ChallengeKind } from './challenge-kind.ts'
import { emailAddress } from './email.ts'
import { serviceId } from './passkey.ts'
import { telegramWidget } from './social/telegram-widget.ts'
import { aptosAddress } from './wallet/aptos.ts'
import { evmAddress } from './wallet/evm.ts'
import { flowAddress } from './wallet/flow.ts'
import { injectiveAddress } from './wallet/injective.ts'
import { seiAddress } from './wallet/sei.ts'
import { solanaAddress } from './wallet/solana.ts'

/** All kinds that are proved by a challenge. */
export const challengeKinds: readonly ChallengeKind[] = [
  serviceId,
  evmAddress,
  solanaAddress,
  seiAddress,
  aptosAddress,
  injectiveAddress,
  flowAddress,
  telegramWidget,
  emailAddress,
]

export function findChallengeKind(kind: string): ChallengeKind | undefined {
  return challengeKinds.find((candidate) => candidate.kind === kind)
}
