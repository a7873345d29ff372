import { availableParallelism } from 'node:os'
import type { Command } from 'commander'
import { type Config, describeSettings, loadConfig, MAX_DEFAULT_WORKERS, withSettingFiles } from '../config.ts'
import { secretSource } from '../secrets/installation-secret.ts'
import { describeUnknownSetting } from '../settings/unknown-settings.ts'
import { inParagraph } from './columns.ts'
import { masked } from './mask.ts'
import { hint, OutputCommand, printResult } from './output.ts'

/** The service may run with other settings than this command. */
export const whoseSettings = `Settings of this command. The service may run with others: see
docs/deploy.md, "Commands with the settings of the service".`

/** `questboard config`: all settings in effect, secrets masked. */
export function configCommand(): Command {
  return new OutputCommand('config').action(() => {
    const config = loadConfig(process.env) // throws for invalid settings
    hint(`${whoseSettings}\n`)
    const settings = settingsInEffect(process.env, config)
    printResult(settings, settings.map(settingText).join('\n'))
    for (const setting of config.unknown) console.error(`Warning: ${describeUnknownSetting(setting)}.`)
  })
}

export interface SettingInEffect {
  name: string
  value: string
  origin: string
  description: string
}

/** Name, value and origin, with the meaning below. */
const settingText = ({ name, value, origin, description }: SettingInEffect) =>
  `${name}=${value}  (${origin})\n${inParagraph(description)}`

export const settingLines = (environment: Record<string, string | undefined>, config?: Config): string[] =>
  settingsInEffect(environment, config).map(settingText)

/** All settings, secrets masked. @param config the result of loading them */
function settingsInEffect(environment: Record<string, string | undefined>, config?: Config): SettingInEffect[] {
  const all = withSettingFiles(environment)
  const taken = config === undefined ? {} : takenByDefault(config)
  return describeSettings().map(({ name, description, value }) => {
    const [fallback, why] = taken[name] ?? [value]
    const given = environment[name] || all[name] || undefined
    const byDefault = why === undefined ? 'default' : `default: ${why}`
    const origin =
      given === undefined ? byDefault : given === environment[name] ? 'from the environment' : 'from a file'
    return { name, value: given === undefined ? (fallback ?? '') : masked(name, given), origin, description }
  })
}

/** Defaults that depend on the machine or on other settings, with the reason. */
function takenByDefault(config: Config): Record<string, [value: string, why: string]> {
  const { workers, readConnections, production, demo, port } = config
  const cores = availableParallelism()
  const folder = secretSource({ secret: undefined, dataDir: config.dataDir })
  return {
    WORKERS: [
      String(workers),
      `${cores} ${cores === 1 ? 'core' : 'cores'} to use, ${MAX_DEFAULT_WORKERS} workers at most`,
    ],
    DATABASE_URL: ['', 'the embedded PostgreSQL of QUESTBOARD_DATA_DIR'],
    QUESTBOARD_DATA_DIR: [config.dataDir, 'the folder in use'],
    QUESTBOARD_PUBLIC_URL: [port === 0 ? '' : `http://localhost:${port}`, 'only this machine'],
    QUESTBOARD_DEMO: [String(demo), `NODE_ENV is ${production ? '' : 'not '}production`],
    QUESTBOARD_DATABASE_CONNECTIONS: [
      String(readConnections),
      `24 for ${workers} ${workers === 1 ? 'worker' : 'workers'}, 1 to 4 each`,
    ],
    QUESTBOARD_SECRET: ['', folder === undefined ? 'a file, created at the first start' : `the file ${folder}`],
  }
}
