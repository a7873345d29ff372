import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { makeDataFolder } from '../src/database/data-folder.ts'

test('a data folder is made with those above it, and again without harm', async () => {
  const above = await mkdtemp(join(tmpdir(), 'questboard-folder-'))
  onTestFinished(() => rm(above, { recursive: true }))
  const folder = join(above, 'a', 'b c')
  await makeDataFolder(folder)
  await makeDataFolder(folder)
  expect((await stat(folder)).isDirectory()).toBe(true)
})

test('a data folder that cannot be made is refused at once, by its setting', async () => {
  const above = await mkdtemp(join(tmpdir(), 'questboard-folder-'))
  onTestFinished(() => rm(above, { recursive: true }))
  await writeFile(join(above, 'file'), '')
  const wrong = [join(above, 'file'), join(above, 'file', 'below')]
  // Its answer to mkdir is "no such file" although the folder above is there.
  if (process.platform === 'linux') wrong.push('/proc/questboard/data')
  for (const folder of wrong)
    await expect(makeDataFolder(folder)).rejects.toThrow(`QUESTBOARD_DATA_DIR: the folder ${folder} cannot be made (E`)
})
