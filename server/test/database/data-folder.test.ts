import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { loadConfig } from '../../src/config.ts'
import { makeDataFolder, newDatabaseNotice } from '../../src/database/data-folder.ts'
import { installationFolder } from '../../src/settings/installation-folder.ts'
import { questboard } from '../command/questboard.ts'
import { startProcess, temporaryDataDir } from '../support/process.ts'

test('creates a data folder with its parents, also repeatedly', async () => {
  const above = await mkdtemp(join(tmpdir(), 'questboard-folder-'))
  onTestFinished(() => rm(above, { recursive: true }))
  const folder = join(above, 'a', 'b c')
  await makeDataFolder(folder)
  await makeDataFolder(folder)
  expect((await stat(folder)).isDirectory()).toBe(true)
})

test('names the file at the path of the data folder', async () => {
  const above = await mkdtemp(join(tmpdir(), 'questboard-folder-'))
  onTestFinished(() => rm(above, { recursive: true }))
  const file = join(above, 'file')
  await writeFile(file, '')
  for (const folder of [file, join(file, 'below')])
    await expect(startProcess(folder)).rejects.toThrow(
      `Questboard stopped: QUESTBOARD_DATA_DIR: the folder ${folder} cannot be created (${file} is not a folder).`,
    )
})

// mkdir fails with ENOENT there, although the parent folder exists.
test.runIf(process.platform === 'linux')('refuses a data folder that cannot be made', async () => {
  const folder = '/proc/questboard/data'
  await expect(makeDataFolder(folder)).rejects.toThrow(`QUESTBOARD_DATA_DIR: the folder ${folder} cannot be created (E`)
})

test('uses the data folder of the checkout by default, in any working folder', async () => {
  const elsewhere = await mkdtemp(join(tmpdir(), 'questboard-folder-'))
  onTestFinished(() => rm(elsewhere, { recursive: true }))
  const checkout = join(import.meta.dirname, '../../..')
  expect(installationFolder(join(checkout, 'docs'))).toBe(join(checkout, 'data'))
  expect(installationFolder(elsewhere)).toBe(join(checkout, 'data'))
  expect(loadConfig({}).dataDir).toBe(join(checkout, 'data'))
  expect(loadConfig({ QUESTBOARD_DATA_DIR: './elsewhere' }).dataDir).toBe(join(process.cwd(), 'elsewhere'))
})

test('uses existing data in the working folder', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'questboard-folder-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await mkdir(join(folder, 'data'))
  await writeFile(join(folder, 'data', 'figures.csv'), '')
  expect(installationFolder(folder, '/checkout/data')).toBe('/checkout/data')
  await writeFile(join(folder, 'data', 'secret'), '')
  expect(installationFolder(folder, '/checkout/data')).toBe(join(folder, 'data'))
  // A leftover data folder in another folder of the checkout does not count.
  const checkout = join(folder, '..')
  expect(installationFolder(folder, join(checkout, 'data'))).toBe(join(checkout, 'data'))
})

test('prints the location of a new embedded database, but not of an existing one', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'questboard-folder-'))
  onTestFinished(() => rm(dataDir, { recursive: true }))
  expect(newDatabaseNotice({ databaseUrl: undefined, dataDir })).toContain(`creating a new one in ${dataDir} `)
  expect(newDatabaseNotice({ databaseUrl: 'postgres://127.0.0.1/board', dataDir })).toBeUndefined()
  await mkdir(join(dataDir, 'postgres'))
  await writeFile(join(dataDir, 'postgres', 'PG_VERSION'), '18')
  expect(newDatabaseNotice({ databaseUrl: undefined, dataDir })).toBeUndefined()
})

test('prints links to the service that uses the data folder', async () => {
  const { dataDir, remove } = await temporaryDataDir()
  onTestFinished(remove)
  const service = await startProcess(dataDir, { QUESTBOARD_DEMO: 'false' })
  const invite = async (settings: Record<string, string> = {}) => {
    const { stdout } = await questboard(['operator', 'invite', '--json'], { QUESTBOARD_DATA_DIR: dataDir, ...settings })
    return new URL((JSON.parse(stdout) as { url: string }).url).origin
  }
  try {
    expect(service.url).toMatch(/^http:\/\/localhost:\d+$/)
    expect(await invite()).toBe(service.url)
    expect(await invite({ PORT: '4711' })).toBe('http://localhost:4711')
    expect(await invite({ QUESTBOARD_PUBLIC_URL: 'https://board.example' })).toBe('https://board.example')
  } finally {
    await service.interrupt()
  }
})
