import { availableParallelism } from 'node:os'
import type { Command } from 'commander'
import { type Config, describeSettings, loadConfig, MAX_DEFAULT_WORKERS, withSettingFiles } from '../config.ts'
import { secretSource } from '../secrets/installation-secret.ts'
import { CHECKOUT_DATA_FOLDER } from '../settings/installation-folder.ts'
import { describeUnknownSetting } from '../settings/unknown-settings.ts'
import { inParagraph } from './columns.ts'
import { masked } from './mask.ts'
import { hint, OutputCommand, printResult } from './output.ts'

export const settingsNotice = `These are the settings that this command uses. The service may use other values: see
docs/deploy.md, "Commands with the settings of the service".`

/** `questboard config`: all settings in effect, with secrets masked. */
export function configCommand(): Command {
  return new OutputCommand('config').action(() => {
    const config = loadConfig(process.env) // throws for invalid settings
    hint(`${settingsNotice}\n`)
    const settings = settingsInEffect(process.env, config)
    printResult(settings, settings.map(settingText).join('\n'))
    for (const setting of config.unknown) hint(`Warning: ${describeUnknownSetting(setting)}.`)
  })
}

export interface SettingInEffect {
  name: string
  value: string
  origin: string
  description: string
}

/** The first line has name, value and origin. The description follows on indented lines. */
const settingText = ({ name, value, origin, description }: SettingInEffect) =>
  `${name}=${value}  (${origin})\n${inParagraph(description)}`

export const settingTexts = (environment: Record<string, string | undefined>, config?: Config): string[] =>
  settingsInEffect(environment, config).map(settingText)

/**
 * All settings, with secrets masked. @param config the loaded settings; without it, defaults that depend on the machine
 * or on other settings are not shown
 */
function settingsInEffect(environment: Record<string, string | undefined>, config?: Config): SettingInEffect[] {
  const withFiles = withSettingFiles(environment)
  const computed = config === undefined ? {} : computedDefaults(config)
  return describeSettings().map(({ name, description, staticDefault }) => {
    const [defaultValue, reason] = computed[name] ?? [staticDefault]
    const given = environment[name] || withFiles[name] || undefined
    const byDefault = reason === undefined ? 'default' : `default: ${reason}`
    const origin =
      given === undefined
        ? byDefault
        : given === environment[name]
          ? 'from the environment'
          : `from the file in ${name}_FILE`
    return { name, value: given === undefined ? (defaultValue ?? '') : masked(name, given), origin, description }
  })
}

/** Defaults that depend on the machine or on other settings, with the reason. */
function computedDefaults(config: Config): Record<string, [value: string, reason: string]> {
  const { workers, readConnections, production, demo, port } = config
  const cores = availableParallelism()
  const secretPath = secretSource({ secret: undefined, dataDir: config.dataDir })
  return {
    WORKERS: [
      String(workers),
      `${cores} available ${cores === 1 ? 'core' : 'cores'}, at most ${MAX_DEFAULT_WORKERS} workers`,
    ],
    DATABASE_URL: ['', 'the embedded PostgreSQL of QUESTBOARD_DATA_DIR'],
    QUESTBOARD_DATA_DIR: [
      config.dataDir,
      config.dataDir === CHECKOUT_DATA_FOLDER
        ? 'the folder data of the checkout'
        : 'the folder data in the current folder, because it contains files of the service',
    ],
    QUESTBOARD_PUBLIC_URL:
      port === 0
        ? ['', 'http://localhost with the port that the service selects']
        : [`http://localhost:${port}`, 'the address on this machine; set it if others use the service'],
    QUESTBOARD_DEMO: [String(demo), `NODE_ENV is ${production ? '' : 'not '}production`],
    QUESTBOARD_DATABASE_CONNECTIONS: [
      String(readConnections),
      `24 connections divided by ${workers} ${workers === 1 ? 'worker' : 'workers'}, at least 1 and at most 4 for each`,
    ],
    QUESTBOARD_SECRET: ['', secretPath === undefined ? 'a file, created at the first start' : `the file ${secretPath}`],
  }
}
