import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { publicPageQuery } from '../api/explore.ts'
import { explore as texts } from '../texts/index.ts'

/** Leads to the public page of a space, if it has one. */
export function CommunityLink({ spaceId }: { spaceId: string }) {
  const slug = useQuery(publicPageQuery(spaceId)).data?.slug ?? null
  if (slug === null) return null
  return (
    <Button component="a" href={`/s/${slug}`} variant="default">
      {texts.publicPage.community}
    </Button>
  )
}
