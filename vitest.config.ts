import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { LongFirst } from './server/test/support/long-first.ts'

// Workers, and the commands and services that tests start, keep their compiled modules where `npm start` does.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules/.cache/node')

export default defineConfig({
  test: {
    include: ['{server,client,web,manual,deploy,scripts,packages/*}/test/**/*.test.ts'],
    globalSetup: ['server/test/support/global-setup.ts'],
    reporters: ['default', './server/test/support/summary-reporter.ts'],
    // Files that wait for processes, pages and timers leave room for one more than there are cores.
    maxWorkers: availableParallelism() + 1,
    // Loading the service takes longer than most files' tests: a worker does it once.
    isolate: false,
    sequence: { sequencer: LongFirst },
    // High, so that tests do not fail on a busy machine.
    testTimeout: 90_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 20_000, interval: 20 } },
    restoreMocks: true,
  },
})
