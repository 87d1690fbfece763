import { randomKey } from "../../requests/idempotencyKeys.ts"
/** The service's limits for the number, bytes and pixels of a question's images. */
export const imageLimits = {
  count: 6,
  bytes: 8 * 1024 * 1024,
  allBytes: 20 * 1024 * 1024,
  pixels: 40_000_000
} as const

export const imageTypes: ReadonlyArray<string> = ["image/png", "image/jpeg", "image/webp", "image/gif"]

export interface AttachedImage {
  readonly id: string
  readonly name: string
  readonly type: string
  readonly bytes: number
  readonly dataUrl: string
}

export type ImageFault = "type" | "bytes" | "all bytes" | "count" | "pixels" | "unreadable"

interface ImageFile {
  readonly type: string
  readonly size: number
}

/** Returns why an image cannot be attached: its type or its size. Returns undefined if the image can be attached. */
export const findImageFault = (
  image: ImageFile,
  attached: ReadonlyArray<Pick<AttachedImage, "bytes">>
): ImageFault | undefined => {
  if (!imageTypes.includes(image.type)) return "type"
  if (attached.length >= imageLimits.count) return "count"
  if (image.size > imageLimits.bytes) return "bytes"
  const totalBytes = attached.reduce((sum, { bytes }) => sum + bytes, image.size)
  return totalBytes > imageLimits.allBytes ? "all bytes" : undefined
}

const readDataUrl = (file: Blob): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.addEventListener("load", () => resolve(typeof reader.result === "string" ? reader.result : ""))
    reader.addEventListener("error", () => reject(reader.error ?? new Error("The image could not be read")))
    reader.readAsDataURL(file)
  })

const countPixels = async (file: Blob): Promise<number> => {
  const bitmap = await createImageBitmap(file)
  const pixels = bitmap.width * bitmap.height
  bitmap.close()
  return pixels
}

export const readImage = async (file: File): Promise<AttachedImage | ImageFault> => {
  try {
    if (await countPixels(file) > imageLimits.pixels) return "pixels"
    const { name, size: bytes, type } = file
    return { id: randomKey(), name, type, bytes, dataUrl: await readDataUrl(file) }
  } catch {
    return "unreadable"
  }
}
