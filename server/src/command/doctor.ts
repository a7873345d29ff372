import { type Command, InvalidArgumentError } from 'commander'
import { SECOND, systemClock } from '../clock.ts'
import { withSettingFiles } from '../config.ts'
import { examine } from '../doctor/examine.ts'
import type { Finding } from '../doctor/finding.ts'
import { asTyped } from '../settings/called-as.ts'
import { createLog } from '../logging/log.ts'
import { settingsNotice } from './config.ts'
import { loadCommandConfig } from './load-command-config.ts'
import { secretFilter } from './mask.ts'
import { hint, OutputCommand, printResult } from './output.ts'

interface DoctorOptions {
  timeout: number
}

/** `questboard doctor`: checks an installation. Exit status 1 if it finds a problem. */
export function doctorCommand(): Command {
  return new OutputCommand('doctor')
    .option('--timeout <seconds>', 'timeout for each server that is checked, in seconds', readSeconds, 10)
    .action(async ({ timeout }: DoctorOptions) => {
      const config = await loadCommandConfig(process.env)
      hint(`${settingsNotice}\n`)
      const log = createLog({ logLevel: 'silent' })
      const findings = await examine({ config, clock: systemClock, log, timeout: timeout * SECOND })
      const hide = secretFilter(withSettingFiles(process.env))
      const shown = findings.map(({ name, state, says, advice }) => ({
        name,
        state,
        says: hide(says),
        ...(advice !== undefined && { advice: hide(asTyped(advice)) }),
      }))
      printResult(shown, reportLines(shown).join('\n'))
      if (findings.some(({ state }) => state === 'problem')) process.exitCode = 1
    })
}

const STATE_WIDTH = 9

function reportLines(findings: readonly Pick<Finding, 'name' | 'state' | 'says' | 'advice'>[]): string[] {
  const width = Math.max(...findings.map(({ name }) => name.length)) + 2
  const lines = findings.flatMap(({ name, state, says, advice }) => [
    `${state.padEnd(STATE_WIDTH)}${name.padEnd(width)}${says}`,
    ...(advice === undefined ? [] : [`${' '.repeat(STATE_WIDTH + width)}→ ${advice}`]),
  ])
  const problems = findings.filter(({ state }) => state === 'problem').length
  return [...lines, '', problems === 0 ? 'No problems.' : `${problems} ${problems === 1 ? 'problem' : 'problems'}.`]
}

function readSeconds(text: string): number {
  if (!/^\d{1,3}(\.\d)?$/.test(text) || Number(text) < 0.1) throw new InvalidArgumentError('must be 0.1 to 999')
  return Number(text)
}
