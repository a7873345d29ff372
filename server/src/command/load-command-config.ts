import { type Config, loadConfig, type Settings, withSettingFiles } from '../config.ts'
import { findPort } from '../settings/port-of-service.ts'

/**
 * The settings of a command. Without PORT, the port is the one of the running service, so that the output has its URL.
 * @param needed the settings that must be valid; default: all
 */
export async function loadCommandConfig(
  environment: NodeJS.ProcessEnv,
  needed?: readonly (keyof Settings)[],
): Promise<Config> {
  const config = loadConfig(environment, needed)
  const port = withSettingFiles(environment).PORT ? undefined : await findPort(config)
  return { ...config, port: port ?? config.port }
}
