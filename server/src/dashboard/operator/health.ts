import type { FastifyInstance } from 'fastify'
import { route } from '../../api/route.ts'
import { MINUTE, SECOND } from '../../clock.ts'
import { examine } from '../../doctor/examine.ts'
import type { Finding } from '../../doctor/finding.ts'
import { asTyped, PROGRAM } from '../../settings/called-as.ts'
import type { FindingMessage, FindingValue } from '../../texts/findings.ts'
import { nowOf, type Services } from '../../services.ts'
import { secretsOf } from './config-secrets.ts'
import { operatorDescriptions } from './route-descriptions.ts'
import { countWork } from './health.queries.ts'
import { lateAndDisabledWebhooks } from './late-and-disabled-webhooks.ts'

/** The timeout for each machine. */
const TIMEOUT = 5 * SECOND
/** The age up to which requests get the last examination. */
const MAX_AGE = MINUTE
const MASK = '***'

interface Examination {
  at: Date
  findings: Finding[]
}

/** `/api/operator/health`, `/api/operator/inbox`: the checks of `questboard doctor`, run by the service, and pending work. */
export function registerOperatorHealth(scope: FastifyInstance, services: Services): void {
  const { config, clock, log, database } = services
  const secrets = secretsOf(config)
  const hide = (text: string) => secrets.reduce((shown, secret) => shown.replaceAll(secret, MASK), text)
  const hideIn = (value: FindingValue): FindingValue => {
    if (typeof value === 'string') return hide(value)
    if (typeof value === 'number') return value
    return value.map(({ code, parameters }) => ({
      code,
      parameters: Object.fromEntries(
        Object.entries(parameters).map(([name, one]) => [name, typeof one === 'string' ? hide(one) : one]),
      ),
    }))
  }
  /** With the command that starts the program, which texts can name. */
  const shownMessage = ({ code, parameters }: FindingMessage): FindingMessage => ({
    code,
    parameters: {
      program: PROGRAM,
      ...Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, hideIn(value)])),
    },
  })
  let last: Examination | undefined
  let examining: Promise<Examination> | undefined
  /** Concurrent requests share one examination, because each examination contacts all configured machines. */
  const examined = async (again: boolean): Promise<Examination> => {
    const age = last === undefined ? Infinity : clock.now() - last.at.getTime()
    if (!again && last && age >= 0 && age <= MAX_AGE) return last
    examining ??= examine({ config, clock, log, timeout: TIMEOUT })
      .then((findings) => (last = { at: nowOf(services), findings }))
      .finally(() => {
        examining = undefined
      })
    return examining
  }

  route(scope, services, operatorDescriptions.inbox, async () => {
    const work = await countWork(database.kysely, nowOf(services))
    const { appsPending, appChanges, syncsFailed, syncsHeld, deliveriesLate, webhooksDisabled, bansEnding } = work
    return {
      appsPending,
      appChanges,
      syncsFailed: syncsFailed - syncsHeld,
      syncsHeld,
      deliveriesLate,
      webhooksDisabled,
      bansEnding,
    }
  })

  route(scope, services, operatorDescriptions.health, async ({ query: again }) => {
    const now = nowOf(services)
    const [{ at, findings }, work, webhooks] = await Promise.all([
      examined(again),
      countWork(database.kysely, now),
      lateAndDisabledWebhooks(database.kysely, now),
    ])
    return {
      checkedAt: at,
      work,
      webhooks,
      findings: findings.map(({ name, check, subject, state, says, advice, message }) => ({
        name,
        check,
        subject: subject ?? null,
        state,
        says: hide(says),
        advice: advice === undefined ? null : hide(asTyped(advice)),
        message: shownMessage(message),
      })),
    }
  })
}
