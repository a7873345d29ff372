import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { ensurePlans } from './access/plans.ts'
import { accountExists } from './access/server-tokens.queries.ts'
import { type App, createApp } from './app.ts'
import { SECOND } from './clock.ts'
import type { Config } from './config.ts'
import { openConfiguredDatabase } from './database/open.ts'
import { demoToken } from './demo/demo-token.ts'
import { DEMO_ACCOUNT_ID, loadDemo } from './demo/load-demo.ts'
import type { Dependencies } from './dependencies.ts'
import { loadInstallationSecret } from './identity/installation-secret.ts'
import { DRAIN_TIMEOUT, SIGNAL_ECHO } from './lifetimes.ts'
import { createOutgoing } from './outgoing/outgoing.ts'
import { closeQueue, openQueue } from './queue.ts'
import { startSchedule } from './ranking/schedule.ts'
import { startSyncJobs } from './sync/jobs.ts'
import { startDeliveries } from './webhooks/deliveries.ts'

/** Connections that may wait to be taken: as many as Linux allows unless it was told otherwise. */
const BACKLOG = 4_096

/** An answer that was begun before the stop keeps its connection open: it is closed when it is done. */
const FINISHED_POLL = SECOND / 10

/** Runs the service until SIGINT or SIGTERM, then lets running requests finish and closes everything in order. */
export async function serve(config: Config, outside: Pick<Dependencies, 'clock' | 'random' | 'log'>): Promise<void> {
  const { log } = outside
  const opened = await openConfiguredDatabase(config, log)
  const outgoing = createOutgoing({ hosts: config.outgoingHosts })
  // Whoever has an account names where webhooks go: the hosts that are the operator's own are not among them.
  const toReceivers = createOutgoing({ hosts: config.webhookHosts, namedBy: 'QUESTBOARD_WEBHOOK_HOSTS' })
  const deps: Dependencies = { ...outside, config, database: opened.database, outgoing }
  try {
    if (opened.applied.length > 0) log.info({ migrations: opened.applied }, 'the schema was brought up to date')
    await ensurePlans(deps.database, config)
    const token = config.demo ? await prepareDemo(deps) : undefined
    const app = await createApp(deps)
    const url = await listen(app, config)
    const schedule = startSchedule({ ...deps, ...config })
    const queue = await openQueue(deps.database, log)
    const sync = await startSyncJobs({ ...deps, queue })
    const deliveries = startDeliveries({
      ...deps,
      outgoing: toReceivers,
      secret: loadInstallationSecret(config),
      delivered: (outcome) => app.metrics.delivered(outcome),
    })
    process.stdout.write(greeting(url, token))
    const [signal] = (await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])) as [string]
    log.info({ signal }, 'stopping')
    leaveAtSecondSignal()
    // Whoever stops it by hand does not wait for load balancers.
    const notice = signal === 'SIGTERM' ? config.stopNotice : 0
    await Promise.all([
      stop(app, notice),
      schedule.stop(),
      deliveries.stop(),
      sync.stop().then(() => closeQueue(queue)),
    ])
  } finally {
    await Promise.all([outgoing.close(), toReceivers.close()])
    await opened.close()
  }
}

async function listen({ server }: App, config: Config): Promise<string> {
  server.listen({ port: config.port, host: config.host, backlog: BACKLOG })
  await once(server, 'listening')
  return config.publicUrl ?? `http://localhost:${(server.address() as AddressInfo).port}`
}

/**
 * A second signal does not wait: PostgreSQL keeps what was acknowledged. What follows the first at once is its echo:
 * a terminal signals the whole group of processes, and npm passes on what it gets.
 */
function leaveAtSecondSignal(): void {
  const echoEnds = performance.now() + SIGNAL_ECHO
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (performance.now() > echoEnds) process.exit(1)
    })
  }
}

/** Tells first that it goes, and answers meanwhile; then takes nothing new and lets what is under way finish. */
async function stop(app: App, notice: number): Promise<void> {
  app.drain()
  await sleep(notice)
  const closed = once(app.server, 'close')
  app.server.close()
  const finishing = setInterval(() => app.server.closeIdleConnections(), FINISHED_POLL)
  const impatient = setTimeout(() => app.server.closeAllConnections(), DRAIN_TIMEOUT)
  await closed
  clearInterval(finishing)
  clearTimeout(impatient)
  await app.close()
}

/** Loads the demo data into a database without data. @returns the token to try it with, when the demo data is there */
async function prepareDemo(deps: Dependencies): Promise<string | undefined> {
  await loadDemo(deps, (kind, count) => process.stderr.write(`demo data: ${count} ${kind}\n`))
  // The database may hold data of the operator's own, and no demo.
  if (!(await accountExists(deps.database.kysely, DEMO_ACCOUNT_ID))) return undefined
  return demoToken(deps, DEMO_ACCOUNT_ID)
}

const DEMO_QUERY =
  '{ space(id: 40) { name loyaltyPointsRanks { totalCount list { rank points address { username address } } } } }'

function greeting(url: string, token: string | undefined): string {
  const paths = `
Questboard is ready.

  playground  ${url}/${token === undefined ? '' : `#token=${token}`}
  endpoint    POST ${url}/query
  schema      ${url}/schema.graphql
  manual      ${url}/docs
`
  if (token === undefined) return `${paths}\nnpx questboard token create --name NAME makes a token for it.\n`
  return `${paths}
demo token: ${token}

curl -s ${url}/query \\
  -H 'content-type: application/json' \\
  -H 'access-token: ${token}' \\
  -d '{"query":"${DEMO_QUERY}"}'

`
}
