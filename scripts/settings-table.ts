import { format, resolveConfig } from 'prettier'
import { describeSettings } from '../server/src/config.ts'

const BETWEEN = /(<!-- settings -->\n)[\s\S]*(<!-- \/settings -->)/

/** Returns docs/settings.md with its table generated from config.ts. */
export async function withSettingsTable(markdown: string): Promise<string> {
  const rows = describeSettings().map(
    ({ name, description, staticDefault }) =>
      `| \`${name}\` | ${description.replaceAll('|', '\\|')} | ${staticDefault === '' ? '' : `\`${staticDefault}\``} |`,
  )
  const table = ['', '| Setting | Meaning | Default |', '| --- | --- | --- |', ...rows, '', ''].join('\n')
  const options = await resolveConfig(import.meta.filename)
  return format(
    markdown.replace(BETWEEN, (_, before: string, after: string) => `${before}${table}${after}`),
    { ...options, parser: 'markdown' },
  )
}
