import { Command } from 'commander'
import { toType } from './called-as.ts'
import type { Dependencies } from '../dependencies.ts'
import { addToSecretFile, newSecret, secretSource } from '../identity/installation-secret.ts'
import { countAllSealed } from '../doctor/sealed.ts'
import { audit, INSTALLATION, type SecurityEvent } from '../identity/audit.ts'
import type { SealedCount } from '../identity/resealing.ts'
import { createSignIn } from '../identity/sign-in.ts'
import { listSigningKeys } from '../oauth/signing-key.queries.ts'
import { rotateSigningKey } from '../oauth/signing-keys.ts'
import type { WithDependencies } from './token.ts'

const RESTARTED =
  'Every process of the service must have been started with the secret of now: one that was not cannot open what is sealed here. Restart it.'

const STEPS = `A new secret; nothing has changed yet. The steps:
  1. Put the value below into QUESTBOARD_SECRET, and the one of now into QUESTBOARD_OTHER_SECRETS.
  2. Restart every process of the service.
  3. ${toType('keys reseal')}; then the old one is not needed any more.`

/** Some values cannot be opened with any secret that is known here. */
export class LostKeysError extends Error {
  override name = 'LostKeysError'
}

/** `questboard keys …`: the keys of the installation, and how to replace them (docs/operations.md, "Keys"). */
export function keysCommand(withDependencies: WithDependencies): Command {
  const keys = new Command('keys').description('the keys of the installation: see them and replace them')

  keys
    .command('status')
    .description('which secret seals what, and which key signs')
    .action(() =>
      withDependencies(async (deps) => {
        for (const { keyId, createdAt } of await listSigningKeys(deps.database))
          console.log(`signing key ${keyId}, made ${createdAt.toISOString()}`)
        report(await countAll(deps, false))
      }),
    )

  keys
    .command('rotate-signing-key')
    .description('make a new key for id_tokens; the one before stays published until its last token has expired')
    .action(() =>
      withDependencies(async (deps) => {
        const { keyId } = await rotateSigningKey(createSignIn(deps))
        console.error('The id of the new signing key, which signs from now on; there is nothing else to do:')
        console.log(keyId)
        await note(deps, 'keys.signing-key-rotated', { keyId })
      }),
    )

  keys
    .command('new-secret')
    .description('make a new secret of the installation: into its file, or printed when it comes from a setting')
    .action(() =>
      withDependencies(async (deps) => {
        const { config, random } = deps
        if (secretSource(config) === 'QUESTBOARD_SECRET') {
          console.error(STEPS)
          return console.log(newSecret(random))
        }
        const path = addToSecretFile(config.dataDir, random)
        console.error(`Restart the service, then run ${toType('keys reseal')}. The old secret is the next line of:`)
        console.log(path)
        await note(deps, 'keys.secret-made', {})
      }),
    )

  keys
    .command('reseal')
    .description(
      'encrypt anew what another accepted secret sealed, so that only the secret of now is needed; first restart every process of the service',
    )
    .action(() =>
      withDependencies(async (deps) => {
        const before = await countAll(deps, false)
        if (before.some(({ other }) => other > 0)) console.error(RESTARTED)
        const counts = await countAll(deps, true)
        const resealed = before.reduce((sum, { other }) => sum + other, 0)
        if (resealed > 0) await note(deps, 'keys.resealed', { values: String(resealed) })
        report(counts)
      }),
    )

  return keys
}

const note = (deps: Dependencies, event: SecurityEvent, details: Record<string, string>) =>
  audit(deps, { accountId: INSTALLATION, event, details: { ...details, by: 'command' } })

const countAll = (deps: Dependencies, reseal: boolean) => countAllSealed(createSignIn(deps), reseal)

/** @throws LostKeysError */
function report(counts: SealedCount[]): void {
  for (const { name, current, other, lost } of counts)
    console.log(`${name}: ${current} under the secret, ${other} under another one, ${lost.length} under none of them`)
  const lost = counts.flatMap(({ name, lost: names }) => names.map((which) => `  ${name}: ${which}`))
  if (lost.length > 0)
    throw new LostKeysError(
      `These were sealed under a secret that is not known here; add it to QUESTBOARD_OTHER_SECRETS:\n${lost.join('\n')}`,
    )
  console.log(
    counts.some(({ other }) => other > 0)
      ? `The other secrets are still needed: run ${toType('keys reseal')}.`
      : 'Nothing needs another secret than that of now.',
  )
}
