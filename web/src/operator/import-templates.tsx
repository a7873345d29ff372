import { Anchor, Group } from '@mantine/core'
import { KINDS, templateOf } from '../api/imports.ts'
import { Section } from '../shell/section.tsx'
import { imports as t } from '../texts/operator-pages.ts'

/** A template file for each kind. */
export function ImportTemplates() {
  return (
    <Section title={t.templates} lead={t.templatesLead}>
      <Group gap="sm">
        {KINDS.map((kind) => (
          <Anchor
            key={kind}
            href={templateOf(kind)}
            download={`${kind}.csv`}
            aria-label={t.template(t.kinds[kind] ?? kind)}
          >
            {t.kinds[kind]}
          </Anchor>
        ))}
      </Group>
    </Section>
  )
}
