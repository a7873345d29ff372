import { existsSync } from 'node:fs'
import { dirname, isAbsolute, join, relative } from 'node:path'

/** `data` beside the code, wherever a command is started. */
const OF_THE_CHECKOUT = join(import.meta.dirname, '../../../data')

/** What the service and its commands leave in a data folder; any of it shows that the folder is in use. */
const CONTENTS = ['postgres', 'secret', 'demo-token', 'mirror']

/**
 * The data folder of whoever names none: the checkout's, unless the working folder is outside of it and has one in use,
 * which an installation that is started from a folder of its own keeps.
 */
export function installationFolder(workingFolder: string, ofTheCheckout = OF_THE_CHECKOUT): string {
  // Commands once left one in any folder of the checkout.
  const below = relative(dirname(ofTheCheckout), workingFolder)
  if (!below.startsWith('..') && !isAbsolute(below)) return ofTheCheckout
  const here = join(workingFolder, 'data')
  return CONTENTS.some((name) => existsSync(join(here, name))) ? here : ofTheCheckout
}
