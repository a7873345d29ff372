import { type Browser, chromium } from 'playwright-core'
import { systemClock } from '../../server/src/clock.ts'
import { loadDemo } from '../../server/src/demo/load-demo.ts'
import { CHROMIUM_FLAGS, findChromium } from '../../web/test/chromium.ts'
import type { BenchDatabase } from '../data/bench-database.ts'
import { median } from '../harness/rounds.ts'
import type { Row } from '../harness/row.ts'
import { startService } from '../processes/service.ts'

const KILOBIT = 1_000 / 8
/** "Slow 4G" of Lighthouse: the connection, and the delays that it adds to each request to stand for a new connection. */
const SLOW_4G = { offline: false, latency: 150, downloadThroughput: 1_600 * KILOBIT, uploadThroughput: 750 * KILOBIT }
const NEW_CONNECTION = {
  ...SLOW_4G,
  latency: 562.5,
  downloadThroughput: 1_474 * KILOBIT,
  uploadThroughput: 675 * KILOBIT,
}
const CPU_SLOWDOWN = 4
const PHONE = { width: 360, height: 800 }
/** After the load, for fonts and pictures that could still move the page; milliseconds. */
const AFTER_LOAD = 1_500
/** A few lines of text: what the browser and the machine take for any page. */
const EMPTY = '/robots.txt'

interface Paint {
  /** First contentful paint, in milliseconds. */
  first: number
  /** Cumulative layout shift. */
  shift: number
}

export const row: Row = {
  name: 'P1',
  title: 'first paint of public pages on a slow phone',
  measures: [
    { title: 'milliseconds until the first contentful paint, the slowest page', bound: '<=', limit: 1_500 },
    { title: 'cumulative layout shift, the worst page', bound: '<=', limit: 0 },
  ],
  async run(context) {
    const database = await context.fresh('p1')
    await loadDemo({ database, clock: systemClock })
    const service = await startService(database, { pinned: false })
    const executablePath = findChromium()
    if (executablePath === undefined) throw new Error('this row needs Chromium; set CHROMIUM_PATH')
    const browser = await chromium.launch({ executablePath, args: CHROMIUM_FLAGS })
    try {
      const paths = await demoPages(database)
      // A service that runs for a while has its code and its statements ready.
      for (const path of [...paths, ...paths]) await (await fetch(service.url + path)).text()
      const paints = new Map<string, { slow4G: Paint[]; newConnection: Paint[] }>()
      for (const path of [...paths, EMPTY]) paints.set(path, { slow4G: [], newConnection: [] })
      for (let round = 0; round < context.rounds; round++)
        for (const [path, { slow4G, newConnection }] of paints) {
          slow4G.push(await paintOf(browser, service.url + path, SLOW_4G))
          newConnection.push(await paintOf(browser, service.url + path, NEW_CONNECTION))
        }
      const all = paths.map((path) => paints.get(path)).filter((found) => found !== undefined)
      return {
        values: [
          Math.max(...all.map(({ slow4G }) => median(slow4G.map(({ first }) => first)))),
          Math.max(
            ...all.flatMap(({ slow4G, newConnection }) => [...slow4G, ...newConnection]).map(({ shift }) => shift),
          ),
        ],
        figures: [...paints].flatMap(([path, { slow4G, newConnection }]) => [
          { side: path, unit: 'ms', rounds: slow4G.map(({ first }) => first) },
          { side: `${path}, new connection`, unit: 'ms', rounds: newConnection.map(({ first }) => first) },
          { side: `${path}, layout shift`, unit: '', rounds: [...slow4G, ...newConnection].map(({ shift }) => shift) },
        ]),
        notes: [
          `Pages of the demo data in ${browser.version()} at ${PHONE.width} pixels, each in a new profile with an empty cache; 1.6 Mbit/s, 150 ms for each request, ${CPU_SLOWDOWN} times slower processor. "New connection": 562.5 ms for each request and 1.47 Mbit/s, with which Lighthouse stands for DNS, TCP and TLS. Layout shifts count until ${AFTER_LOAD} ms after the load. ${EMPTY} shows what the browser takes for a few lines of text. The service shares the machine with the browser.`,
        ],
      }
    } finally {
      await browser.close()
      await service.stop()
    }
  },
}

/** The largest board with its best member, a quest of it, and a starboard. */
async function demoPages({ pool }: BenchDatabase): Promise<string[]> {
  const { rows } = await pool.query<{ path: string }>(`
    WITH largest AS (
      SELECT p.space_id, p.slug FROM space_pages p JOIN boards b USING (space_id)
      WHERE b.sprint_id = 0 ORDER BY b.member_count DESC LIMIT 1
    )
    SELECT '/s/' || slug AS path FROM largest
    UNION ALL (SELECT '/q/' || quest_id FROM quests JOIN largest USING (space_id)
      WHERE status = 'Active' AND NOT is_private ORDER BY quest_id LIMIT 1)
    UNION ALL (SELECT '/b/' || starboard_id FROM starboard_pages ORDER BY starboard_id LIMIT 1)
    UNION ALL (SELECT '/m/' || slug || '/' || address FROM largest JOIN board_entries USING (space_id)
      WHERE sprint_id = 0 AND address LIKE '0x%' ORDER BY descent, address LIMIT 1)`)
  return rows.map(({ path }) => path)
}

const READ_PAINT = `(async () => {
  const entries = (type) => new Promise((resolve) => {
    new PerformanceObserver((list) => resolve(list.getEntries())).observe({ type, buffered: true })
    setTimeout(() => resolve([]), 200)
  })
  const paints = await entries('paint')
  const shifts = await entries('layout-shift')
  return {
    first: paints.find(({ name }) => name === 'first-contentful-paint').startTime,
    shift: shifts.reduce((sum, { value }) => sum + value, 0),
  }
})()`

async function paintOf(browser: Browser, url: string, conditions: typeof SLOW_4G): Promise<Paint> {
  const profile = await browser.newContext({ viewport: PHONE })
  try {
    const page = await profile.newPage()
    const devtools = await profile.newCDPSession(page)
    await devtools.send('Network.enable')
    await devtools.send('Network.emulateNetworkConditions', conditions)
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN })
    await page.goto(url)
    await page.waitForTimeout(AFTER_LOAD)
    return await page.evaluate<Paint>(READ_PAINT)
  } finally {
    await profile.close()
  }
}
