import { crc32, deflateSync } from "node:zlib"

interface Pixels {
  readonly width: number
  readonly height: number
  /** The red, green, blue and alpha byte of each pixel, where alpha is always 255. */
  readonly rgba: Uint8Array
}

const makeChunk = (type: string, data: Uint8Array): Buffer => {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}

const getChannel = (color: number, shift: number): number => (color >> shift) & 255

const toFiveBits = (value: number): number => (value & 0xf8) | (value >> 5)

const distance = (a: number, b: number): number =>
  (getChannel(a, 16) - getChannel(b, 16)) ** 2 + (getChannel(a, 8) - getChannel(b, 8)) ** 2 +
  (getChannel(a, 0) - getChannel(b, 0)) ** 2

/** Encodes a PNG with a palette of the image's 256 most frequent colours. */
export const encodeSmallPng = ({ height, rgba, width }: Pixels): Buffer => {
  const colors = new Uint32Array(width * height)
  const counts = new Map<number, number>()
  for (let i = 0; i < colors.length; i++) {
    // Five bits per channel keep the visible shades distinct.
    const color = (toFiveBits(rgba[4 * i]!) << 16) | (toFiveBits(rgba[4 * i + 1]!) << 8) | toFiveBits(rgba[4 * i + 2]!)
    colors[i] = color
    counts.set(color, (counts.get(color) ?? 0) + 1)
  }
  const palette = [...counts].sort((a, b) => b[1] - a[1]).slice(0, 256).map(([color]) => color)
  const paletteIndices = new Map(palette.map((color, index) => [color, index]))
  const findPaletteIndex = (color: number): number => {
    const knownIndex = paletteIndices.get(color)
    if (knownIndex !== undefined) return knownIndex
    let nearest = 0
    for (let i = 1; i < palette.length; i++) {
      if (distance(palette[i]!, color) < distance(palette[nearest]!, color)) nearest = i
    }
    paletteIndices.set(color, nearest)
    return nearest
  }
  const lines = Buffer.alloc((width + 1) * height)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) lines[y * (width + 1) + 1 + x] = findPaletteIndex(colors[y * width + x]!)
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 3, 0, 0, 0], 8)
  const rgb = Buffer.from(
    palette.flatMap((color) => [getChannel(color, 16), getChannel(color, 8), getChannel(color, 0)])
  )
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    makeChunk("IHDR", header),
    makeChunk("PLTE", rgb),
    makeChunk("IDAT", deflateSync(lines, { level: 9 })),
    makeChunk("IEND", Buffer.alloc(0))
  ])
}
