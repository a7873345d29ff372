import { createClaims } from '../../src/claims/claims.ts'
import { createMemberQuests, type MemberQuests } from '../../src/claims/member-quests.ts'
import { awaitingDueTransitions } from '../../src/ranking/quests/transitions.ts'
import { loadInstallationSecret } from '../../src/secrets/installation-secret.ts'
import type { Dependencies } from '../../src/services.ts'
import { abilityOf } from '../../src/sync/source.ts'
import { createQuizzes, type Quizzes } from '../../src/verify/quizzes.ts'
import { createVerifications, type Verifications } from '../../src/verify/verifications.ts'
import { createVisits, type Visits } from '../../src/verify/visits.ts'
import { createChecks } from '../../src/sync/checks.ts'

/** The quests of members as in app.ts. */
export function memberQuestsOf(deps: Dependencies): {
  quests: MemberQuests
  verifications: Verifications
  quizzes: Quizzes
  visits: Visits
} {
  const secret = loadInstallationSecret(deps.config)
  const checks = createChecks({ ...deps, secret })
  const checkLive = checks.live
  const claims = createClaims({ ...deps, checkLive })
  const applyDueTransitions = awaitingDueTransitions(deps)
  const quests = createMemberQuests({ ...deps, checkLive, claims, applyDueTransitions, abilityOf })
  const acts = { ...deps, secret, quests }
  return {
    quests,
    verifications: createVerifications({ ...deps, checks }),
    quizzes: createQuizzes(acts),
    visits: createVisits(acts),
  }
}
