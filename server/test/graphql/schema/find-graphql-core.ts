import { spawnSync } from 'node:child_process'

const VERSION = 'import graphql; print(graphql.__version__)'

/** The Python interpreters with graphql-core, by its major version. Debian 12 has version 2, later releases have version 3. */
export function findGraphqlCore(): ReadonlyMap<string, string> {
  return new Map(
    ['python3', '/usr/bin/python3'].flatMap((python) => {
      const { status, stdout } = spawnSync(python, ['-c', VERSION], { encoding: 'utf8' })
      return status === 0 ? [[stdout.split('.')[0] ?? '', python] as const] : []
    }),
  )
}
