import { Effect, Result } from "effect"
import * as Base64 from "effect/encoding/Base64"
import type { Message } from "../../engine/messages/dictionary.ts"
import type { Issue } from "../../engine/messages/issue.ts"
import { say } from "../../engine/messages/language.ts"
import type { Language } from "../../engine/messages/languageCode.ts"
import type { KeptImage } from "../conversation.ts"
import { readImageHeader } from "./imageHeader.ts"
import { requestBounds } from "./request.ts"

/** The declared type is ignored. The pattern only requires that the data is in the URL. */
const dataUrl = /^data:[^,]{0,200};base64,/i

const { allImagesBytes, imageBytes, imagePixels, images: mostImages } = requestBounds

const mebibytes = (bytes: number): number => bytes / 1024 / 1024

/**
 * The number of characters that are decoded before other fibres run, which takes some milliseconds. A multiple of four.
 */
const turn = 512 * 1024

/** Decodes base64, or returns null. Lets other fibres run in between. */
const decoded = Effect.fnUntraced(function*(text: string): Effect.fn.Return<Uint8Array | null> {
  const encoded = /[\r\n]/.test(text) ? text.replace(/[\r\n]/g, "") : text
  const missing = encoded.endsWith("==") ? 2 : encoded.endsWith("=") ? 1 : 0
  const bytes = new Uint8Array(Math.ceil(encoded.length / 4) * 3 - missing)
  for (let from = 0; from < encoded.length; from += turn) {
    const part = Base64.decode(encoded.slice(from, from + turn))
    const isLast = from + turn >= encoded.length
    // Padding is allowed only at the end.
    if (Result.isFailure(part) || (!isLast && part.success.length < turn / 4 * 3)) return null
    bytes.set(part.success, from / 4 * 3)
    if (!isLast) yield* Effect.yieldNow
  }
  return bytes
})

/** Reads an image of a request, or returns its fault. */
const readImage = Effect.fnUntraced(function*(url: string): Effect.fn.Return<Result.Result<KeptImage, Message>> {
  const label = dataUrl.exec(url.slice(0, 300))?.[0]
  if (label === undefined) return Result.fail({ key: "image_not_data_url" })
  const encoded = url.slice(label.length)
  const tooLarge = Result.fail<Message>({ key: "image_too_large", params: { limit: mebibytes(imageBytes) } })
  if (encoded.length > Math.ceil(imageBytes / 3) * 4 + 4) return tooLarge
  const bytes = yield* decoded(encoded)
  if (bytes === null) return Result.fail({ key: "image_not_data_url" })
  if (bytes.length > imageBytes) return tooLarge
  const header = readImageHeader(bytes)
  if (header === null) return Result.fail({ key: "image_unknown_type" })
  return header.width * header.height > imagePixels
    ? Result.fail({ key: "image_too_many_pixels", params: { limit: imagePixels / 1_000_000 } })
    : Result.succeed({ ...header, bytes })
})

/** Reads the images of a request. Reports all faulty ones. */
export const readImages = Effect.fnUntraced(function*(
  urls: ReadonlyArray<string>,
  language: Language
): Effect.fn.Return<Result.Result<ReadonlyArray<KeptImage>, ReadonlyArray<Issue>>> {
  const issue = (path: Issue["path"], message: Message): Issue => ({ path, message: say(message, language) })
  if (urls.length > mostImages) {
    return Result.fail([issue(["images"], { key: "images_too_many", params: { limit: mostImages } })])
  }
  const read = yield* Effect.forEach(urls, readImage)
  const issues = read.flatMap((image, i) => Result.isFailure(image) ? [issue(["images", i], image.failure)] : [])
  if (issues.length > 0) return Result.fail(issues)
  const images = read.flatMap((image) => Result.isSuccess(image) ? [image.success] : [])
  return images.reduce((sum, { bytes }) => sum + bytes.length, 0) > allImagesBytes
    ? Result.fail([
      issue(["images"], { key: "images_too_large", params: { limit: mebibytes(allImagesBytes) } })
    ])
    : Result.succeed(images)
})
