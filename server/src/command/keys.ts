import type { Command } from 'commander'
import type { Transaction } from 'kysely'
import type { DB } from '../database/tables.ts'
import { toType } from './called-as.ts'
import type { Dependencies } from '../dependencies.ts'
import { addToSecretFile, newSecret, secretSource } from '../secrets/installation-secret.ts'
import { countAllSealed } from '../doctor/sealed.ts'
import { readSealing, sayBehind, type SealingProcess } from '../doctor/sealing-processes.queries.ts'
import { audit, INSTALLATION, NO_NETWORK, type SecurityEvent } from '../audit/audit.ts'
import type { SealedCount } from '../secrets/resealing.ts'
import { createServices } from '../services.ts'
import { listSigningKeys } from '../oauth/signing-key.queries.ts'
import { rotateSigningKey, withEnds } from '../oauth/signing-keys.ts'
import { hint, OutputCommand, printResult, printSecret } from './output.ts'
import { requireSecretOfService } from './secret-of-service.ts'
import type { WithDependencies } from './token.ts'

const NONE_SEEN =
  'No running instance of the service is seen; one that reaches PostgreSQL through a pooler never is. If one runs that was not started with the secret of now, restart it: it cannot open what is sealed here.'

const KEPT = 'there is nothing else to do'
const WITHDRAWN = 'apps that remember the published keys refuse the others once they ask for them again'

const STEPS = `A new secret; nothing has changed yet. The steps:
  1. Put the value below into QUESTBOARD_SECRET, and the one of now into QUESTBOARD_OTHER_SECRETS.
  2. Restart every instance of the service.
  3. ${toType('keys reseal')}; then the old one is not needed any more.`

/** Some values cannot be opened with any secret that is known here. */
export class LostKeysError extends Error {
  override name = 'LostKeysError'
}

/** A running instance would suffer. */
export class NotResealedError extends Error {
  override name = 'NotResealedError'
}

/** `questboard keys …`: the keys of the installation, and how to replace them (docs/security.md, "Keys"). */
export function keysCommand(withDependencies: WithDependencies): Command {
  const keys = new OutputCommand('keys')

  keys
    .command('status')
    .description(
      'which secret seals what, which key signs, and whether an instance of the service seals with another secret',
    )
    .action(() =>
      withDependencies(async (deps) => {
        const signingKeys = withEnds(await listSigningKeys(deps.database)).map(({ keyId, createdAt, endsAt }) => ({
          keyId,
          createdAt,
          endsAt,
        }))
        const lines = signingKeys.map(
          ({ keyId, createdAt, endsAt }) =>
            `signing key ${keyId}, made ${createdAt.toISOString()}${endsAt ? `, published until ${endsAt.toISOString()}` : ''}`,
        )
        report({ signingKeys }, lines, await countAll(deps, false), await runningInstances(deps))
      }),
    )

  keys
    .command('rotate-signing-key')
    .description('make a new key for id_tokens; the one before stays published until its last token has expired')
    .option('--withdraw-others', 'when a key has leaked: no id_token of before is valid any more')
    .action(({ withdrawOthers = false }: { withdrawOthers?: boolean }) =>
      withDependencies(async (deps) => {
        await requireSecretOfService(deps)
        const { keyId } = await rotateSigningKey(createServices(deps), {
          withdrawOthers,
          note: (transaction, made) =>
            note(
              deps,
              'keys.signing-key-rotated',
              { keyId: made, ...(withdrawOthers && { others: 'withdrawn' }) },
              transaction,
            ),
        })
        const next = withdrawOthers ? WITHDRAWN : KEPT
        printSecret({ keyId }, keyId, `The id of the new signing key, which signs from now on; ${next}:`)
      }),
    )

  keys
    .command('new-secret')
    .description('make a new secret of the installation: into its file, or printed when it comes from a setting')
    .action(() =>
      withDependencies(async (deps) => {
        const { config, random } = deps
        if (secretSource(config) === 'QUESTBOARD_SECRET') {
          const secret = newSecret(random)
          return printSecret({ secret }, secret, STEPS)
        }
        // The entry first: without it no secret is made.
        const path = await deps.database.kysely.transaction().execute(async (transaction) => {
          await note(deps, 'keys.secret-made', {}, transaction)
          return addToSecretFile(config.dataDir, random)
        })
        const steps = `Restart the service, then run ${toType('keys reseal')}. The old secret is the next line of:`
        printSecret({ file: path }, path, steps)
      }),
    )

  keys
    .command('reseal')
    .description('encrypt anew what another accepted secret sealed, so that only the secret of now is needed')
    .option('--force', 'also while an instance of the service seals with another secret')
    .action(({ force }: { force?: true }) =>
      withDependencies(async (deps) => {
        const running = await runningInstances(deps)
        const behind = sayBehind(running)
        if (behind !== '' && !force)
          throw new NotResealedError(
            `Nothing was resealed: an instance of the service seals with another secret (${behind}). It may not open what is sealed anew, and what it seals needs its secret. Restart it with the secret of now and repeat this, or give --force; if the secret of this command is the wrong one, run it with the settings of the service.`,
          )
        if (running.length === 0) hint(NONE_SEEN)
        const before = await countAll(deps, false)
        await countAll(deps, true)
        const resealed = before.reduce((sum, { other }) => sum + other, 0)
        if (resealed > 0)
          await deps.database.kysely
            .transaction()
            .execute((transaction) => note(deps, 'keys.resealed', { values: String(resealed) }, transaction))
        // What was sealed, and who was started, in the meantime.
        report({ resealed }, [], await countAll(deps, false), await runningInstances(deps))
      }),
    )

  return keys
}

const note = (
  deps: Dependencies,
  event: SecurityEvent,
  details: Record<string, string>,
  transaction: Transaction<DB>,
) =>
  audit(
    deps,
    { accountId: INSTALLATION, event, network: NO_NETWORK, details: { ...details, by: 'command' } },
    transaction,
  )

const countAll = (deps: Dependencies, reseal: boolean) => countAllSealed(createServices(deps), reseal)

const runningInstances = (deps: Dependencies) => readSealing(deps.database.kysely, createServices(deps).secret)

/** @throws LostKeysError */
function report(
  record: object,
  lines: readonly string[],
  counts: SealedCount[],
  running: readonly SealingProcess[],
): void {
  const sealed = counts.map(
    ({ name, current, other, lost }) =>
      `${name}: ${current} under the secret, ${other} under another one, ${lost.length} under none of them`,
  )
  const needed = conclusion(counts, sayBehind(running))
  const lost = counts.flatMap(({ name, lost: names }) => names.map((which) => `  ${name}: ${which}`))
  printResult(
    { ...record, sealed: counts, conclusion: needed },
    [...lines, ...sealed, ...(lost.length > 0 ? [] : [needed])].join('\n'),
  )
  if (lost.length > 0)
    throw new LostKeysError(
      `These were sealed under a secret that is not known here; add it to QUESTBOARD_OTHER_SECRETS:\n${lost.join('\n')}`,
    )
}

function conclusion(counts: readonly SealedCount[], behind: string): string {
  const needed = 'The other secrets are still needed'
  const reseal = toType('keys reseal')
  if (behind !== '')
    return `${needed}: an instance of the service seals with another one (${behind}). Restart it with the secret of now, then run ${reseal}.`
  if (counts.some(({ other }) => other > 0)) return `${needed}: run ${reseal}.`
  return 'Nothing needs another secret than that of now.'
}
