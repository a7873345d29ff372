import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Slow tests, the slowest first: browsers, then commands and services that run as separate processes. */
const LONG = [
  /^server\/test\/browser\//,
  /^server\/test\/(instances|command|fresh)\//,
  /(process|crashes|faults|email|jobs|readme|package|load-demo|docs|query-plans)\.test\.ts$/,
]

/** Begins with the files that take long, so that no worker is left alone with one at the end. */
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
