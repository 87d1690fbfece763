import type { MediaType } from "../LanguageModel.ts"

/** The image type and size, as read from the first bytes of an image. */
export interface ImageHeader {
  readonly mediaType: MediaType
  readonly width: number
  readonly height: number
}

const ascii = (bytes: Uint8Array, from: number, length: number): string =>
  String.fromCharCode(...bytes.subarray(from, from + length))

const makeHeader = (mediaType: MediaType, width: number, height: number): ImageHeader | null =>
  width > 0 && height > 0 ? { mediaType, width, height } : null

const readPng = (view: DataView, bytes: Uint8Array): ImageHeader | null =>
  view.byteLength >= 24 && ascii(bytes, 0, 8) === "\x89PNG\r\n\x1a\n" && ascii(bytes, 12, 4) === "IHDR"
    ? makeHeader("image/png", view.getUint32(16), view.getUint32(20))
    : null

const readGif = (view: DataView, bytes: Uint8Array): ImageHeader | null =>
  view.byteLength >= 10 && /^GIF8[79]a$/.test(ascii(bytes, 0, 6))
    ? makeHeader("image/gif", view.getUint16(6, true), view.getUint16(8, true))
    : null

/** Returns whether a JPEG marker begins a frame. */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc

const readJpeg = (view: DataView): ImageHeader | null => {
  if (view.byteLength < 4 || view.getUint16(0) !== 0xffd8) return null
  let at = 2
  while (at + 9 <= view.byteLength && view.getUint8(at) === 0xff) {
    const marker = view.getUint8(at + 1)
    if (marker === 0xff) {
      at += 1
      continue
    }
    if (isFrame(marker)) return makeHeader("image/jpeg", view.getUint16(at + 7), view.getUint16(at + 5))
    const length = view.getUint16(at + 2)
    if (length < 2) return null
    at += 2 + length
  }
  return null
}

const uint24 = (view: DataView, at: number): number => view.getUint16(at, true) + view.getUint8(at + 2) * 0x10000

const readWebp = (view: DataView, bytes: Uint8Array): ImageHeader | null => {
  if (view.byteLength < 30 || ascii(bytes, 0, 4) !== "RIFF" || ascii(bytes, 8, 4) !== "WEBP") return null
  switch (ascii(bytes, 12, 4)) {
    case "VP8X":
      return makeHeader("image/webp", uint24(view, 24) + 1, uint24(view, 27) + 1)
    case "VP8L": {
      if (view.getUint8(20) !== 0x2f) return null
      const bits = view.getUint32(21, true)
      return makeHeader("image/webp", (bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1)
    }
    case "VP8 ":
      return uint24(view, 23) === 0x2a019d
        ? makeHeader("image/webp", view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff)
        : null
    default:
      return null
  }
}

/** Reads the type and size of an image from its bytes, or returns null for unsupported formats. */
export const readImageHeader = (bytes: Uint8Array): ImageHeader | null => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return readPng(view, bytes) ?? readJpeg(view) ?? readGif(view, bytes) ?? readWebp(view, bytes)
}
