import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../../server/src/clock.ts'
import { importRecords } from '../../server/src/ingest/import-records.ts'
import type { BenchDatabase } from '../data/bench-database.ts'
import { type Claimant, createClaimants } from '../data/claimants.ts'
import { ingestToken } from '../data/ingest-token.ts'
import { type ClaimClients, type SentClaim, startClaimClients } from '../faults/claim-clients.ts'
import { type Instances, startInstances } from '../faults/instances.ts'
import type { Row } from '../harness/row.ts'
import { judgeClaims } from '../truth/claims.ts'

const INSTANCES = 4
const CLIENTS = 64
const KILLS = 100
const QUICK_KILLS = 8
const MAX_LIFETIME_MS = 1_500
const SPACES = [40, 41]

/** Groups of quests, used one after the other, so that caps are reached all the time. 0: no cap. */
const GROUPS = 400
const CAPS = [40, 150, 250, 0, 0]
const POINTS = [10, 25, 50, 1, 0]
const CLAIMS_PER_GROUP = 1_500
/** Members draw their addresses from this number, so that some claim a quest twice. */
const MEMBERS = 1_200
const ACCOUNTS = 200
/** Every such claim is sent by an app. */
const BY_APP = 16

const addressOf = (n: number) => `0x${n.toString(16).padStart(40, '0')}`
const questOf = (group: number, n: number) => `GCg${group}-${n}`

export const row: Row = {
  name: 'T10',
  title: `claims at ${INSTANCES} instances, ${CLIENTS} clients, kill -9 at random`,
  measures: [
    { title: 'claims beyond the cap', bound: '<=', limit: 0 },
    { title: 'double awards', bound: '<=', limit: 0 },
    { title: 'claims acknowledged and lost', bound: '<=', limit: 0 },
    { title: 'refusals that the stored data contradict', bound: '<=', limit: 0 },
    { title: 'counts, ledger entries and boards that differ', bound: '<=', limit: 0 },
  ],
  async run(context) {
    const { quick, say } = context
    const database = await context.fresh('t10')
    await prepare(database)
    const kills = quick ? QUICK_KILLS : KILLS
    const instances = await startInstances(database, INSTANCES)
    let clients: ClaimClients | undefined
    try {
      const claimants = await createClaimants(
        database,
        instances.urls()[0] as string,
        Array.from({ length: ACCOUNTS }, (_, n) => [addressOf(2 * n), addressOf(2 * n + 1)]),
      )
      clients = startClaimClients({
        clients: CLIENTS,
        urls: () => instances.urls(),
        ingestToken: await ingestToken(database),
        claim: (number) => drawClaim(number, claimants),
      })
      let killed = 0
      const killing = async () => {
        for (let round = 1; round <= kills; round++) {
          killed += await killSome(instances)
          if (round % 10 === 0 || round === kills)
            say(`  ${round} kills, ${clients?.answered().length} claims answered`)
        }
      }
      await Promise.race([killing(), clients.ended])
      await clients.stop()
      const answered = clients.answered()
      const faults = await judgeClaims(database, answered, SPACES)
      const answeredWith = (...answers: string[]) =>
        answered.filter((claim) => claim.answers.some((answer) => answers.includes(answer))).length
      return {
        values: [faults.beyondCap, faults.twice, faults.lost, faults.wronglyRefused, faults.different],
        figures: [
          { side: 'claims answered', unit: '', rounds: [answered.length] },
          { side: 'claims acknowledged', unit: '', rounds: [answeredWith('applied', 'duplicate')] },
          { side: 'claims refused because of the cap', unit: '', rounds: [answeredWith('CAP_REACHED')] },
          { side: 'claims refused as second claims', unit: '', rounds: [answeredWith('ALREADY_CLAIMED')] },
          { side: 'requests without an answer', unit: '', rounds: [clients.unanswered()] },
          { side: 'instances killed', unit: '', rounds: [killed] },
        ],
        notes: [
          `${kills} kills, up to 1.5 s after the last victim was there again, every fourth of two instances at once. Each client sends a claim until it is answered, with the same key, each time to another instance; every fourth claim goes to two instances at once. One claim in ${BY_APP} is an app's, for one of ${ACCOUNTS} accounts with two addresses each; the others are \`POST /ingest/v1/quests/{id}/completions\`.`,
          `The claims of ${CLAIMS_PER_GROUP} at a time go to five quests of two spaces: caps of 40, 150 and 250 below demand, one quest without a cap, one without points. One space has a sprint.`,
        ],
      }
    } finally {
      await clients?.stop().catch(() => {})
      await instances.close()
    }
  },
}

async function prepare(database: BenchDatabase): Promise<void> {
  const deps = { database, clock: systemClock }
  await importRecords(
    deps,
    'spaces',
    SPACES.map((spaceId) => ({ spaceId, name: `Space ${spaceId}` })),
  )
  await importRecords(deps, 'sprints', [{ spaceId: 40, sprintId: 1, startTime: '2020-01-01T00:00:00Z' }])
  const quests = Array.from({ length: GROUPS }, (_, group) =>
    CAPS.map((cap, n) => ({
      id: questOf(group, n),
      spaceId: SPACES[n % SPACES.length] as number,
      name: `Quest ${group}-${n}`,
      type: 'Points' as const,
      loyaltyPoints: POINTS[n] as number,
      cap,
    })),
  )
  await importRecords(deps, 'quests', quests.flat())
}

function drawClaim(number: number, claimants: readonly Claimant[]): SentClaim {
  const group = Math.floor(number / CLAIMS_PER_GROUP) % GROUPS
  const claim = { key: `t10-${number}`, questId: questOf(group, randomInt(CAPS.length)) }
  const member = randomInt(MEMBERS)
  // The first members are those of the accounts.
  const accountId = claimants[member >> 1]?.accountId
  if (number % BY_APP !== 0) return { ...claim, address: addressOf(member), accountId }
  const claimant = claimants[randomInt(claimants.length)] as Claimant
  // An app may name the address that its user shares with it, and gets it by default.
  return { ...claim, address: claimant.addresses[0], accountId: claimant.accountId, token: claimant.token }
}

/** @returns how many instances were killed */
async function killSome(instances: Instances): Promise<number> {
  await sleep(randomInt(50, MAX_LIFETIME_MS))
  const victims = randomInt(4) === 0 ? 2 : 1
  await instances.kill(victims)
  return victims
}
