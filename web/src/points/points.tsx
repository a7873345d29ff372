import { mayManage } from '../content/rights.ts'
import { SpacePart } from '../content/space-part.tsx'
import type { PageProps } from '../navigation/page.ts'
import { Notice } from '../shell/notice.tsx'
import { points as texts } from '../texts/index.ts'
import { AwardForm } from './award-form.tsx'
import { Ledger } from './ledger.tsx'

/** `/content/spaces/:id/points`: the ledger of a space, awards and corrections. */
export default function PointsPage({ params: { id = '' } }: PageProps) {
  return (
    <SpacePart id={id} part="points" title={texts.of} lead={texts.lead}>
      {({ spaceId, standing }) =>
        mayManage(standing) ? (
          <>
            <AwardForm spaceId={spaceId} />
            <Ledger spaceId={spaceId} />
          </>
        ) : (
          <Notice title={texts.managersOnly} />
        )
      }
    </SpacePart>
  )
}
