import { type Command, InvalidArgumentError } from 'commander'
import type { Clock } from '../clock.ts'
import { SECOND } from '../clock.ts'
import { isCredentialId } from '../resolvers/credential-id.ts'
import { parseAllowedHost } from '../settings/hosts.ts'
import { createOutgoing } from '../outgoing/outgoing.ts'
import { parseTarget } from '../outgoing/redirects.ts'
import type { MirrorOptions } from '../mirror/run-mirror.ts'
import { runMirror } from '../mirror/run-mirror.ts'
import { OutputCommand, printAsJson, printLine, progressScreen } from './output.ts'
import { readNamedFile } from './read-named-file.ts'
import type { Screen } from './output.ts'
import { count, duration } from './progress.ts'
import type { WithDependencies } from './token.ts'
import { runUntilStopped } from './run-until-stopped.ts'

interface Options {
  from: string
  token?: string
  tokenFile?: string
  space: number[]
  sprint: number[]
  starboard: string[]
  quest: string[]
  credential: string[]
  addresses?: string
}

const REDRAW = SECOND / 4
const LINE_EVERY = 5 * SECOND

/** `questboard mirror`: copies data from a service with the same API (docs/mirror.md). */
export function mirrorCommand(withDependencies: WithDependencies): Command {
  const many = <T>(read: (text: string) => T) => [(text: string, all: T[]) => [...all, read(text)], [] as T[]] as const
  const text = (value: string) => value
  return new OutputCommand('mirror')
    .requiredOption('--from <url>', "the service's base URL, without /query", baseUrl)
    .option(
      '--token-file <file>',
      'required, unless --token is given; a file whose first line is a token of that service',
    )
    .option('--token <token>', 'the token itself; it is visible in the list of processes')
    .option(
      '--space <id>',
      'a space with its board and its quests; may be repeated. At least one of --space, --starboard, --quest and --credential is required',
      ...many(positive),
    )
    .option('--sprint <id>', 'a sprint of the space; requires exactly one --space; may be repeated', ...many(positive))
    .option('--starboard <id>', 'a starboard; may be repeated', ...many(text))
    .option('--quest <id>', 'a single quest; may be repeated', ...many(text))
    .option('--credential <id>', 'a credential; may be repeated', ...many(credentialId))
    .option(
      '--addresses <file>',
      'file of addresses, one per line. For each --credential, the other service checks the addresses, and the eligible ones become holders of that credential',
    )
    .action(async (options: Options) => {
      refuseHalfOrders(options)
      const token = await tokenOf(options)
      const addresses =
        options.addresses === undefined ? undefined : linesOf(await readNamedFile('--addresses', options.addresses))
      return withDependencies((deps) => run(deps, { ...options, token }, addresses))
    })
}

function refuseHalfOrders(options: Options): void {
  const { space, starboard, quest, credential, sprint, addresses, token, tokenFile } = options
  if ((token === undefined) === (tokenFile === undefined))
    throw new InvalidArgumentError('Specify a token of the service: --token-file or --token.')
  if (space.length + starboard.length + quest.length + credential.length === 0)
    throw new InvalidArgumentError('Specify what to copy: --space, --starboard, --quest or --credential.')
  if (sprint.length > 0 && space.length !== 1) throw new InvalidArgumentError('--sprint needs exactly one --space.')
  if (addresses !== undefined && credential.length === 0)
    throw new InvalidArgumentError('--addresses needs a --credential.')
}

async function run(
  deps: Parameters<Parameters<WithDependencies>[0]>[0],
  options: Options & { token: string },
  addresses: readonly string[] | undefined,
): Promise<void> {
  const { from, token, space: spaces, sprint: sprints, starboard: starboards, quest: quests } = options
  const { credential: credentials } = options

  // A host that the operator types is allowed, even if it is private.
  const source = parseAllowedHost(new URL(from).host)
  const hosts = [...deps.config.outgoingHosts, ...(source ? [source] : [])]
  const outgoing = createOutgoing({ hosts })
  const results: string[] = []
  const display = mirrorDisplay(progressScreen(), deps.clock, results)
  const order = { from, token, spaces, sprints, starboards, quests, credentials, addresses }
  try {
    await runUntilStopped('Stopped. The data read so far is kept; run the same command again to continue.', (signal) =>
      runMirror({ ...deps, outgoing }, order, { ...display, signal }),
    )
    printAsJson({ from, results })
  } finally {
    await outgoing.close()
  }
}

async function tokenOf({ token, tokenFile }: Options): Promise<string> {
  if (tokenFile === undefined) return token ?? ''
  const read = (await readNamedFile('--token-file', tokenFile)).split('\n')[0]?.trim() ?? ''
  if (!/^[!-~]+$/.test(read)) throw new InvalidArgumentError(`The first line of ${tokenFile} is not a token.`)
  return read
}

/** Redraws one line on a terminal; prints a line every five seconds elsewhere. Results go to standard output. */
export function mirrorDisplay(
  screen: Screen,
  clock: Clock,
  results: string[],
): Pick<MirrorOptions, 'progress' | 'say'> {
  let shownAt = -Infinity
  let subject = { what: '', since: 0, from: 0, shown: false }
  return {
    progress(what, done, total) {
      const now = clock.now()
      // A new traversal of the same list starts from zero.
      if (subject.what !== what || done < subject.from) subject = { what, since: now, from: done, shown: false }
      const rate = ((done - subject.from) / Math.max(now - subject.since, 1)) * SECOND
      // The first line needs the first page to compute a rate.
      if (rate === 0 || (subject.shown && now - shownAt < (screen.isTTY ? REDRAW : LINE_EVERY))) return
      shownAt = now
      subject.shown = true
      const left = total !== undefined && rate > 0 ? `, ${duration(((total - done) / rate) * SECOND)} left` : ''
      const line = `${what}: ${count(done)}${total === undefined ? ' read' : ` of ${count(total)}`}, ${count(rate)}/s${left}`
      screen.write(screen.isTTY ? `\r\u001b[2K${line.slice(0, (screen.columns || 80) - 1)}` : `${line}\n`)
    },
    say(line) {
      if (screen.isTTY) screen.write('\r\u001b[2K')
      results.push(line)
      printLine(line)
    },
  }
}

function linesOf(content: string): string[] {
  return content.split(/\r?\n/).flatMap((line) => line.trim() || [])
}

function baseUrl(value: string): string {
  try {
    return parseTarget(value).href
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message)
  }
}

function positive(value: string): number {
  if (!/^[1-9][0-9]{0,9}$/.test(value) || Number(value) > 2_147_483_647)
    throw new InvalidArgumentError('It must be a whole number from 1 to 2147483647.')
  return Number(value)
}

function credentialId(value: string): string {
  if (!isCredentialId(value)) throw new InvalidArgumentError('It must be a numeric id.')
  return value
}
