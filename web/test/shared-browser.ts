import { statfsSync } from 'node:fs'
import { type Browser, type BrowserContext, chromium } from 'playwright-core'
import { CHROMIUM_FLAGS, findChromium } from './chromium.ts'

const MIN_SHARED_MEMORY = 1 << 30

/** Pages of tests are short: V8's optimizing compilers would take a fifth of Chromium's processor time. */
const WITHOUT_OPTIMIZERS = '--js-flags=--no-maglev,--no-turbofan'

let running: Promise<Browser> | undefined

/**
 * The Chromium of this process, as if the caller had started it: `close()` only closes the profiles of this caller. To
 * start Chromium and to stop it takes more than a second of processor time.
 */
export async function shareBrowser(): Promise<Browser> {
  const browser = await (running ??= launch().catch((error: unknown) => {
    running = undefined
    throw error
  }))
  const own = new Set<BrowserContext>()
  const keep = (context: BrowserContext) => {
    own.add(context)
    context.once('close', () => own.delete(context))
  }
  const methods: Partial<Browser> = {
    async newContext(options) {
      const context = await browser.newContext(options)
      keep(context)
      return context
    },
    async newPage(options) {
      const page = await browser.newPage(options)
      keep(page.context())
      return page
    },
    contexts: () => [...own],
    async close() {
      await Promise.all([...own].map((context) => context.close()))
    },
  }
  return new Proxy(browser, {
    get(target, key) {
      const value: unknown = Reflect.get(key in methods ? methods : target, key)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
}

async function launch(): Promise<Browser> {
  const executablePath = findChromium()
  if (executablePath === undefined) throw new Error('no Chromium; the caller asks findChromium() first')
  // The driver keeps shared memory in files of the disk, because some containers have only 64 MB for it.
  const ignoreDefaultArgs = hasSharedMemory() ? ['--disable-dev-shm-usage'] : []
  const browser = await chromium.launch({
    executablePath,
    args: [...CHROMIUM_FLAGS, WITHOUT_OPTIMIZERS],
    ignoreDefaultArgs,
    handleSIGTERM: false,
  })
  browser.once('disconnected', () => (running = undefined))
  // The runner stops its processes with SIGTERM. At the exit, the driver stops Chromium and removes its files.
  process.once('SIGTERM', () => process.exit(143))
  return browser
}

function hasSharedMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm')
    return bavail * bsize >= MIN_SHARED_MEMORY
  } catch {
    return false
  }
}
