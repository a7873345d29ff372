import { nearest } from '../text/nearest-name.ts'

/** A variable whose name looks like a setting, but is unknown. */
export interface UnknownSetting {
  name: string
  /** The setting that was meant, presumably. */
  meant: string | undefined
}

const PREFIX = 'QUESTBOARD_'

/** Variables that clients, examples, benchmarks and tests read. */
const ofOthers = ['QUESTBOARD_URL', 'QUESTBOARD_TOKEN', 'QUESTBOARD_BENCH_DATA', 'QUESTBOARD_FUZZ_SEED']

/** Variables that Kubernetes sets for a Service whose name begins with questboard. */
const ofKubernetes = /_SERVICE_(HOST|PORT)(_\w+)?$|_PORT_\d+_(TCP|UDP)(_(PROTO|PORT|ADDR))?$/

/** The variables that begin with QUESTBOARD_ but are not settings. */
export function findUnknownSettings(
  environment: Record<string, string | undefined>,
  names: readonly string[],
): UnknownSetting[] {
  const known = new Set([...names.flatMap((name) => [name, `${name}_FILE`]), ...ofOthers])
  const short = new Map(names.map((name) => [name.replace(PREFIX, ''), name]))
  return Object.entries(environment)
    .filter(([name]) => name.startsWith(PREFIX) && !known.has(name) && !ofKubernetes.test(name))
    .filter(([name, value]) => !(name.endsWith('_PORT') && value?.startsWith('tcp://')))
    .map(([name]) => {
      const meant = nearest(name.slice(PREFIX.length).replace(/_FILE$/, ''), [...short.keys()])
      return { name, meant: meant === undefined ? undefined : short.get(meant) }
    })
}

/** Describes the setting in a sentence without its full stop. */
export const describeUnknownSetting = ({ name, meant }: UnknownSetting): string =>
  `${name} is not a setting and has no effect${meant === undefined ? '' : `; ${meant} is one`}`
