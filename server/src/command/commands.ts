import type { Command } from 'commander'
import { OutputCommand } from './output.ts'
import { withSettings } from './with-dependencies.ts'

/** A command of the first level. Its file, and what that imports, is loaded only when the command is used. */
export interface CommandEntry {
  name: string
  description: string
  load: () => Promise<Command>
}

const secrets = ['QUESTBOARD_SECRET', 'QUESTBOARD_OTHER_SECRETS'] as const
const database = withSettings()
const outgoing = withSettings('QUESTBOARD_OUTGOING_HOSTS', ...secrets)
const services = withSettings('PORT', 'QUESTBOARD_PUBLIC_URL', ...secrets)
const quotas = withSettings('QUESTBOARD_FREE_PER_SECOND', 'QUESTBOARD_FREE_PER_DAY')
const webhooks = withSettings(...secrets, 'QUESTBOARD_WEBHOOK_HOSTS')

/** Every command, in the order of the help. */
export const commands: readonly CommandEntry[] = [
  {
    name: 'import',
    description: 'import CSV or NDJSON files, gzipped or not: all of a file or nothing (docs/import.md)',
    load: async () => (await import('./import.ts')).importCommand(database),
  },
  {
    name: 'space',
    description: 'spaces: list, show, export and delete them',
    load: async () => (await import('./objects.ts')).objectCommand('space', database),
  },
  {
    name: 'sprint',
    description: 'sprints of spaces: list, show, export and delete them',
    load: async () => (await import('./objects.ts')).objectCommand('sprint', database),
  },
  {
    name: 'starboard',
    description: 'starboards: list, show, export and delete them',
    load: async () => (await import('./objects.ts')).objectCommand('starboard', database),
  },
  {
    name: 'credential',
    description: 'credentials: list, show, export and delete them',
    load: async () => (await import('./objects.ts')).objectCommand('credential', database),
  },
  {
    name: 'quest',
    description: 'quests: list, show, export and delete them',
    load: async () => (await import('./objects.ts')).objectCommand('quest', database),
  },
  {
    name: 'token',
    description: 'server access tokens for POST /query',
    load: async () => (await import('./token.ts')).tokenCommand(quotas),
  },
  {
    name: 'ingest-token',
    description: 'tokens that may write through POST /ingest/v1',
    load: async () => (await import('./ingest-token.ts')).ingestTokenCommand(database),
  },
  {
    name: 'usage',
    description: 'what a token asked for: requests by UTC day, operation and HTTP status',
    load: async () => (await import('./usage.ts')).usageCommand(database),
  },
  {
    name: 'account',
    description: 'accounts, which own tokens, spaces and apps',
    load: async () => (await import('./account.ts')).accountCommand(database),
  },
  {
    name: 'refresh',
    description: 'rank starboards now; a running service does so by itself within seconds of new samples',
    load: async () => (await import('./refresh.ts')).refreshCommand(database),
  },
  {
    name: 'sync',
    description: 'credentials whose holders come from a source',
    load: async () => (await import('./sync.ts')).syncCommand(outgoing),
  },
  {
    name: 'mirror',
    description: 'copy spaces, starboards, quests and credentials from a service that speaks the same interface',
    load: async () => (await import('./mirror.ts')).mirrorCommand(outgoing),
  },
  {
    name: 'webhook',
    description: 'signed webhooks: who hears of events, and how deliveries went',
    load: async () => (await import('./webhook.ts')).webhookCommand(webhooks),
  },
  {
    name: 'app',
    description: 'apps that sign users in with OAuth',
    load: async () => (await import('./app.ts')).appCommand(services),
  },
  {
    name: 'operator',
    description: 'accounts that decide about apps and read the audit log',
    load: async () => (await import('./operator.ts')).operatorCommand(services),
  },
  {
    name: 'keys',
    description: 'the keys of the installation: see them and replace them',
    load: async () => (await import('./keys.ts')).keysCommand(services),
  },
  {
    name: 'audit',
    description: 'security events: sign-ins, links, consents, replayed tokens, secrets, apps; newest first',
    load: async () => (await import('./audit.ts')).auditCommand(database),
  },
  {
    name: 'person',
    description: 'what is held about a person: show it, delete it',
    load: async () => (await import('./person.ts')).personCommand(database),
  },
  {
    name: 'migrate',
    description: 'bring the schema of the database up to date',
    load: async () => (await import('./migrate.ts')).migrateCommand(),
  },
  {
    name: 'database',
    description: 'how the tables lie on their servers',
    load: async () => (await import('./database.ts')).databaseCommand(database),
  },
  {
    name: 'config',
    description: 'show every setting, with secrets masked',
    load: async () => (await import('./config.ts')).configCommand(),
  },
  {
    name: 'doctor',
    description: 'check the database, the clock, the public URL, the keys and every configured upstream',
    load: async () => (await import('./doctor.ts')).doctorCommand(),
  },
  {
    name: 'completion',
    description: 'print the script that completes commands and options in a shell',
    load: async () => (await import('./completion.ts')).completionCommand(),
  },
]

/** The first level, with the commands loaded that `wanted` names. */
export async function programWith(name: string, wanted: (entry: CommandEntry) => boolean): Promise<Command> {
  const program = new OutputCommand(name).description('Commands for the operator of a Questboard installation.')
  for (const entry of commands) {
    const command = wanted(entry) ? await entry.load() : new OutputCommand(entry.name)
    program.addCommand(command.description(entry.description))
  }
  return program
}
