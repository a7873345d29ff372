import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { spaceQuery } from '../api/content.ts'
import { content as texts } from '../texts/index.ts'

/** A link from an object to the space that contains it. */
export function SpaceLink({ spaceId }: { spaceId: number }) {
  const name = useQuery(spaceQuery(String(spaceId))).data?.name
  return <Link href={`/content/spaces/${spaceId}`}>{name ?? texts.space.one}</Link>
}
