import '../explore/explore.css'
import './my.css'
import { Button } from '@mantine/core'
import { Link } from 'wouter'
import { Notice } from '../shell/notice.tsx'
import { PageLayout } from '../shell/page-layout.tsx'
import { explainCode } from '../sign-in/explain.ts'
import { useRedirectAnswer } from '../sign-in/return-to.ts'
import { my as texts } from '../texts/index.ts'
import { OwnQuests } from './own-quests.tsx'
import { OwnRanks } from './own-ranks.tsx'
import { PointsHistory } from './points-history.tsx'

/** `/my`: ranks, quests and points of the signed-in user. */
export default function MyPage() {
  // Of an identity that was linked here, on another site.
  const { error } = useRedirectAnswer()
  const fault = error === undefined ? undefined : explainCode(error)
  return (
    <PageLayout
      title={texts.title}
      lead={texts.lead}
      actions={
        <Button component={Link} href="/explore/quests" variant="default">
          {texts.explore}
        </Button>
      }
    >
      {fault && (
        <Notice kind="fault" title={fault.title}>
          {fault.text}
        </Notice>
      )}
      <OwnRanks />
      <OwnQuests />
      <PointsHistory />
    </PageLayout>
  )
}
