import type { SystemClock } from '../clock.ts'
import type { Config } from '../config.ts'
import { siteOf } from '../settings/site.ts'
import type { Logger } from '../logging/log.ts'
import { createOutgoing, type Outgoing, type Sender } from '../outgoing/outgoing.ts'
import { examineChains } from './chains.ts'
import { examineCollector } from './collector.ts'
import { examineDatabase } from './database.ts'
import { type Finding, note, problem } from './finding.ts'
import { examineKeys } from './keys.ts'
import { examineMail } from './mail.ts'
import { examineNodes } from './nodes.ts'
import { examineReplicas } from './replicas.ts'
import { examineSignInSites } from './sign-in-sites.ts'
import { examineSite } from './site.ts'
import { examineStatements } from './statements.ts'

export interface ExaminationOptions {
  config: Config
  clock: SystemClock
  log: Logger
  /** The timeout for each machine in milliseconds. */
  timeout: number
}

/** Checks everything that the installation depends on, all machines in parallel. Changes nothing. */
export async function examine({ config, clock, log, timeout }: ExaminationOptions): Promise<Finding[]> {
  const site = siteOf(config)
  const { hostname } = new URL(site.issuer)
  const own = [hostname, ...(config.traces ? [new URL(config.traces.endpoint).hostname] : [])]
  const hosts = [...config.outgoingHosts, ...own.map((name) => ({ hostname: name, port: undefined }))]
  const outgoing = createOutgoing({ hosts })
  const probeOptions = { outgoing: inTime(outgoing, timeout), timeout }
  try {
    const [database, ...upstreams] = await Promise.all([
      examineDatabaseAndKeys({ config, clock, log, timeout }),
      ...examineSite(probeOptions, config, site),
      ...examineSignInSites(probeOptions, { config, outgoing: probeOptions.outgoing, log, site }),
      examineMail(config, timeout),
      ...examineChains(probeOptions, config),
      ...examineCollector(probeOptions, config),
    ])
    const missing = config.identity.missing.map((setting) => problem('Settings', 'settings.missing', { setting }))
    const unknown = config.unknown.map(({ name: setting, meant }) =>
      meant === undefined
        ? note('Settings', 'settings.unknown', { setting })
        : note('Settings', 'settings.misspelt', { setting, meant }),
    )
    return [...database, ...missing, ...unknown, ...upstreams]
  } finally {
    await outgoing.close()
  }
}

async function examineDatabaseAndKeys({ config, clock, log, timeout }: ExaminationOptions): Promise<Finding[]> {
  const { findings, connection, close } = await examineDatabase(config, clock, timeout)
  try {
    const writable = connection !== undefined && findings.every(({ state }) => state !== 'problem')
    const [keys, replicas, nodes, statements] = await Promise.all([
      examineKeys(config, connection, log),
      examineReplicas(config, connection, timeout),
      examineNodes(config, connection, timeout),
      writable ? examineStatements(connection, clock, timeout) : [],
    ])
    return [...findings, ...statements, ...replicas, ...nodes, keys]
  } finally {
    await close()
  }
}

/** Limits the timeout of all requests. */
function inTime(outgoing: Outgoing, timeout: number): Outgoing {
  const limited = (sender: Sender): Sender => ({
    send: (request, use) => sender.send({ ...request, timeout: Math.min(request.timeout, timeout) }, use),
  })
  return { ...limited(outgoing), publicOnly: limited(outgoing.publicOnly), close: () => outgoing.close() }
}
