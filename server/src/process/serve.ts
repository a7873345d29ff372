import type { ClientConfig } from 'pg'
import { ensurePlans } from '../access/plans.ts'
import { accountExists } from '../access/server-tokens.queries.ts'
import { listOperators } from '../accounts/account.queries.ts'
import { inviteOperator } from '../accounts/operator-invitations.ts'
import { cannotListen, requireFreePort } from './cannot-listen.ts'
import type { Config } from '../config.ts'
import { isUnavailable } from '../database/connection.ts'
import { newDatabaseNotice } from '../database/data-folder.ts'
import { MINUTE } from '../clock.ts'
import { openConfiguredDatabase } from '../database/open.ts'
import { demoToken, demoTokenFile, forgetDemoToken } from '../demo/demo-token.ts'
import { wasDemoLoaded } from '../demo/load-demo.queries.ts'
import { DEMO_ACCOUNT_ID, loadDemo } from '../demo/load-demo.ts'
import { createServices, type Dependencies } from '../services.ts'
import { countAllSealed, sayLost } from '../doctor/sealed.ts'
import { announcementOf } from '../doctor/sealing-processes.queries.ts'
import { greeting, readyLine } from './greeting.ts'
import { isForPeople } from '../logging/log-for-people.ts'
import type { Metrics } from '../http/metrics.ts'
import { readAtOwners } from '../distribution/read-at-owners.ts'
import { type InstallationSecret, loadInstallationSecret } from '../secrets/installation-secret.ts'
import { FIRST_OPERATOR_LINK_LIFETIME, STOP_DEADLINE } from '../lifetimes.ts'
import { createOutgoing, type Outgoing } from '../outgoing/outgoing.ts'
import { stopSignal } from './stop-signal.ts'
import { asTyped, toType } from '../settings/called-as.ts'
import { describeUnknownSetting } from '../settings/unknown-settings.ts'
import { type Jobs, startJobs } from '../jobs/jobs.ts'
import { senderJob } from '../jobs/sender.ts'
import { rulesJobs } from '../rules/job.ts'
import { scheduleJobs } from '../schedule/schedule.ts'
import { statisticsJob } from '../schedule/statistics.ts'
import { importJob } from '../ingest-uploads/job.ts'
import { undoImportsJob } from '../ingest-uploads/undo.ts'
import { storePort } from '../settings/port-of-service.ts'
import { snapshotJob } from '../snapshots/job.ts'
import { syncJob } from '../sync/jobs.ts'
import { logoutQueue } from '../oauth/back-channel/deliver.ts'
import { webhookQueue } from '../webhooks/deliver.ts'

/** Serves the requests: in this process, or in workers. */
export interface RequestServer {
  /**
   * Starts listening. `deps` has the database of background work. Requests use separate connections to the same
   * database.
   * @returns the port
   */
  open(deps: Dependencies, connection: ClientConfig): Promise<number>
  attempted: Metrics['attempted']
  notified: Metrics['notified']
  /** Rejects if requests can no longer be served. */
  lost: Promise<never>
  /** Reports not ready for `notice` milliseconds while serving, then finishes running requests. */
  stop(notice: number): Promise<void>
  /** Ends the connections and timers for requests of this process, also if the start failed. */
  close(): Promise<void>
  /** Stops at once. */
  abandon(): void
}

/** One is enough, because background work sends most of its statements through the pool. */
const BACKGROUND_READ_CONNECTIONS = 1
/** Longer than for requests, because background work also has long statements, which another node may execute. */
const MAX_WAIT_FOR_NODE = MINUTE / 2

const LOST_KEYS =
  'some values are encrypted with an unknown secret and cannot be used: `questboard keys status` lists them; restore QUESTBOARD_SECRET, or add the old secret to QUESTBOARD_OTHER_SECRETS'

const UNKNOWN_OPERATORS =
  'the operators could not be read, so no invitation is printed; without an operator, `questboard operator invite` prints a link'

/**
 * Runs the service until a signal of STOP_SIGNALS, then finishes running requests and closes everything in order. A
 * signal during the start aborts the start and stops the embedded server.
 */
