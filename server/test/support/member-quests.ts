import { createClaims } from '../../src/claims/claims.ts'
import { createMemberQuests, type MemberQuests } from '../../src/claims/member-quests.ts'
import { awaitingDueTransitions } from '../../src/ranking/quest-transitions.ts'
import { loadInstallationSecret } from '../../src/secrets/installation-secret.ts'
import type { Dependencies } from '../../src/services.ts'
import { abilityOf } from '../../src/sync/source.ts'
import { createVerifications, type Verifications } from '../../src/verify/verifications.ts'
import { createChecks } from '../../src/sync/checks.ts'

/** The quests of members as in app.ts. */
export function memberQuestsOf(deps: Dependencies): { quests: MemberQuests; verifications: Verifications } {
  const { config } = deps
  const checks = createChecks({ ...deps, secret: loadInstallationSecret(config) })
  const checkLive = checks.live
  const claims = createClaims({ ...deps, checkLive })
  const applyDueTransitions = awaitingDueTransitions(deps)
  const quests = createMemberQuests({ ...deps, checkLive, claims, applyDueTransitions, abilityOf })
  return { quests, verifications: createVerifications({ ...deps, checks, quests }) }
}
