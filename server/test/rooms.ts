/** Rooms of facts and tools. Every room may import them. */
const BASE = ['addresses', 'cache', 'logging', 'secrets', 'settings', 'text']
const ROOT: Record<string, string> = {
  'clock.ts': 'base',
  'config.ts': 'base',
  'errors.ts': 'base',
  'lifetimes.ts': 'base',
  'random.ts': 'base',
  'services.ts': 'services',
  'app.ts': 'process',
  'main.ts': 'process',
  'routes.ts': 'process',
}

/** The room of a file, relative to server/src; the file itself when no room contains it. */
export function roomOf(file: string): string {
  const [top = file, next, ...more] = file.split('/')
  if (next === undefined) return ROOT[file] ?? file
  if (BASE.includes(top)) return 'base'
  return top === 'features' && more.length > 0 ? `features/${next}` : top
}

const FEATURE = ['base', 'database', 'features', 'graphql']
const ACCOUNT = ['base', 'services', 'database', 'outgoing', 'rate-limit', 'audit', 'accounts', 'sessions', 'api']

/**
 * The rooms, or single files of a room, that a room may import. A query goes http → access → graphql → feature → SQL.
 * A feature imports no other feature, nothing of http/ and nothing of access/.
 */
export const mayImport: Record<string, string[]> = {
  base: ['base'],
  services: ['base', 'services', 'database', 'outgoing'],
  process: ['*'],
  workers: ['base', 'services', 'process', 'http', 'database/connection.ts', 'outgoing'],

  database: ['base'],
  graphql: ['base', 'database/connection.ts'],
  access: ['base', 'database', 'graphql/context.ts'],
  http: ['base', 'services', 'access', 'graphql', 'database', 'api/to-service-error.ts'],

  'features/starboard': FEATURE,
  'features/space': FEATURE,
  'features/credential': FEATURE,
  'features/quest': FEATURE,
  features: [...FEATURE, 'features/starboard', 'features/space', 'features/credential', 'features/quest'],

  ranking: ['base', 'database', 'features/quest/quest.rules.ts', 'webhooks/events.ts', 'webhooks/outbox.ts'],
  jobs: ['base', 'database'],
  schedule: ['base', 'database', 'jobs', 'ranking', 'ingest/holders-sweep.ts', 'webhooks/sweep.ts'],
  ingest: ['base', 'services', 'database', 'ranking', 'api/json-schema.ts'],
  'ingest-api': [
    'base',
    'services',
    'database',
    'access',
    'api',
    'audit',
    'ingest',
    'objects',
    'ranking',
    'http/long-uploads.ts',
    'http/metrics.ts',
  ],
  objects: ['base', 'database', 'ingest', 'ranking'],
  sync: [
    'base',
    'services',
    'database',
    'jobs',
    'features',
    'ingest',
    'outgoing',
    'webhooks/events.ts',
    'webhooks/outbox.ts',
  ],
  webhooks: ['base', 'database', 'jobs', 'outgoing', 'accounts', 'api', 'rate-limit', 'sessions/with-account.ts'],
  tracing: ['base', 'outgoing'],
  distribution: ['database'],
  manual: ['base', 'http/page-policy.ts'],
  outgoing: ['base'],
  mirror: ['base', 'services', 'database', 'ingest', 'outgoing', 'sync/replace-list.ts'],
  demo: ['base', 'services', 'database', 'access', 'ingest', 'ranking'],

  'rate-limit': ['base', 'services', 'database'],
  audit: ['base', 'services', 'database', 'rate-limit'],
  accounts: ['base', 'services', 'database'],
  sessions: ['base', 'services', 'database', 'audit', 'accounts'],
  api: ['base', 'services', 'database/connection.ts', 'accounts/account.queries.ts', 'sessions'],
  identity: [...ACCOUNT, 'ranking'],
  person: [...ACCOUNT, 'ranking', 'oauth/app.queries.ts'],
  oauth: [...ACCOUNT, 'identity', 'http/static-page.ts'],
  dashboard: [
    ...ACCOUNT,
    'identity',
    'oauth',
    'person',
    'access',
    'features',
    'ingest',
    'ranking',
    'sync',
    'webhooks',
    'doctor',
    'graphql/context.ts',
  ],
  doctor: [
    'base',
    'services',
    'database',
    'access',
    'accounts',
    'api',
    'distribution',
    'features/space',
    'identity',
    'ingest',
    'oauth',
    'outgoing',
    'ranking',
    'schedule/sweeps.ts',
    'sync/sealed-source.ts',
    'webhooks/secrets.ts',
  ],
  command: ['*'],
}
