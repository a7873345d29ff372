import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { addressesIn } from '../../server/test/spec/manual/page-addresses.ts'

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

/** Screenshots of each page: the names with which tests call `checkLooks`. */
const LOOKS: Readonly<Record<string, readonly string[]>> = {
  '/': ['home'],
  '/s/:slug': ['community-space', 'german-space'],
  '/s/:slug/quests': ['german-quests', 'community-quests'],
  '/m/:slug/:address': ['community-member'],
  '/b/:id': ['german-starboard'],
  '/q/:id': ['community-quest'],
  '/embed/:slug': ['german-embed'],
  '/docs': ['manual-docs', 'manual-docs-api'],
  '/playground': ['playground-session', 'first-request'],
  '/sign-in': ['sign-in', 'sign-in-email', 'sign-in-wallets', 'sign-in-phone'],
  '/signed-in': ['signed-in'],
  '/sign-out': ['sign-out'],
  '/authorize/:id': ['consent', 'consent-not-reviewed'],
  '/operator-invitation': ['operator-invitation', 'operator-invitation-accepted'],
  '/team-invitation': ['team-invitation'],
  '/my': ['my-quests'],
  '/account': ['account-overview', 'account-with-avatar', 'account-merge'],
  '/account/apps': ['account-apps'],
  '/account/security': ['account-security'],
  '/content': ['content-none', 'content-spaces'],
  '/content/spaces/:id': ['content-space', 'content-space-empty'],
  '/content/spaces/:id/leaderboard': ['content-leaderboard'],
  '/content/spaces/:id/points': ['content-points'],
  '/content/spaces/:id/rules': ['rules-empty', 'rules-versions'],
  '/content/spaces/:id/snapshots': ['content-snapshots'],
  '/content/spaces/:id/settings': ['content-space-settings', 'content-embed', 'content-delete-space'],
  '/content/spaces/:id/new-quest': ['content-new-quest'],
  '/content/spaces/:id/new-credential': ['new-credential'],
  '/content/quests/:id': ['content-quest'],
  '/content/credentials/:id': ['content-credential'],
  '/content/new-starboard': ['content-new-starboard'],
  '/content/starboards/:id': ['content-starboard'],
  '/explore': ['explore'],
  '/explore/spaces': ['explore-spaces'],
  '/explore/spaces/:id': ['explore-space'],
  '/explore/starboards': ['explore-starboards'],
  '/explore/starboards/:id': ['explore-starboard'],
  '/explore/credentials': ['explore-credentials'],
  '/explore/credentials/:id': ['explore-credential'],
  '/explore/quests': ['explore-quests'],
  '/explore/quests/:id': ['explore-quest', 'explore-quest-claim'],
  '/settings/server-api': ['server-api-tokens'],
  '/settings/server-api/tokens/:id': ['server-api-token'],
  '/settings/server-api/usage': ['server-api-usage', 'server-api-usage-quality'],
  '/settings/server-api/apps': ['apps', 'app-application', 'empty-apps-empty'],
  '/settings/server-api/apps/:id/:tab?': [
    'app-overview',
    'app-sign-in',
    'app-secrets',
    'app-integration',
    'app-activity',
  ],
  '/settings/server-api/webhooks': ['server-api-webhooks', 'empty-webhooks-empty'],
  '/settings/server-api/webhooks/:webhook/deliveries/:delivery': ['webhook-delivery', 'webhook-delivery-disabled'],
  '/settings/server-api/ingest-tokens': ['server-api-ingest-tokens'],
  '/operator': ['operator-overview'],
  '/operator/apps': ['operator-apps'],
  '/operator/people': ['operator-people'],
  '/operator/people/address': ['operator-address'],
  '/operator/people/:id': ['operator-person'],
  '/operator/bans': ['operator-bans'],
  '/operator/plans': ['operator-plans'],
  '/operator/syncs': ['operator-syncs'],
  '/operator/snapshots': ['operator-snapshots'],
  '/operator/import': ['operator-import'],
  '/operator/import/:id': ['operator-import-checked', 'operator-import-stored'],
  '/operator/log': ['operator-log'],
  '/operator/health': ['operator-health', 'operator-health-webhooks'],
}

/** Only redirects to another page. */
const REDIRECTS = ['/settings']

/** The addresses of the app, of the public pages, and of the start of the manual. */
function addresses(): string[] {
  const all = (path: string, pattern: RegExp) => [...read(path).matchAll(pattern)].flatMap(([, found]) => found ?? [])
  return [
    ...addressesIn('web/src/navigation/*.ts'),
    ...all('web/src/pages.tsx', /<Route path="([^"]+)"/g),
    ...all('server/src/public-pages/routes.ts', /\bregisterPage(?:<.*?>)?\('([^']+)'/g),
    ...all('server/src/public-pages/routes.ts', /\bfastify\.get(?:<.*>)?\('(\/)'/g),
    ...all('server/src/public-pages/embed-routes.ts', /\bfastify\.get\('(\/embed\/:\w+)'/g),
    ...all('server/src/manual/routes.ts', /\bmanual\.get\('(\/docs)'/g),
  ].filter((path) => !REDIRECTS.includes(path))
}

const NAME = /\bcheckLooks\([\w.]+, (?:'([^']+)'|`([^`$]*)\$\{.*\}`|\w+)\)/g

/** The names in a test. The end of a composed name is one of the strings of the test. */
function namesIn(file: string): string[] {
  const text = read(file)
  const strings = [...text.matchAll(/'([^'\n]+)'/g)].flatMap(([, string = '']) => [
    string,
    string.replaceAll(/\W+/g, '-'),
  ])
  return [...text.matchAll(NAME)].flatMap(([, whole, beginning = '']) =>
    whole === undefined ? strings.map((string) => beginning + string) : [whole],
  )
}

const stored = new Set(globSync('web/test/*.test.ts', { cwd: root }).flatMap(namesIn))

describe('screenshots at three widths', () => {
  it('exist for each page of the app and each public page, and for no other address', () => {
    expect(addresses().length).toBeGreaterThan(50)
    expect(Object.keys(LOOKS).toSorted()).toEqual([...new Set(addresses())].toSorted())
  })

  it.each(Object.entries(LOOKS))('come from a test: %s', (_path, names) => {
    expect(names.length).toBeGreaterThan(0)
    expect(names.filter((name) => !stored.has(name))).toEqual([])
  })
})
