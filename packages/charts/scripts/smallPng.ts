import { crc32, deflateSync } from "node:zlib"

interface Pixels {
  readonly width: number
  readonly height: number
  /** Red, green, blue and alpha of each, all opaque. */
  readonly rgba: Uint8Array
}

const chunk = (type: string, data: Uint8Array): Buffer => {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}

const part = (color: number, shift: number): number => (color >> shift) & 255

/** A part as five bits can say it; white stays white. */
const fiveBits = (value: number): number => (value & 0xf8) | (value >> 5)

const distance = (a: number, b: number): number =>
  (part(a, 16) - part(b, 16)) ** 2 + (part(a, 8) - part(b, 8)) ** 2 + (part(a, 0) - part(b, 0)) ** 2

/** A PNG of at most 256 colours, those of most pixels: few for a chart, whose edges of letters are its only shades. */
export const smallPng = ({ height, rgba, width }: Pixels): Buffer => {
  const colors = new Uint32Array(width * height)
  const counts = new Map<number, number>()
  for (let i = 0; i < colors.length; i++) {
    // Five bits of each are enough to tell shades apart.
    const color = (fiveBits(rgba[4 * i]!) << 16) | (fiveBits(rgba[4 * i + 1]!) << 8) | fiveBits(rgba[4 * i + 2]!)
    colors[i] = color
    counts.set(color, (counts.get(color) ?? 0) + 1)
  }
  const palette = [...counts].sort((a, b) => b[1] - a[1]).slice(0, 256).map(([color]) => color)
  const places = new Map(palette.map((color, place) => [color, place]))
  const placeOf = (color: number): number => {
    const known = places.get(color)
    if (known !== undefined) return known
    let nearest = 0
    for (let i = 1; i < palette.length; i++) {
      if (distance(palette[i]!, color) < distance(palette[nearest]!, color)) nearest = i
    }
    places.set(color, nearest)
    return nearest
  }
  const lines = Buffer.alloc((width + 1) * height)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) lines[y * (width + 1) + 1 + x] = placeOf(colors[y * width + x]!)
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 3, 0, 0, 0], 8)
  const rgb = Buffer.from(palette.flatMap((color) => [part(color, 16), part(color, 8), part(color, 0)]))
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk("IHDR", header),
    chunk("PLTE", rgb),
    chunk("IDAT", deflateSync(lines, { level: 9 })),
    chunk("IEND", Buffer.alloc(0))
  ])
}