export async function serve(
  config: Config,
  outside: Pick<Dependencies, 'clock' | 'random' | 'log'>,
  server: RequestServer,
): Promise<void> {
  const stopped = stopSignal(outside.clock)
  let complete = true
  try {
    await requireFreePort(config)
    const notice = newDatabaseNotice(config)
    if (notice !== undefined) outside.log.info(notice)
    const opening = openConfiguredDatabase({ ...config, readConnections: BACKGROUND_READ_CONNECTIONS }, outside.log, {
      beforeMigration: (database) => requireFreePort(config, database),
    })
    // An embedded server must be stopped in order; the start of an external one need not be awaited.
    const opened = await (config.databaseUrl === undefined ? opening : Promise.race([opening, stopped]))
    if (typeof opened === 'string') complete = false
    else
      try {
        complete = await serveOn(opened, config, outside, server, stopped)
      } finally {
        await opened.close()
      }
    outside.log.info('stopped')
  } finally {
    server.abandon()
  }
  // The aborted start may still keep the process alive.
  if (!complete) process.exit(0)
}

/** @returns whether the start was complete */
async function serveOn(
  opened: Awaited<ReturnType<typeof openConfiguredDatabase>>,
  config: Config,
  outside: Pick<Dependencies, 'clock' | 'random' | 'log'>,
  server: RequestServer,
  stopped: Promise<NodeJS.Signals>,
): Promise<boolean> {
  const { log } = outside
  const outgoing = createOutgoing({ hosts: config.outgoingHosts })
  // Users choose the hosts of webhooks, so the operator's own hosts are excluded.
  const toReceivers = createOutgoing({ hosts: config.webhookHosts, namedBy: 'QUESTBOARD_WEBHOOK_HOSTS' })
  const deps: Dependencies = { ...outside, config, database: opened.database, outgoing }
  try {
    const started = await Promise.race([start(opened, deps, { server, toReceivers }), stopped])
    if (typeof started === 'string') {
      log.info({ signal: started }, 'stopping before the start was complete')
      endAtLast(STOP_DEADLINE, log)
      return false
    }
    const { port, token, jobs } = started
    // A full disk must not prevent the start.
    await storePort(config, port).catch((error: unknown) =>
      log.warn({ err: error }, 'the port could not be stored; links of commands can have another port'),
    )
    await Promise.race([sayReady(config.publicUrl ?? `http://localhost:${port}`, token, deps), stopped])
    const lost = server.lost.catch((error: unknown) => ({ error }))
    const end = await Promise.race([stopped, lost])
    const signal = typeof end === 'string' ? end : undefined
    log.info({ signal }, 'stopping after running requests; a second Ctrl-C or signal stops at once')
    // A manual stop does not wait for load balancers.
    const notice = signal === 'SIGTERM' ? config.stopNotice : 0
    endAtLast(notice + STOP_DEADLINE, log)
    await Promise.all([server.stop(notice), jobs.stop()])
    if (typeof end !== 'string') throw end.error
    return true
  } finally {
    await Promise.all([outgoing.close(), toReceivers.close(), server.close()])
  }
}

