import { afterEach, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import { createRenderer } from '../../src/images/renderer.ts'
import { decodePng } from '../support/png.ts'

const square = (colour: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="2" height="2"><rect width="2" height="2" fill="${colour}"/></svg>`

describe('the renderer', () => {
  let renderer = createRenderer(systemClock)
  afterEach(async () => {
    await renderer.close()
    renderer = createRenderer(systemClock)
  })
  const colourOf = async (png: Promise<Buffer>) => decodePng(await png).pixels.toString('hex', 0, 4)

  it('draws each document, also when several are sent at once', async () => {
    const colours = ['ff0000ff', '00ff00ff', '0000ffff']
    expect(await Promise.all(colours.map((hex) => colourOf(renderer.render(square(`#${hex.slice(0, 6)}`)))))).toEqual(
      colours,
    )
  })

  it('rejects drawings when too many wait', async () => {
    const settled = await Promise.allSettled(Array.from({ length: 20 }, () => renderer.render(square('#123456'))))
    const refused = settled.filter((one) => one.status === 'rejected')
    expect(refused).toHaveLength(4)
    for (const { reason } of refused) expect(reason).toMatchObject({ code: 'UNAVAILABLE' })
    expect(await colourOf(renderer.render(square('#ffffff')))).toBe('ffffffff')
  })

  it('rejects drawings that have waited too long', async () => {
    let now = 0
    const busy = createRenderer({ monotonic: () => now })
    const [first, ...late] = Array.from({ length: 3 }, () => busy.render(square('#00ff00')))
    now = 15_001
    expect(await colourOf(first!)).toBe('00ff00ff')
    for (const one of await Promise.allSettled(late)) expect(one).toMatchObject({ reason: { code: 'UNAVAILABLE' } })
    expect(await colourOf(busy.render(square('#0000ff')))).toBe('0000ffff')
    await busy.close()
  })

  it('has a place for uploads when the images of pages wait, and draws them first', async () => {
    const order: string[] = []
    const pages = Array.from({ length: 16 }, () => renderer.render(square('#123456')).then(() => order.push('page')))
    await expect(renderer.render(square('#123456'))).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    const upload = renderer.render(square('#ff0000'), 'upload')
    void upload.then(() => order.push('upload'))
    expect(await colourOf(upload)).toBe('ff0000ff')
    await Promise.all(pages)
    expect(order.indexOf('upload')).toBe(1)
  })

  it('draws on after a document that cannot be read', async () => {
    const broken = renderer.render('<svg')
    const next = renderer.render(square('#00ff00'))
    await expect(broken).rejects.toThrow()
    expect(await colourOf(next)).toBe('00ff00ff')
  })

  it('loads nothing from other places', async () => {
    const image =
      '<image width="2" height="2" href="/etc/hostname"/><image width="2" height="2" href="http://127.0.0.1:9/x.png"/>'
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="2" height="2">${image}</svg>`
    expect(await colourOf(renderer.render(svg))).toBe('00000000')
  })
})
