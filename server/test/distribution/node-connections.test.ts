import { expect, test } from 'vitest'
import { ConfigError, loadConfig } from '../../src/config.ts'
import { connectionTo } from '../../src/distribution/node-connections.ts'

const worker = { group: 2, host: 'worker-2', port: 5433 }
const urls = (text = '') => loadConfig({ DATABASE_NODE_URLS: text }).nodeUrls ?? new Map<string, string>()

test('a connection to a node uses the settings of the coordinator and the own address of the node', () => {
  const connectionString = 'postgres://questboard:p%40ss@db.internal:5432/board?sslmode=verify-full&host=/run'
  expect(connectionTo(worker, { connectionString, options: '-c x=1' }, urls())).toEqual({
    connectionString: 'postgres://questboard:p%40ss@worker-2:5433/board?sslmode=verify-full',
    options: '-c x=1',
  })
  expect(
    connectionTo({ ...worker, host: 'fd00::2' }, { connectionString: 'postgres://u@[fd00::1]/b' }, urls()),
  ).toEqual({
    connectionString: 'postgres://u@[fd00::2]:5433/b',
  })
  expect(connectionTo(worker, { host: '/run', database: 'board', user: 'u' }, urls())).toEqual({
    host: 'worker-2',
    port: 5433,
    database: 'board',
    user: 'u',
  })
})

test('a connection to a node uses its URL in the settings, and one to the coordinator always its own', () => {
  const given = urls('worker-1:5432=postgres://u@10.0.0.1/b, worker-2:5433=postgres://u@10.0.0.2/b?sslmode=disable')
  const coordinator = { connectionString: 'postgres://u@db/b' }
  expect(connectionTo(worker, coordinator, given)).toEqual({
    connectionString: 'postgres://u@10.0.0.2/b?sslmode=disable',
  })
  expect(connectionTo({ group: 0, host: 'worker-2', port: 5433 }, coordinator, given)).toBe(coordinator)
})

test('off leaves all reads to the coordinator', () => {
  expect(loadConfig({ DATABASE_NODE_URLS: 'off' }).nodeUrls).toBeUndefined()
  expect(loadConfig({}).nodeUrls).toEqual(new Map())
})

test.each(['postgres://u@10.0.0.1/b', 'worker-1=postgres://u@10.0.0.1/b', 'worker-1:5432=http://10.0.0.1', 'on'])(
  'rejects a setting without an address or a URL: %s',
  (DATABASE_NODE_URLS) => {
    expect(() => loadConfig({ DATABASE_NODE_URLS })).toThrow(ConfigError)
    expect(() => loadConfig({ DATABASE_NODE_URLS })).toThrow('DATABASE_NODE_URLS must be off, or HOST:PORT=URL')
  },
)
