import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { AxeResults } from 'axe-core'
import { type Browser, type BrowserContext, errors, type Page, type Request } from 'playwright-core'
import { expect } from 'vitest'
import { shareBrowser } from './shared-browser.ts'

const ROOT = join(import.meta.dirname, '../..')
const ARTIFACTS = join(ROOT, 'test-artifacts')
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

export type Scheme = 'light' | 'dark'

/** A page in its own tab, with the errors that assertions would miss. */
export interface Visit {
  page: Page
  context: BrowserContext
  /** Violations of the Content-Security-Policy, uncaught errors, and requests to other origins. */
  complaints: string[]
}

let builtPages: Promise<void> | undefined

/** The installed Chromium, with pages built from the current sources. */
export async function openBrowser(): Promise<Browser> {
  await (builtPages ??= buildPages())
  return shareBrowser()
}

/** Does not block: PostgreSQL closes connections that send nothing for a minute, and a build can take longer. */
async function buildPages(): Promise<void> {
  const building = promisify(execFile)(process.execPath, [join(ROOT, 'scripts', 'install.mjs'), '--pages'])
  building.child.stderr?.pipe(process.stderr, { end: false })
  await building
}

/** A browser profile; its tabs share a cache. */
export async function openProfile(
  browser: Browser,
  look: { width: number; scheme: Scheme; locale?: string; userAgent?: string },
): Promise<BrowserContext> {
  const viewport = { width: look.width, height: 800 }
  // Without animations, which tests would wait for.
  const context = await browser.newContext({
    viewport,
    colorScheme: look.scheme,
    reducedMotion: 'reduce',
    ...(look.locale !== undefined && { locale: look.locale }),
    ...(look.userAgent !== undefined && { userAgent: look.userAgent }),
  })
  context.setDefaultTimeout(45_000)
  context.on('page', countRequests)
  return context
}

const openRequests = new WeakMap<Page, Set<Request>>()

function countRequests(page: Page): void {
  const open = new Set<Request>()
  openRequests.set(page, open)
  page.on('request', (request) => open.add(request))
  page.on('requestfinished', (request) => open.delete(request))
  page.on('requestfailed', (request) => open.delete(request))
}

const urlsOfOpenRequests = (page: Page) => [...(openRequests.get(page) ?? [])].map((request) => request.url())

/** Fonts that load and animations that run. Endless animations (spinners) do not count. */
const MOVEMENTS = `new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve([
  ...(document.fonts.status === 'loaded' ? [] : ['fonts']),
  ...document.getAnimations()
    .filter(({ playState, effect }) => playState === 'running' && effect.getComputedTiming().endTime !== Infinity)
    .map(({ animationName, transitionProperty, effect }) =>
      \`\${animationName ?? transitionProperty} of \${effect.target?.className}\`)]))))`

/** Waits until two checks in a row find no requests and no animations, because a response can start an animation. */
export async function settle(page: Page): Promise<void> {
  let stillChecks = 0
  await expect
    .poll(async () => {
      const unsettled = [...urlsOfOpenRequests(page), ...(await page.evaluate<string[]>(MOVEMENTS))]
      stillChecks = unsettled.length === 0 ? stillChecks + 1 : 0
      return { stillChecks, unsettled }
    })
    .toEqual({ stillChecks: 2, unsettled: [] })
}

const visited = new WeakSet<BrowserContext>()
const held = new WeakMap<BrowserContext, Promise<unknown>>()

/**
 * From the second visit on, an idle page keeps the process of a profile's pages (`--process-per-site`). A new process
 * for each page would load and compile the scripts again.
 */
async function holdProcess(context: BrowserContext, url: string): Promise<void> {
  if (!visited.has(context)) visited.add(context)
  else if (!held.has(context)) held.set(context, (await context.newPage()).goto(new URL('/robots.txt', url).href))
  await held.get(context)
}

export async function visit(context: BrowserContext, url: string): Promise<Visit> {
  await holdProcess(context, url)
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(`uncaught: ${error.message}`))
  page.on('console', (message) => {
    if (/Content.Security.Policy/i.test(message.text())) complaints.push(message.text())
  })
  // Browsers log these failures as errors.
  page.on('response', (response) => {
    const isAsset = ['image', 'font', 'script', 'stylesheet'].includes(response.request().resourceType())
    if (isAsset && response.status() >= 400) complaints.push(`${response.status()} ${response.url()}`)
  })
  page.on('request', (request) => {
    const { origin } = new URL(request.url())
    if (origin !== new URL(url).origin) complaints.push(`asked ${origin}`)
  })
  await page.goto(url)
  return { page, context, complaints }
}

/** Runs axe-core. Returns one line for each violation. */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  await settle(page)
  return inspect(page)
}

/** The same, of a page that has settled. */
export async function inspect(page: Page): Promise<string[]> {
  if (!(await page.evaluate('"axe" in globalThis'))) await addAxe(page)
  const results = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run(options: object): Promise<AxeResults> } }
    return axe.run({
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
      resultTypes: ['violations'],
    })
  })
  return results.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, html }) => `${id}: ${target.join(' ')} ${html}`),
  )
}

/**
 * The browser adds the script, so the page keeps its policy. As a script, not by `eval`, so that it is compiled once. The
 * session ends with the page, because the end of any session removes the virtual authenticators of its page.
 */
async function addAxe(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page)
  const { exceptionDetails } = await session.send('Runtime.evaluate', { expression: AXE })
  if (exceptionDetails) throw new Error(`axe-core: ${exceptionDetails.text}`)
}

/** Whether screenshots are asked for. Hundreds of them would take minutes of each run. */
export const keepsScreenshots = process.env.SCREENSHOTS === '1'

/** Stored in test-artifacts/ with SCREENSHOTS=1. JPEG takes a third of the time of PNG. */
export async function keepScreenshot(page: Page, name: string): Promise<void> {
  await settle(page)
  if (!keepsScreenshots) return
  mkdirSync(ARTIFACTS, { recursive: true })
  const options = { path: join(ARTIFACTS, `${name}.jpg`), type: 'jpeg', quality: 80, fullPage: true } as const
  // On a busy machine, Chromium sometimes never draws the frame that it was asked for. It draws when asked again.
  const isDrawn = await page.screenshot({ ...options, timeout: 15_000 }).then(
    () => true,
    (error: unknown) => {
      if (!(error instanceof errors.TimeoutError)) throw error
      return false
    },
  )
  if (isDrawn) return
  await page.bringToFront()
  await page.screenshot(options)
}

/** Whether content overflows the window horizontally. */
export async function isWiderThanWindow(page: Page): Promise<boolean> {
  await settle(page)
  return page.evaluate('document.documentElement.scrollWidth > window.innerWidth')
}
