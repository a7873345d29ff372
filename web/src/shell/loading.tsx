import { Loader } from '@mantine/core'
import { shell as texts } from '../texts/index.ts'

/** Only fades in after a moment, so that quick answers do not flicker. */
export function Loading() {
  return (
    <div className="loading" role="status" aria-label={texts.loading}>
      <Loader size="sm" />
    </div>
  )
}
