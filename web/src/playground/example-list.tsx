import { NavLink, Text } from '@mantine/core'
import { texts } from '../texts/playground.ts'
import { examples } from './examples.ts'
import type { Example } from './examples/example.ts'

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
    <div className="scroller">
      <Text size="sm" c="dimmed" px="xs" pb="xs">
        {texts.playground.examples.note}
      </Text>
      {areas.map((area) => (
        <section key={area} aria-label={area}>
          <Text size="xs" fw={700} tt="uppercase" px="xs" pt="xs">
            {area}
          </Text>
          {examples
            .filter((example) => example.area === area)
            .map((example) => (
              <NavLink
                key={example.name}
                component="button"
                className="example"
                label={example.title}
                description={example.description}
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
