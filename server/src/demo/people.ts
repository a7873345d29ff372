import { base58, bech32 } from '@scure/base'
import { seededRandom, type SeededRandom } from './seeded-random.ts'

/** Someone of the demo community: the same person stands on several boards. */
export interface Person {
  address: string
  /** Absent for those who never chose a name. */
  username?: string
  avatar?: string
}

/** A well-known public address that the documentation's examples ask for. */
export const EXAMPLE_ADDRESS = '0xd8da6bf26964af9d7eed9e03e53415d37aa96045'

const FIRST = `Ada Aiko Alma Amara Anders Anika Arjun Astrid Aylin Bela Bruno Carmen Cesar Chidi Chloe Dara Davi Devika
Diego Dilan Dunja Edda Elif Elio Emeka Enzo Esra Farid Fatou Felix Femke Freya Gael Greta Hana Haruto Hedda Hugo Ida
Ilse Imani Ines Ivo Jana Jonas Juno Kaya Kemal Kira Kofi Lale Lars Leila Lena Levi Lina Linh Luca Luna Maja Malik Marek
Mateo Mei Mika Milan Mira Nadia Naomi Niko Nilo Noor Nora Oskar Otto Paola Priya Quinn Rafa Ravi Rhea Rio Rosa Ruben
Sami Sana Selma Sina Sofia Sven Taro Tess Tomas Uma Vera Viggo Wanda Wren Yara Yusuf Zane Zeynep Zofia`.split(/\s+/)
const ADJECTIVE =
  `amber brave calm clever cosmic curious daily distant early electric fearless frosty gentle golden hidden
honest humble indigo jolly keen kinetic lively lucid lunar mellow mighty misty modest neon nimble noble orbital patient
polar proud quiet radiant rapid restless rustic silent silver sleepy solar steady stellar sunny swift tidal tiny urban
velvet vivid wandering wild witty`.split(/\s+/)
const NOUN = `acorn anchor atlas badger beacon bison breeze bridge canyon cedar circuit comet compass coral crane delta
drifter ember falcon fern finch forge fox glacier harbor hawk heron island kestrel kite lantern lynx maple meadow moth
nomad nova oak orbit orca otter owl panda pebble pilot pine piper puffin quill raven reef ridge river sailor scout seal
sparrow spruce summit thicket tiger turtle valley voyager walrus willow wolf`.split(/\s+/)
const CRAFT = ['builds', 'writes', 'onchain', 'labs', 'mints', 'codes', 'hodls', 'xyz', 'eth', 'dao']

const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)

/** A name such as people choose: `WildOtter`, `Mira.eth`, `quiet_heron42`. */
export function chosenName(random: SeededRandom): string {
  const [first, adjective, noun] = [random.pick(FIRST), random.pick(ADJECTIVE), random.pick(NOUN)]
  switch (random.whole(0, 5)) {
    case 0:
      return `${capital(adjective)}${capital(noun)}`
    case 1:
      return `${first.toLowerCase()}.eth`
    case 2:
      return `${adjective}_${noun}${random.whole(1, 99)}`
    case 3:
      return `${first}${random.whole(70, 2024)}`
    case 4:
      return `0x${capital(noun)}`
    default:
      return `${first} ${capital(random.pick(CRAFT))}`
  }
}

/** A handle and a display name on X, unlike those of `taken`. */
export function xName(random: SeededRandom, taken: Set<string>): { username: string; name: string } {
  for (;;) {
    const [first, adjective, noun, craft] = [
      random.pick(FIRST),
      random.pick(ADJECTIVE),
      random.pick(NOUN),
      random.pick(CRAFT),
    ]
    const forms = [
      [`${first}_${craft}`, first],
      [`${adjective}${capital(noun)}`, `${capital(adjective)} ${capital(noun)}`],
      [`${first}${capital(noun)}`, `${first} ${capital(noun)}`],
      [`0x${capital(noun)}${random.whole(1, 999)}`, `0x${capital(noun)}`],
      [`${noun}${random.whole(10, 9999)}`, `${capital(noun)} 🌊`],
      [`the_${adjective}_${noun}`, `The ${capital(adjective)} ${capital(noun)}`],
    ] as const
    const [username, name] = random.pick(forms)
    const handle = username.toLowerCase()
    if (username.length > 15 || taken.has(handle)) continue
    taken.add(handle)
    return { username, name }
  }
}

function chainAddress(random: SeededRandom): string {
  const kind = random.next()
  if (kind < 0.955) return `0x${random.hex(40)}`
  if (kind < 0.985) return base58.encode(random.bytes(32))
  return bech32.encode(random.chance(0.5) ? 'inj' : 'sei', bech32.toWords(random.bytes(20)))
}

/** The first `count` people of the community, always the same ones. */
export function createPeople(count: number): Person[] {
  const random = seededRandom('people')
  return Array.from({ length: count }, (_, index) => {
    const address = index === 17 ? EXAMPLE_ADDRESS : chainAddress(random)
    const person: Person = { address }
    if (random.chance(0.76)) person.username = chosenName(random)
    if (random.chance(0.62)) person.avatar = `https://avatars.questboard.example/${random.hex(16)}.png`
    return person
  })
}
