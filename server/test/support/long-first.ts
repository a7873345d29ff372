import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files of more than 15 seconds outside the folders of `LONG`. */
const LONG_FILES = [
  '10-audit-on-disconnect',
  'after-kill',
  'at-start',
  'board-changes',
  'crashes',
  'degraded-dependencies',
  'email',
  'hangup',
  'instances',
  'jobs',
  'load-demo',
  'merged-output',
  'openapi-clients',
  'package',
  'query-plans',
  'readme',
  'reversals',
  'serve',
]

/** The slowest tests first: browsers and installations, then commands, the manual and services in separate processes. */
const LONG = [
  /^(?:web\/test\/|deploy\/test\/containers|scripts\/test\/(?:install|old-npm))/,
  /^(?:server\/test\/(?:command|spec\/manual)|clients)\//,
  new RegExp(`/(?:${LONG_FILES.join('|')})\\.test\\.ts$`),
]

/** Starts the slow files first, so that none is left for one worker at the end. */
export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.toSorted((a, b) => rank(a) - rank(b))
  }
}

function rank({ moduleId, project }: TestSpecification): number {
  const path = relative(project.config.root, moduleId)
  const place = LONG.findIndex((pattern) => pattern.test(path))
  return place === -1 ? LONG.length : place
}
