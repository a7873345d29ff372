import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['server/test/**/*.test.ts'],
    globalSetup: ['server/test/support/global-setup.ts'],
    reporters: ['default', './server/test/support/summary-reporter.ts'],
    maxWorkers: '100%',
    testTimeout: 30_000,
    hookTimeout: 60_000,
    restoreMocks: true,
  },
})
