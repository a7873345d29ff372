import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { testsOnCluster } from './server/test/support/cluster-project.ts'
import { LongFirst } from './server/test/support/long-first.ts'

// Workers, and the commands and services that tests start, keep their compiled modules where `npm start` does.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules/.cache/node')

const onCluster = await testsOnCluster()
// Of each project, because the one of the cluster starts other servers.
const globalSetup = ['server/test/support/global-setup.ts']
const include = ['{server,client,clients/*,web,manual,deploy,scripts,packages/*}/test/**/*.test.ts']

export default defineConfig({
  test: {
    reporters: ['default', './server/test/support/summary-reporter.ts'],
    // Files that wait for processes, pages and timers leave room for one more than there are cores.
    maxWorkers: availableParallelism() + 1,
    // An order by chance finds tests that depend on another file; a sequencer of our own would hide the option.
    sequence: process.argv.includes('--sequence.shuffle.files') ? {} : { sequencer: LongFirst },
    // Loading the service takes longer than most files' tests: a worker does it once.
    isolate: false,
    // High, so that tests do not fail on a busy machine.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 60_000, interval: 20 } },
    restoreMocks: true,
    projects: [
      { extends: true, test: { name: 'one server', include, globalSetup } },
      ...(onCluster.length > 0
        ? [{ extends: true as const, test: { name: 'cluster', include: [...onCluster], globalSetup } }]
        : []),
    ],
  },
})
