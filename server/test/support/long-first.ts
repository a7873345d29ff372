import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The slowest tests first: browsers, then commands and services in separate processes. */
const LONG = [
  /^(?:web\/test\/|deploy\/test\/containers)/,
  /^server\/test\/(instances|command|fresh)\//,
  /(process|crashes|faults|email|jobs|readme|package|load-demo|docs|query-plans)\.test\.ts$/,
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
