import type { Reporter, SerializedError, TestModule, Vitest } from 'vitest/node'
import { findChromium } from '../../../web/test/chromium.ts'
import { LEFT_OUT } from './cluster-project.ts'

/** Ends the run with one line for scripts: `N passed, N failed`. A file that cannot be loaded counts as a failure. */
export default class SummaryReporter implements Reporter {
  #chosen = false

  onInit({ config }: Vitest): void {
    this.#chosen = config.testNamePattern !== undefined
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    let passed = 0
    let failed = unhandled.length
    let skipped = 0
    const why = new Map<string, number>()
    for (const module of modules) {
      failed += module.errors().length
      for (const suite of module.children.allSuites()) failed += suite.errors().length
      for (const test of module.children.allTests()) {
        const result = test.result()
        const { state } = result
        if (state === 'passed') passed++
        else if (state === 'failed') failed++
        else {
          skipped++
          const note = result.state === 'skipped' && result.note ? ` (${result.note})` : ''
          const what = test.parent.type === 'suite' && !note ? test.parent.fullName : test.fullName
          const line = `  ${module.relativeModuleId}: ${what}${note}`
          why.set(line, (why.get(line) ?? 0) + 1)
        }
      }
    }
    const lines = [`${passed} passed, ${failed} failed`]
    // The test name or the note of a skip names the missing requirement.
    const each = [...why].map(([line, count]) => (count > 1 ? `${line}: ${count} tests` : line))
    // Tests that a name filter excluded are not skipped tests.
    if (skipped > 0) lines.unshift(...(this.#chosen ? [`${skipped} skipped`] : [`${skipped} skipped:`, ...each]))
    if (skipped > 0 && findChromium() === undefined) lines.unshift(NO_BROWSER)
    const leftOut = process.env[LEFT_OUT]
    if (leftOut && !this.#chosen) lines.unshift(`Tests on a cluster left out: ${leftOut}.`)
    // Prints after the other reporters.
    process.once('exit', () => process.stdout.write(`${lines.join('\n')}\n`))
  }
}

const NO_BROWSER =
  '!!! BROWSER TESTS SKIPPED: no Chromium was found. Install it (Debian: apt-get install chromium) or set CHROMIUM_PATH.'
