import { format, resolveConfig } from 'prettier'
import { describeSettings } from '../server/src/config.ts'
import { splitLongCells } from './long-cells.ts'

const BETWEEN = /(<!-- settings -->\n)[\s\S]*(<!-- \/settings -->)/

/** Returns docs/settings.md with its table generated from config.ts. */
export async function withSettingsTable(markdown: string): Promise<string> {
  const settings = describeSettings()
  const { cells, below } = splitLongCells(
    settings.map(({ name, description }) => ({ name: `\`${name}\``, text: description })),
  )
  const rows = settings.map(
    ({ name, staticDefault }, index) =>
      `| \`${name}\` | ${cells[index]?.replaceAll('|', '\\|')} | ${staticDefault === '' ? '' : `\`${staticDefault}\``} |`,
  )
  const table = ['', '| Setting | Meaning | Default |', '| --- | --- | --- |', ...rows, below, ''].join('\n')
  const options = await resolveConfig(import.meta.filename)
  return format(
    markdown.replace(BETWEEN, (_, before: string, after: string) => `${before}${table}${after}`),
    { ...options, parser: 'markdown' },
  )
}
