import { Command } from 'commander'
import { describeSettings, loadConfig, withSettingFiles } from '../config.ts'
import { masked } from './mask.ts'

/** A service that something else started may have been given others. */
export const whoseSettings = `Settings that this command was started with. A service that was started elsewhere may have others:
docs/deploy.md, "Commands with the settings of the service", says how to ask with its own.`

/** `questboard config`: every setting as it is in effect, secrets masked. */
export function configCommand(): Command {
  return new Command('config').description('show every setting, with secrets masked').action(() => {
    const { dataDir } = loadConfig(process.env) // refuses settings that cannot be used
    process.stderr.write(`${whoseSettings}\n\n`)
    for (const line of settingLines(process.env, dataDir)) console.log(line)
  })
}

/**
 * One line a setting: name, value, and where the value comes from; the meaning below it.
 * @param dataDir the folder that is used when none is named
 */
export function settingLines(environment: Record<string, string | undefined>, dataDir = ''): string[] {
  const all = withSettingFiles(environment)
  return describeSettings().flatMap(({ name, description, value }) => {
    const fallback = name === 'QUESTBOARD_DATA_DIR' ? dataDir : value
    const given = environment[name] || all[name] || undefined
    const origin =
      given === undefined ? 'default' : given === environment[name] ? 'from the environment' : 'from a file'
    return [`${name}=${masked(name, given ?? fallback)}  (${origin})`, `    ${description}`]
  })
}
