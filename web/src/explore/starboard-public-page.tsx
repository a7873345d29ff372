import { Anchor, Button, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { publishStarboard, starboardPageQuery, unpublishStarboard } from '../api/explore.ts'
import { ConfirmButton } from '../shell/confirm-button.tsx'
import { Fault } from '../shell/fault.tsx'
import { Section } from '../shell/section.tsx'
import { toast } from '../shell/toasts.tsx'
import { useMutation } from '../shell/use-mutation.ts'
import { explore } from '../texts/index.ts'

const texts = explore.publicPage

/** The public page of a starboard; its owner and operators can publish and remove it. */
export function StarboardPublicPage({ id }: { id: string }) {
  const page = useQuery(starboardPageQuery(id)).data
  const publish = useMutation({ mutationFn: () => publishStarboard(id), onSuccess: () => toast(texts.published) })
  const remove = useMutation({ mutationFn: () => unpublishStarboard(id), onSuccess: () => toast(texts.removed) })
  if (!page || (!page.editable && page.url === null)) return null
  return (
    <Section title={texts.title} {...(page.editable && { lead: texts.starboardLead })}>
      {page.url !== null && (
        <Text>
          <Anchor href={page.url} underline="always">
            {page.url}
          </Anchor>
        </Text>
      )}
      {page.editable && page.url === null && (
        <div>
          <Button loading={publish.isPending} onClick={() => publish.mutate()}>
            {texts.publish}
          </Button>
        </div>
      )}
      {page.editable && page.url !== null && (
        <div>
          <ConfirmButton
            label={texts.remove}
            question={texts.starboardRemoveQuestion}
            pending={remove.isPending}
            onConfirm={() => remove.mutate()}
          />
        </div>
      )}
      <Fault error={publish.error ?? remove.error} />
    </Section>
  )
}
