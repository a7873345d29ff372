import type { Command } from 'commander'
import { PROGRAM_NAME } from '../settings/called-as.ts'
import { OutputCommand } from './output.ts'
import { withSettings } from './with-dependencies.ts'

/** A top-level command. Its file is imported only when the command is used. */
export interface CommandEntry {
  name: string
  description: string
  load: () => Promise<Command>
}

const secrets = ['QUESTBOARD_SECRET', 'QUESTBOARD_OTHER_SECRETS'] as const
const database = withSettings()
const outgoing = withSettings('QUESTBOARD_OUTGOING_HOSTS', ...secrets)
const services = withSettings('PORT', 'QUESTBOARD_PUBLIC_URL', ...secrets)
const statements = withSettings('PORT', 'QUESTBOARD_PUBLIC_URL', 'QUESTBOARD_STATEMENT_KEY', ...secrets)
const quotas = withSettings('QUESTBOARD_FREE_PER_SECOND', 'QUESTBOARD_FREE_PER_DAY')
const webhooks = withSettings(...secrets, 'QUESTBOARD_WEBHOOK_HOSTS')

/** All commands, in the order of the help. */
export const commands: readonly CommandEntry[] = [
  {
    name: 'import',
    description:
      'import CSV or NDJSON files, optionally gzipped; each file is stored completely or not at all (docs/import.md)',
    load: async () => (await import('./import.ts')).importCommand(database),
  },
  {
    name: 'apply',
    description: 'create and change the objects of YAML or JSON files (docs/guides/programme-in-git.md)',
    load: async () => (await import('./apply.ts')).applyCommand(outgoing),
  },
  {
    name: 'export',
    description: 'print spaces and starboards as a file for apply',
    load: async () => (await import('./export.ts')).exportCommand(outgoing),
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
    name: 'ledger',
    description: 'the ledger of points of a space: verify and export it, reverse entries',
    load: async () => (await import('./ledger.ts')).ledgerCommand(database),
  },
  {
    name: 'snapshot',
    description: 'sealed lists with Merkle proofs, for airdrops (docs/snapshots.md)',
    load: async () => (await import('./snapshot.ts')).snapshotCommand(statements),
  },
  {
    name: 'rules',
    description: 'rules that give points: show, set, compare and replay them (docs/rules.md)',
    load: async () => (await import('./rules.ts')).rulesCommand(database),
  },
  {
    name: 'ban',
    description: 'exclude accounts and addresses from boards, claims and snapshots (docs/bans.md)',
    load: async () => (await import('./ban.ts')).banCommand(database),
  },
  {
    name: 'token',
    description: 'server tokens for POST /query',
    load: async () => (await import('./token.ts')).tokenCommand(quotas),
  },
  {
    name: 'ingest-token',
    description: 'tokens that may write through POST /ingest/v1',
    load: async () => (await import('./ingest-token.ts')).ingestTokenCommand(database),
  },
  {
    name: 'usage',
    description: 'requests of a token by UTC day, operation and HTTP status',
    load: async () => (await import('./usage.ts')).usageCommand(database),
  },
  {
    name: 'account',
    description: 'accounts, which own tokens, spaces and apps: list, suspend and resume them, give them spaces',
    load: async () => (await import('./account.ts')).accountCommand(database),
  },
  {
    name: 'refresh',
    description: 'rank starboards now; a running service does this within seconds of new samples',
    load: async () => (await import('./refresh.ts')).refreshCommand(database),
  },
  {
    name: 'sync',
    description: 'credentials whose holders come from a source',
    load: async () => (await import('./sync.ts')).syncCommand(outgoing),
  },
  {
    name: 'mirror',
    description: 'copy spaces, starboards, quests and credentials from a service with the same API',
    load: async () => (await import('./mirror.ts')).mirrorCommand(outgoing),
  },
  {
    name: 'webhook',
    description: 'signed webhooks: endpoints, events and deliveries',
    load: async () => (await import('./webhook.ts')).webhookCommand(webhooks),
  },
  {
    name: 'app',
    description: 'apps that sign users in with OAuth',
    load: async () => (await import('./app.ts')).appCommand(services),
  },
  {
    name: 'operator',
    description: 'operators: list and invite them, grant and withdraw the role',
    load: async () => (await import('./operator.ts')).operatorCommand(services),
  },
  {
    name: 'keys',
    description: 'the keys of the installation: show and rotate them, replace the secret',
    load: async () => (await import('./keys.ts')).keysCommand(services),
  },
  {
    name: 'audit',
    description: 'security events: sign-ins, linked identities, consents, replayed tokens, secrets, apps; newest first',
    load: async () => (await import('./audit.ts')).auditCommand(database),
  },
  {
    name: 'person',
    description: 'the data about a person: export or erase it',
    load: async () => (await import('./person.ts')).personCommand(database),
  },
  {
    name: 'migrate',
    description: 'update the schema of the database',
    load: async () => (await import('./migrate.ts')).migrateCommand(),
  },
  {
    name: 'database',
    description: 'distribute the tables over a Citus cluster',
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
    load: async () => (await import('./completion.ts')).completionCommand(() => programWith(PROGRAM_NAME, () => true)),
  },
]

/** The program, with the commands loaded that `wanted` selects. */
export async function programWith(name: string, wanted: (entry: CommandEntry) => boolean): Promise<Command> {
  const program = new OutputCommand(name).description('Commands for the operator of a Questboard installation.')
  for (const entry of commands) {
    const command = wanted(entry) ? await entry.load() : new OutputCommand(entry.name)
    program.addCommand(command.description(entry.description))
  }
  return program
}
