import { freshKey } from "../../asking/once.ts"
/** The service's limits for the images of a question. */
export const imageBounds = {
  count: 6,
  bytes: 8 * 1024 * 1024,
  allBytes: 20 * 1024 * 1024,
  pixels: 40_000_000
} as const

export const imageTypes: ReadonlyArray<string> = ["image/png", "image/jpeg", "image/webp", "image/gif"]

/** An image that is attached to the question. */
export interface Attached {
  readonly id: string
  readonly name: string
  readonly type: string
  readonly bytes: number
  /** The whole image as a data URL. */
  readonly address: string
}

/** The reason why an image is rejected. */
export type ImageFault = "type" | "bytes" | "all bytes" | "count" | "pixels" | "unreadable"

interface Sized {
  readonly type: string
  readonly size: number
}

/** Checks another image before it is read. Returns undefined if it is accepted. */
export const imageFault = (image: Sized, attached: ReadonlyArray<Pick<Attached, "bytes">>): ImageFault | undefined => {
  if (!imageTypes.includes(image.type)) return "type"
  if (attached.length >= imageBounds.count) return "count"
  if (image.size > imageBounds.bytes) return "bytes"
  const all = attached.reduce((sum, { bytes }) => sum + bytes, image.size)
  return all > imageBounds.allBytes ? "all bytes" : undefined
}

const addressOf = (file: Blob): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.addEventListener("load", () => resolve(typeof reader.result === "string" ? reader.result : ""))
    reader.addEventListener("error", () => reject(reader.error ?? new Error("The image could not be read")))
    reader.readAsDataURL(file)
  })

const pixelsOf = async (file: Blob): Promise<number> => {
  const bitmap = await createImageBitmap(file)
  const pixels = bitmap.width * bitmap.height
  bitmap.close()
  return pixels
}

/** Reads an image completely. */
export const attach = async (file: File): Promise<Attached | ImageFault> => {
  try {
    if (await pixelsOf(file) > imageBounds.pixels) return "pixels"
    const { name, size: bytes, type } = file
    return { id: freshKey(), name, type, bytes, address: await addressOf(file) }
  } catch {
    return "unreadable"
  }
}
