import { afterAll, beforeAll, expect, it } from 'vitest'
import { importRecords } from '../../../src/ingest/import-records.ts'
import { startWorld, type World } from '../../support/fixture.ts'

const SPACE = 7350
const DESCRIPTION = 'Bridge & win.\n\nHow: https://a.example/how?a=1&b="><script>x</script>, javascript:alert(1)'

let world: World
beforeAll(async () => {
  world = await startWorld({ settings: { QUESTBOARD_PUBLIC_URL: 'https://boards.example' } })
  await importRecords(world.deps, 'spaces', [{ spaceId: SPACE, name: 'Quay', description: DESCRIPTION }])
  await world.database.query(`INSERT INTO space_pages VALUES ($1, 'quay', now())`, [SPACE])
})
afterAll(() => world.stop())

it('shows the lines and the HTTP links of a description, and escapes it', async () => {
  const page = await (await fetch(`${world.url}/s/quay`)).text()
  expect(page).toContain(
    '<p class="lead">Bridge &amp; win.\n\nHow: ' +
      '<a href="https://a.example/how?a=1&amp;b=" rel="nofollow ugc">https://a.example/how?a=1&amp;b=</a>' +
      '&quot;&gt;&lt;script&gt;x&lt;/script&gt;, javascript:alert(1)</p>',
  )
})
