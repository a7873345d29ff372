import { type PageTexts, pageTexts } from '../texts/page-texts.ts'

type Faults = PageTexts['signInFailed']['faults']

/** An entry of the catalogue `signInFailed.faults`, with its parameter. */
export type PageFault = keyof Faults | readonly [fault: keyof Faults, parameter: string]

export function describeFault(faults: Faults, fault: PageFault): string {
  const [name, parameter = ''] = typeof fault === 'string' ? [fault] : fault
  return faults[name](parameter)
}

interface Extras {
  status?: number
  /** An English text for the developer of the app. */
  detail?: string
}

/** An error shown to the user, because the request has no trusted redirect URI. */
export class RequestPageError extends Error {
  override name = 'RequestPageError'
  readonly fault: PageFault
  readonly status: number
  readonly detail: string | undefined

  constructor(fault: PageFault, { status = 400, detail }: Extras = {}) {
    super([describeFault(pageTexts.en.signInFailed.faults, fault), detail].filter(Boolean).join(' '))
    this.fault = fault
    this.status = status
    this.detail = detail
  }
}
