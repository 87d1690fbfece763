import { afterAll, afterEach } from "vitest"
import { startRecording, takeRecorded } from "./fetchRecorder.ts"
import { type Json, OpenApiDocument } from "./OpenApiDocument.ts"
import { type RecordedResponse, validateResponse } from "./responseValidation.ts"

const lazyDocument = (document: () => Json): () => OpenApiDocument => {
  let cached: OpenApiDocument | undefined
  return () => cached ??= new OpenApiDocument(document())
}

const addedResponses: Array<RecordedResponse> = []

const otherDocuments: Array<() => OpenApiDocument> = []
const ignoredPaths = new Set<string>()

/** Excludes responses at the given paths from validation. */
export const ignorePaths = (...paths: ReadonlyArray<string>): void => {
  for (const path of paths) ignoredPaths.add(path)
}

/** Accepts responses that match one of the given OpenAPI documents, for servers with a different API. */
export const acceptOtherDocuments = (...documents: ReadonlyArray<() => Json>): void =>
  void otherDocuments.push(...documents.map(lazyDocument))

/** Discards all recorded responses to free their memory. */
export const discardResponses = (): void => void takeRecorded()

/** Adds responses from a raw socket to the responses that will be validated. */
export const addResponses = (responses: ReadonlyArray<RecordedResponse>): void => void addedResponses.push(...responses)

/**
 * Fails every test that receives a response that the OpenAPI document does not describe. `document` returns the OpenAPI
 * document, and is called on first use.
 */
export const validateResponses = (document: () => Json): void => {
  startRecording()
  otherDocuments.length = 0
  ignoredPaths.clear()
  const description = lazyDocument(document)
  const validateRecorded = (): void => {
    const responses = [...takeRecorded(), ...addedResponses.splice(0)].filter(({ path }) => !ignoredPaths.has(path))
    if (responses.length === 0) return
    const openApiDocument = description()
    const errors = new Set(responses.flatMap((response) => {
      const responseErrors = validateResponse(openApiDocument, response)
      return responseErrors.length > 0 &&
          otherDocuments.some((other) => validateResponse(other(), response).length === 0)
        ? []
        : responseErrors
    }))
    if (errors.size > 0) {
      throw new Error(`The OpenAPI document does not describe a received response:\n${[...errors].join("\n")}`)
    }
  }
  afterEach(validateRecorded)
  afterAll(validateRecorded)
}
