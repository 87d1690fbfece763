import { Result } from "effect"
import * as Base64 from "effect/encoding/Base64"
import type { Message } from "../../messages/dictionary.ts"
import type { Issue } from "../../messages/issue.ts"
import { say } from "../../messages/language.ts"
import type { Language } from "../../messages/languageCode.ts"
import type { KeptImage } from "../conversation.ts"
import { readImageHeader } from "./imageHeader.ts"
import { requestBounds } from "./request.ts"

/** The label is not believed; what counts is that the data is in the text itself. */
const dataUrl = /^data:[^,]{0,200};base64,/i

const { allImagesBytes, imageBytes, imagePixels, images: mostImages } = requestBounds

const mebibytes = (bytes: number): number => bytes / 1024 / 1024

/** An image of a request, or what is wrong with it. */
const readImage = (url: string): Result.Result<KeptImage, Message> => {
  const label = dataUrl.exec(url.slice(0, 300))?.[0]
  if (label === undefined) return Result.fail({ key: "image_not_data_url" })
  const encoded = url.slice(label.length)
  if (encoded.length > Math.ceil(imageBytes / 3) * 4 + 4) {
    return Result.fail({ key: "image_too_large", params: { limit: mebibytes(imageBytes) } })
  }
  const decoded = Base64.decode(encoded)
  if (Result.isFailure(decoded)) return Result.fail({ key: "image_not_data_url" })
  const bytes = decoded.success
  if (bytes.length > imageBytes) {
    return Result.fail({ key: "image_too_large", params: { limit: mebibytes(imageBytes) } })
  }
  const header = readImageHeader(bytes)
  if (header === null) return Result.fail({ key: "image_unknown_type" })
  return header.width * header.height > imagePixels
    ? Result.fail({ key: "image_too_many_pixels", params: { limit: imagePixels / 1_000_000 } })
    : Result.succeed({ ...header, bytes })
}

/** The images of a request; every one that is wrong is told. */
export const readImages = (
  urls: ReadonlyArray<string>,
  language: Language
): Result.Result<ReadonlyArray<KeptImage>, ReadonlyArray<Issue>> => {
  const issue = (path: Issue["path"], message: Message): Issue => ({ path, message: say(message, language) })
  if (urls.length > mostImages) {
    return Result.fail([issue(["images"], { key: "images_too_many", params: { limit: mostImages } })])
  }
  const read = urls.map(readImage)
  const issues = read.flatMap((image, i) => Result.isFailure(image) ? [issue(["images", i], image.failure)] : [])
  if (issues.length > 0) return Result.fail(issues)
  const images = read.flatMap((image) => Result.isSuccess(image) ? [image.success] : [])
  return images.reduce((sum, { bytes }) => sum + bytes.length, 0) > allImagesBytes
    ? Result.fail([
      issue(["images"], { key: "images_too_large", params: { limit: mebibytes(allImagesBytes) } })
    ])
    : Result.succeed(images)
}
