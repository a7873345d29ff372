import { afterAll, expect, it } from 'vitest'
import { importRecords } from '../../../src/ingest/import-records.ts'
import { ingestToken } from '../../ingest-api/arrange.ts'
import { blocksOf } from './blocks.ts'
import { startService } from '../../support/service.ts'

const service = await startService()
afterAll(() => service.stop())

it('accepts the referral of docs/rules.md', async () => {
  await importRecords(service.deps, 'spaces', [{ spaceId: 40, name: 'Garden' }])
  const blocks = blocksOf('docs/rules.md')
  const { text = '' } = blocks.find((block) => block.text.startsWith('curl')) ?? {}
  const { text: shown = '' } = blocks.find((block) => block.text.includes('"summary"')) ?? {}
  const [, path = '', body = ''] = /https:\/\/questboard\.example(\S+)[^[]*-d '([^']*)'/.exec(text) ?? []
  const response = await fetch(service.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${await ingestToken(service)}`, 'content-type': 'application/json' },
    body,
  })
  expect([response.status, await response.json()]).toEqual([200, JSON.parse(shown)])
})
