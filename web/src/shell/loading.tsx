import { Loader, Skeleton } from '@mantine/core'
import { shell as texts } from '../texts/index.ts'

const WIDTHS = ['45%', '80%', '65%', '30%', '55%']

/** Shown while content loads. It appears after a delay, so that fast responses do not flicker. */
export function Loading({ rows = 4 }: { rows?: number }) {
  return (
    <div className="loading" role="status" aria-label={texts.loading}>
      {Array.from({ length: rows }, (_, n) => (
        <Skeleton key={n} height={14} width={WIDTHS[n % WIDTHS.length]} radius="sm" />
      ))}
    </div>
  )
}

/** Shown while a page outside the shell loads. */
export function LoadingPage() {
  return (
    <div className="loading-page" role="status" aria-label={texts.loading}>
      <Loader size="sm" />
    </div>
  )
}
