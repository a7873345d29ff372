import { existsSync } from 'node:fs'
import { dirname, isAbsolute, join, relative } from 'node:path'

/** The folder `data` of the checkout, regardless of the current folder. */
export const CHECKOUT_DATA_FOLDER = join(import.meta.dirname, '../../../data')

/** The files and folders of an installation. If one of them exists in a folder, the folder is in use. */
const CONTENTS = ['postgres', 'secret', 'demo-token', 'mirror']

/**
 * The default data folder: `data` in the current folder, if the current folder is outside the checkout and `data` is in
 * use; otherwise `data` in the checkout.
 */
export function installationFolder(currentFolder: string, ofTheCheckout = CHECKOUT_DATA_FOLDER): string {
  // Earlier versions created a folder `data` in any folder of the checkout. Such folders are ignored.
  const below = relative(dirname(ofTheCheckout), currentFolder)
  if (!below.startsWith('..') && !isAbsolute(below)) return ofTheCheckout
  const here = join(currentFolder, 'data')
  return CONTENTS.some((name) => existsSync(join(here, name))) ? here : ofTheCheckout
}
