import { existsSync } from 'node:fs'
import { dirname, isAbsolute, join, relative } from 'node:path'

/** The `data` folder of the checkout, regardless of the working folder. */
const OF_THE_CHECKOUT = join(import.meta.dirname, '../../../data')

/** What the service and its commands leave in a data folder; any of it shows that the folder is in use. */
const CONTENTS = ['postgres', 'secret', 'demo-token', 'mirror']

/**
 * The default data folder: the folder of the checkout. If the working folder is outside of the checkout and contains a
 * data folder that is in use, that folder remains in use.
 */
export function installationFolder(workingFolder: string, ofTheCheckout = OF_THE_CHECKOUT): string {
  // Commands once left one in any folder of the checkout.
  const below = relative(dirname(ofTheCheckout), workingFolder)
  if (!below.startsWith('..') && !isAbsolute(below)) return ofTheCheckout
  const here = join(workingFolder, 'data')
  return CONTENTS.some((name) => existsSync(join(here, name))) ? here : ofTheCheckout
}
