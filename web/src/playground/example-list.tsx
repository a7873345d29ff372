import { NavLink, Text } from '@mantine/core'
import { playground as texts } from '../texts/index.ts'
import { examples } from './examples.ts'
import type { Example } from './examples/example.ts'

const t = texts.examples

/** Every operation of the service as something to pick. */
export function ExampleList({
  chosen,
  onChoose,
}: {
  chosen: Example | undefined
  onChoose: (example: Example) => void
}) {
  const areas = [...new Set(examples.map((example) => example.area))]
  return (
    <div className="playground-scroller">
      <Text size="sm" c="dimmed" px="xs" pb="xs">
        {t.note}
      </Text>
      {areas.map((area) => (
        <section key={area} aria-label={t.areas[area]}>
          <Text size="xs" fw={700} tt="uppercase" px="xs" pt="xs">
            {t.areas[area]}
          </Text>
          {examples
            .filter((example) => example.area === area)
            .map((example) => (
              <NavLink
                key={example.name}
                component="button"
                className="playground-example"
                label={t.list[example.name]?.title}
                description={t.list[example.name]?.text}
                active={example === chosen}
                aria-current={example === chosen}
                onClick={() => onChoose(example)}
              />
            ))}
        </section>
      ))}
    </div>
  )
}
