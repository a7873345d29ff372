import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse, stringify } from 'yaml'
import { freePort } from '../../server/test/support/oauth-service.ts'
import { startService, type TestService } from '../../server/test/support/service.ts'

const CHECKOUT = join(import.meta.dirname, '../..')
const hasPrometheus = spawnSync('prometheus', ['--version']).status === 0
if (!hasPrometheus)
  process.stderr.write('Prometheus does not load the alert rules: it is not installed (apt-get install prometheus).\n')

interface Rule {
  name: string
  health: string
  lastError?: string
}

/** Starts Prometheus with the scrape configuration of docs/watch.md and the rules of deploy/prometheus. */
describe.skipIf(!hasPrometheus)('Prometheus with the rules of deploy/', () => {
  let service: TestService
  let url: string
  let folder: string
  let stop: () => Promise<void>
  let printed = ''

  beforeAll(async () => {
    service = await startService()
    folder = mkdtempSync(join(tmpdir(), 'questboard-prometheus-'))
    const documented = /^```yaml\n([\s\S]*?)^```$/m.exec(readFileSync(join(CHECKOUT, 'docs/watch.md'), 'utf8'))?.[1]
    const config = parse(documented ?? '') as { scrape_configs: [{ static_configs: { targets: string[] }[] }] }
    config.scrape_configs[0].static_configs = [{ targets: [new URL(service.url).host] }]
    const global = { scrape_interval: '1s', evaluation_interval: '1s' }
    Object.assign(config.scrape_configs[0], { scrape_interval: '1s' })
    writeFileSync(join(folder, 'prometheus.yml'), stringify({ global, ...config }))
    copyFileSync(join(CHECKOUT, 'deploy/prometheus/alerts.yaml'), join(folder, 'alerts.yaml'))
    const address = `127.0.0.1:${await freePort()}`
    url = `http://${address}/api/v1`
    const words = ['--config.file=prometheus.yml', `--storage.tsdb.path=${folder}`, `--web.listen-address=${address}`]
    const child = spawn('prometheus', words, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
    child.stderr.on('data', (chunk: Buffer) => (printed += chunk.toString()))
    const ended = once(child, 'exit')
    stop = async () => {
      child.kill('SIGTERM')
      await ended
    }
  })
  afterAll(async () => {
    await stop?.()
    await service?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  async function ask<Data>(path: string): Promise<Data> {
    const response = await fetch(url + path)
    const { data, error } = (await response.json()) as { data: Data; error?: string }
    expect(error, path).toBeUndefined()
    return data
  }

  it('scrapes the service', async () => {
    const up = async () =>
      (await ask<{ activeTargets: { health: string; lastError: string }[] }>('/targets')).activeTargets
    await expect.poll(() => up().catch(() => printed)).toMatchObject([{ health: 'up', lastError: '' }])
  })

  it('evaluates every rule, and none fires for a healthy service', async () => {
    const rules = async () =>
      (await ask<{ groups: { rules: Rule[] }[] }>('/rules')).groups.flatMap((group) => group.rules)
    const { groups } = parse(readFileSync(join(folder, 'alerts.yaml'), 'utf8')) as { groups: { rules: object[] }[] }
    const count = groups.flatMap((group) => group.rules).length
    await expect.poll(async () => (await rules()).filter(({ health }) => health === 'ok')).toHaveLength(count)
    const { alerts } = await ask<{ alerts: { state: string }[] }>('/alerts')
    expect(alerts.filter(({ state }) => state === 'firing')).toEqual([])
  })

  it('accepts every query of the dashboard', async () => {
    const dashboard = readFileSync(join(CHECKOUT, 'deploy/grafana/questboard.json'), 'utf8')
    const queries = [...dashboard.matchAll(/"expr": ("(?:[^"\\]|\\.)*")/g)].map(([, text = '']) => text)
    expect(queries.length).toBeGreaterThan(10)
    for (const text of queries) {
      const query = (JSON.parse(text) as string).replaceAll(/\$__\w+/g, '1m').replaceAll(/\$\w+/g, '.*')
      await ask(`/query?query=${encodeURIComponent(query)}`)
    }
  })
})
