import { Button } from '@mantine/core'
import { type EditedSpace, exportSpace } from '../api/content.ts'
import { download } from '../shell/download.ts'
import { Fault } from '../shell/fault.tsx'
import { Section } from '../shell/section.tsx'
import { useMutation } from '../shell/use-mutation.ts'
import { content as texts } from '../texts/index.ts'

/** Saves a space as a file that `questboard apply` takes. */
export function ExportSpace({ space: { spaceId } }: { space: EditedSpace }) {
  const take = useMutation({
    mutationFn: () => exportSpace(spaceId),
    onSuccess: (file) => download(`space-${spaceId}.json`, file),
  })
  return (
    <Section title={texts.space.exportTitle} lead={texts.space.exportLead}>
      <div>
        <Button variant="default" loading={take.isPending} onClick={() => take.mutate()}>
          {texts.space.export}
        </Button>
      </div>
      <Fault error={take.error} />
    </Section>
  )
}
