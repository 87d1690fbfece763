import { Effect, Result } from "effect"
import * as Base64 from "effect/encoding/Base64"
import type { Message } from "../../engine/messages/dictionary.ts"
import type { Issue } from "../../engine/messages/issue.ts"
import { formatMessage } from "../../engine/messages/language.ts"
import type { Language } from "../../engine/messages/languageCode.ts"
import type { StoredImage } from "../conversation.ts"
import { readImageHeader } from "./imageHeader.ts"
import { requestLimits } from "./request.ts"

/** Matches the prefix of a base64 data URL; the declared media type is ignored. */
const dataUrlPattern = /^data:[^,]{0,200};base64,/i

const { allImagesBytes, imageBytes, imagePixels, images: maxImages } = requestLimits

const toMebibytes = (bytes: number): number => bytes / 1024 / 1024

/**
 * The number of base64 characters that are decoded before other fibres may run. `chunkLength` must be a multiple of
 * four.
 */
const chunkLength = 512 * 1024

/** Decodes base64 in chunks, between which other fibres run, or returns null if the text is invalid. */
const decodeBase64 = Effect.fnUntraced(function*(text: string): Effect.fn.Return<Uint8Array | null> {
  const encoded = /[\r\n]/.test(text) ? text.replace(/[\r\n]/g, "") : text
  const paddingLength = encoded.endsWith("==") ? 2 : encoded.endsWith("=") ? 1 : 0
  const bytes = new Uint8Array(Math.ceil(encoded.length / 4) * 3 - paddingLength)
  for (let from = 0; from < encoded.length; from += chunkLength) {
    const chunk = Base64.decode(encoded.slice(from, from + chunkLength))
    const isLast = from + chunkLength >= encoded.length
    // The padding of base64 is valid only at the end of the text.
    if (Result.isFailure(chunk) || (!isLast && chunk.success.length < chunkLength / 4 * 3)) return null
    bytes.set(chunk.success, from / 4 * 3)
    if (!isLast) yield* Effect.yieldNow
  }
  return bytes
})

const readImage = Effect.fnUntraced(function*(url: string): Effect.fn.Return<Result.Result<StoredImage, Message>> {
  const prefix = dataUrlPattern.exec(url.slice(0, 300))?.[0]
  if (prefix === undefined) return Result.fail({ key: "image_not_data_url" })
  const encoded = url.slice(prefix.length)
  const tooLarge = Result.fail<Message>({ key: "image_too_large", params: { limit: toMebibytes(imageBytes) } })
  if (encoded.length > Math.ceil(imageBytes / 3) * 4 + 4) return tooLarge
  const bytes = yield* decodeBase64(encoded)
  if (bytes === null) return Result.fail({ key: "image_not_data_url" })
  if (bytes.length > imageBytes) return tooLarge
  const header = readImageHeader(bytes)
  if (header === null) return Result.fail({ key: "image_unknown_type" })
  return header.width * header.height > imagePixels
    ? Result.fail({ key: "image_too_many_pixels", params: { limit: imagePixels / 1_000_000 } })
    : Result.succeed({ ...header, bytes })
})

/** Reads the images of a request, and reports the faults of all faulty images. */
export const readImages = Effect.fnUntraced(function*(
  urls: ReadonlyArray<string>,
  language: Language
): Effect.fn.Return<Result.Result<ReadonlyArray<StoredImage>, ReadonlyArray<Issue>>> {
  const makeIssue = (path: Issue["path"], message: Message): Issue => ({
    path,
    message: formatMessage(message, language)
  })
  if (urls.length > maxImages) {
    return Result.fail([makeIssue(["images"], { key: "images_too_many", params: { limit: maxImages } })])
  }
  const imageResults = yield* Effect.forEach(urls, readImage)
  const issues = imageResults.flatMap((image, i) =>
    Result.isFailure(image) ? [makeIssue(["images", i], image.failure)] : []
  )
  if (issues.length > 0) return Result.fail(issues)
  const images = imageResults.flatMap((image) => Result.isSuccess(image) ? [image.success] : [])
  return images.reduce((sum, { bytes }) => sum + bytes.length, 0) > allImagesBytes
    ? Result.fail([
      makeIssue(["images"], { key: "images_too_large", params: { limit: toMebibytes(allImagesBytes) } })
    ])
    : Result.succeed(images)
})
