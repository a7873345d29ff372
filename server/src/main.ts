import { systemClock } from './clock.ts'
import { ConfigError, loadConfig } from './config.ts'
import { createLog } from './log.ts'
import { systemRandom } from './random.ts'
import { serve } from './serve.ts'

try {
  const config = loadConfig(process.env)
  await serve(config, { clock: systemClock, random: systemRandom, log: createLog(config) })
} catch (error) {
  if (!(error instanceof ConfigError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 2
}
