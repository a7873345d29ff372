import type { Reporter, SerializedError, TestModule } from 'vitest/node'
import { findChromium } from '../browser/chromium.ts'

/** Ends the run with one line for scripts: `N passed, N failed`. A file that cannot be loaded counts as a failure. */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    let passed = 0
    let failed = unhandled.length
    let skipped = 0
    for (const module of modules) {
      failed += module.errors().length
      for (const suite of module.children.allSuites()) failed += suite.errors().length
      for (const test of module.children.allTests()) {
        const { state } = test.result()
        if (state === 'passed') passed++
        else if (state === 'failed') failed++
        else skipped++
      }
    }
    const lines = [`${passed} passed, ${failed} failed`]
    if (skipped > 0) lines.unshift(`${skipped} skipped`)
    if (skipped > 0 && findChromium() === undefined) lines.unshift(NO_BROWSER)
    // After what the other reporters still have to say.
    process.once('exit', () => process.stdout.write(`${lines.join('\n')}\n`))
  }
}

const NO_BROWSER =
  '!!! BROWSER TESTS SKIPPED: no Chromium was found. Install it (Debian: apt-get install chromium) or set CHROMIUM_PATH.'