async function start(
  { connection, applied, announce, explain }: Awaited<ReturnType<typeof openConfiguredDatabase>>,
  deps: Dependencies,
  { server, toReceivers }: { server: RequestServer; toReceivers: Outgoing },
): Promise<{ port: number; token: string | undefined; jobs: Jobs }> {
  const { config, database, log } = deps
  for (const setting of config.unknown) log.warn(describeUnknownSetting(setting))
  if (applied.length > 0) log.info({ migrations: applied.length, newest: applied.at(-1) }, 'the schema was updated')
  // Created before workers start, so that all processes use the same secret.
  const secret = loadInstallationSecret(config)
  await announce(announcementOf(secret))
  void warnOfLostKeys({ ...deps, secret }) // on a cluster, it waits for a node that hangs
  await ensurePlans(database, config)
  const token = config.demo
    ? await prepareDemo(deps).catch(async (error: unknown) => {
        throw await explain(error)
      })
    : undefined
  const port = await server.open(deps, connection).catch(async (error: unknown) => {
    throw await cannotListen(error, deps)
  })
  const sending = { ...deps, outgoing: toReceivers, secret }
  const owners = await readAtOwners({
    database,
    nodeUrls: config.nodeUrls,
    readConnections: BACKGROUND_READ_CONNECTIONS,
    maxWait: MAX_WAIT_FOR_NODE,
    log,
  })
  const pausing = { ...deps, database: { ...database, reachAll: owners.reader.reachAll } }
  const jobs = startJobs(pausing, [
    ...scheduleJobs({ ...deps, ...config }),
    statisticsJob({ ...deps, owners }),
    ...rulesJobs(deps),
    syncJob(deps),
    snapshotJob(pausing),
    importJob(deps),
    undoImportsJob(deps),
    senderJob('webhook deliveries', webhookQueue({ ...sending, attempted: server.attempted }), deps),
    senderJob('logout notices', logoutQueue({ ...createServices(deps), ...sending, notified: server.notified }), deps),
  ])
  const stop = async () => {
    // Running work can wait for a node that hangs.
    owners.beginStop()
    await jobs.stop()
    await owners.close()
  }
  return { port, token, jobs: { stop } }
}

/** The service starts without these values, because most functions work without them. */
async function warnOfLostKeys(deps: Dependencies & { secret: InstallationSecret }): Promise<void> {
  try {
    const sealed = sayLost(await countAllSealed(deps))
    if (sealed !== '') deps.log.warn({ sealed }, asTyped(LOST_KEYS))
  } catch (error) {
    deps.log.warn({ err: error }, 'the encrypted values could not be checked')
  }
}

/** Exits after a timeout, because a statement waiting for a lock, or an unresponsive server, could block the stop. */
function endAtLast(milliseconds: number, log: Dependencies['log']): void {
  const end = (): void => {
    log.error('the stop takes too long; exiting')
    process.exit(1)
  }
  setTimeout(end, milliseconds).unref()
}

/** Prints a text on a terminal, or a JSON line elsewhere; a log must not contain the invitation. */
async function sayReady(url: string, token: string | undefined, deps: Dependencies): Promise<void> {
  const { config, clock } = deps
  const text = isForPeople(process.stdout, config.production)
    ? greeting(url, token, await inviteFirstOperator(deps, url))
    : readyLine({
        time: new Date(clock.now()).toISOString(),
        url,
        demoTokenFile: token === undefined ? undefined : demoTokenFile(config),
        firstOperator: (await hasOperator(deps)) ? undefined : `${toType('operator invite')} prints a link`,
      })
  process.stdout.write(text)
}

/** Also true if it is unknown, because a node of a cluster hangs or the database was lost. */
async function hasOperator({ database, log }: Dependencies): Promise<boolean> {
  try {
    return (await listOperators(database.kysely)).length > 0
  } catch (error) {
    if (!isUnavailable(error)) throw error
    log.warn({ err: error }, asTyped(UNKNOWN_OPERATORS))
    return true
  }
}

/** @returns a link while the installation has no operator */
async function inviteFirstOperator(deps: Dependencies, url: string): Promise<string | undefined> {
  if (await hasOperator(deps)) return undefined
  const link = await inviteOperator({ ...deps, site: { issuer: url } }, FIRST_OPERATOR_LINK_LIFETIME, {
    forFirst: true,
  })
  return link.url
}

/** Loads the demo data into an empty database. @returns the demo token, if the demo data exists */
async function prepareDemo(deps: Dependencies): Promise<string | undefined> {
  await loadDemo(deps, (kind, count) => deps.log.info({ kind, count }, 'demo data'))
  // The database may contain the operator's data and no demo.
  const { kysely } = deps.database
  if (!(await accountExists(kysely, DEMO_ACCOUNT_ID))) {
    if (!(await wasDemoLoaded(kysely))) return undefined
    await forgetDemoToken(deps.config)
    deps.log.info('no demo token: the account of the demo data was erased')
    return undefined
  }
  return demoToken(deps, DEMO_ACCOUNT_ID)
}
