import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The folder in which the tests of a run keep the packed client; the run is named by its template of databases. */
export const packedClient = (template: string): string => join(tmpdir(), `${template}-client`)
